"""The games that there are, and what everything above asks of a game without knowing which one it is."""
