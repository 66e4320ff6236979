"""The telnet protocol, without input or output. Pure."""
