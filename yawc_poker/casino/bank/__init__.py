"""Where CUBES are kept: accounts, bets, pots and the history of games, in `bank.sqlite`."""
