"""Doppelkopf: four players, two teams that find each other, a match or a tournament (spec/doppelkopf.md)."""
