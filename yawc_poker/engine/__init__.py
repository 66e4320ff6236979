"""What all games share: the contract of a game, the table, its encoding. Pure."""
