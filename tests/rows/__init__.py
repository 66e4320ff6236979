"""Rows: what a seat learns of its table, and that it is all."""
