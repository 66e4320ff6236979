"""Who may call: accounts, names, passwords, messages, bans, and what sysops did, in `users.sqlite`."""
