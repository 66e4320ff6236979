"""Mau-Mau (spec/maumau.md), for terminals and for clients of its binary protocol."""
