"""Mau-Mau's binary protocol: its messages, their bytes, and what either side makes of them. Pure."""
