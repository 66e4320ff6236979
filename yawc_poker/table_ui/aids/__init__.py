"""What helps a caller at any table beside the game: the help over the screen, and moves decided ahead. Pure."""
