"""Extras: what is not needed to telnet in and play at a table, a folder each. Nothing imports them (`announcing`)."""
