"""Work that the listener does before its first fork, so that sessions are small and start quickly."""
