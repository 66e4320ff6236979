"""A client of Mau-Mau's binary protocol, in a session of its own."""
