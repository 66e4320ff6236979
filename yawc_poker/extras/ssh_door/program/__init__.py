"""`yawc-door`: hands the terminal it runs on to the running BBS. Imports next to nothing: it starts once a caller."""
