"""Lines, frames, keys: everything between a session and a caller's terminal."""
