"""Where a session waits, and what one caller's input may cost."""
