"""The listening process: accept, admit, fork, reap; limits, bans, systemd, upgrades."""
