"""Mau-Mau's binary protocol: its door."""
