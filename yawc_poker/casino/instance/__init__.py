"""Everything of one BBS that a process holds."""
