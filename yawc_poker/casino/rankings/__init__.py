"""Rankings: what the history of games says of the people who played, by game, day and month."""
