"""The listening process: accept, admit, fork, reap; rate limits, bans, systemd, upgrades."""
