"""yawc-maumau: a client of Mau-Mau's protocol, for a person at a terminal and for bots."""
