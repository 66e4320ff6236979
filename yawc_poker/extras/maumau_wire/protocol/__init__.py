"""Mau-Mau's binary protocol: messages, their bytes, and the logic of both sides. Pure."""
