"""How callers meet who are not here at once: messages, letters, the wall; and whom each of them ignores."""
