"""What the listener does before its first fork, so that sessions are small and quick to begin."""
