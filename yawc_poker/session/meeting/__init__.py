"""How a caller meets others: who is here and who waits, summonses, X-messages, letters, the wall, the ignore list."""
