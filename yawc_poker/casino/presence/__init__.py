"""The directory of sessions, a session's own record in it, and commands from one session to others."""
