"""The listener and the telnet protocol."""
