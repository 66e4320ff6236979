"""Users of the BBS, in `users.sqlite`: accounts, names, passwords, bans, who came and went, what sysops did."""
