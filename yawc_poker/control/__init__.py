"""The control socket: what the sysop's tool asks of a running BBS, and who answers."""
