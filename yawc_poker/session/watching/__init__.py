"""A caller who looks on at a table, without a seat."""
