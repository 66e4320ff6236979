"""A session at a table, in a seat or beside it: keys become moves, commits become screens or lines."""
