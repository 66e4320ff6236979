"""How callers meet who are not here at once: letters, the wall, the last callers; and whom each of them ignores."""
