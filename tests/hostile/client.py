"""A telnet caller's blocking socket: logs in and sits down, then sends and receives raw bytes.

Ordinary and hostile callers begin alike. There is no emulated terminal: prompts are found in the last bytes received.
"""

import socket
import time
from typing import Self

from tests.stress.wire import COMMANDS, OPENING

ANSWER = 20.0
"""Seconds within which a caller who is not hostile yet gets an answer."""
PROMPT = b"?: help)>"
SEATED = b"Master:"
PASSWORD = "secret-1"
TAIL = 16384


class Gone(Exception):
    """The connection ended, or could not be made."""


class Unanswered(Exception):
    """None of the expected texts came in time."""


class Client:
    """One connection."""

    def __init__(self, port: int, source: str = "127.0.0.1", *, opening: bytes = OPENING, narrow: bool = False) -> None:
        """Call; with `narrow` this side has a small receive buffer. Raises `Gone`."""
        self.tail = b""
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if narrow:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(ANSWER)
        try:
            self.socket.bind((source, 0))
            self.socket.connect(("127.0.0.1", port))
            self.socket.sendall(opening)
        except OSError as error:
            self.socket.close()
            raise Gone(error.strerror or str(error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self.socket.close()

    def type(self, keys: str | bytes) -> None:
        """Send keys; earlier output does not count as the answer. Raises `Gone`."""
        self.tail = b""
        try:
            self.socket.sendall(keys.encode() if isinstance(keys, str) else keys)
        except OSError as error:
            raise Gone(str(error)) from None

    def hear(self) -> bytes:
        """Return received data, waiting up to the socket's timeout; b"" for none. Raises `Gone`."""
        try:
            data = self.socket.recv(65536)
        except (TimeoutError, BlockingIOError):
            return b""
        except OSError as error:
            raise Gone(str(error)) from None
        if not data:
            raise Gone("the other side hung up")
        self.tail = (self.tail + COMMANDS.sub(b"", data))[-TAIL:]
        return data

    def expect(self, *texts: bytes, seconds: float = ANSWER) -> bytes:
        """Wait until one of these texts has come, in one piece, since the last key; return it."""
        until = time.monotonic() + seconds
        while True:
            found = next((text for text in texts if text in self.tail), None)
            if found is not None:
                return found
            if time.monotonic() > until:
                raise Unanswered(f"none of {texts} in {self.tail[-200:]!r}")
            self.hear()

    def log_in(self, name: str) -> None:
        """Log in to the main prompt, registering if the name is new."""
        self.expect(b"Name:")
        self.type(f"{name}\r")
        if self.expect(b"(y/n)", b"Password:") == b"(y/n)":
            self.type("y")
            self.expect(b"Password:")
            self.type(f"{PASSWORD}\r")
            self.expect(b"Repeat the password:")
        self.type(f"{PASSWORD}\r")
        self.expect(PROMPT)

    def sit(self, table: int) -> None:
        """Sit down at a table, counted from 0; starts at the main prompt of a BBS with several tables."""
        for keys, text in (("s", b"Casino>"), ("2", b"(ENTER: back)"), (f"{table + 1}\r", b"(y/n)"), ("y", SEATED)):
            self.type(keys)
            self.expect(text)
