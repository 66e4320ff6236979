"""What all games share, pure: the contract of a game, the table, its encoding."""
