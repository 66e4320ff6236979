"""A caller at a table: keys become moves, commits become screens."""
