"""Users of the BBS: accounts, names, passwords, bans, who came and went, and the log of sysop actions, in `users.sqlite`."""
