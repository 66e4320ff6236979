"""Where a session waits, and what one caller's input may cost; the wait of a program of its own at a terminal."""
