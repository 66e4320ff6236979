"""Listening sockets by kind, and a caller's connection as a `Line`.

A new kind of door is a value in `yawc_poker.doors` and a `yawc_poker.bbs.service.Service`. It takes a subclass of
`yawc_poker.transport.Transport` if its bytes are coded in another way, as by TLS, and a subclass of
`yawc_poker.terminal.line.Line` if another protocol than telnet tells of the terminal. The door for browsers is
an extra, `telnetd.extras.web`.
"""
