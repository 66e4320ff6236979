"""One caller, one process: the loop that waits, the login, the lobby, the play."""
