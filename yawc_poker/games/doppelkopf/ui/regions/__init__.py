"""The parts of the Doppelkopf screen. Pure."""
