"""Users of the BBS: accounts, names, passwords, messages, bans and the log of sysop actions, in `users.sqlite`."""
