"""Who is here: the directory of sessions, its records, and commands from one session to others."""
