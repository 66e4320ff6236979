"""A telnet caller's non-blocking socket: bytes out, the last readable text in, and all ways to break the connection.

There is no emulated terminal: for a thousand callers it is enough to find a prompt in the last bytes received.
"""

import re
import selectors
import socket
import struct
from collections.abc import Callable

from tests.stress.loop import Loop

OPENING = bytes.fromhex("fffb18 fffb1f fffa1f00500018fff0 fffd01 fffd03 fffa1800") + b"XTERM-256COLOR" + b"\xff\xf0"
"""Terminal and a window of 80x24 offered and sent, echo and go-ahead agreed."""
TAIL = 8192
"""Bytes kept: more than a whole screen."""
COMMANDS = re.compile(rb"\xff(?:\xfa.*?\xff\xf0|[\xfb-\xfe].|[^\xfa-\xfe])", re.DOTALL)
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x1b]*\x1b\\|[()].|[^\[()\]])")


class Wire:
    """One connection. `heard` is called for input, `ended` once when the connection is lost."""

    def __init__(
        self, loop: Loop, port: int, heard: Callable[[bytes], None], ended: Callable[[], None], *, narrow: bool = False
    ) -> None:
        self._loop = loop
        self._heard = heard
        self._ended = ended
        self._tail = b""
        self._socket = socket.socket()
        self._socket.setblocking(False)
        if narrow:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.is_open = True
        self.can_send = False
        self.is_deaf = False
        self.unsent = 0
        """Keys not yet accepted by the kernel."""
        self._socket.connect_ex(("127.0.0.1", port))
        loop.watch(self._socket, selectors.EVENT_WRITE, self._connected)

    @property
    def text(self) -> str:
        """The end of the input since the last key was sent, without commands and escape sequences."""
        return _ESCAPES.sub(b"", COMMANDS.sub(b"", self._tail)).decode("utf-8", "replace")

    def shows(self, text: str) -> bool:
        """Return whether this text has come, in one piece, since the last key was sent."""
        return text.encode() in self._tail

    def send(self, keys: str) -> None:
        """Send keys; earlier output does not count as the answer."""
        self._tail = b""
        if not self.is_open or not self.can_send:
            return
        try:
            self._socket.send(keys.encode())
        except BlockingIOError:
            self.unsent += 1
        except OSError:
            self.can_send = False  # the reader will see the end

    def abort(self) -> None:
        """Break the connection with a reset."""
        if self.is_open:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def half_close(self) -> None:
        """Close the sending side; go on reading."""
        self.can_send = False
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def deafen(self, deaf: bool) -> None:
        """Stop reading, or read again."""
        self.is_deaf = deaf
        if not self.is_open:
            return
        if deaf:
            self._loop.forget(self._socket)
        else:
            self._loop.watch(self._socket, selectors.EVENT_READ, self._readable)

    def close(self) -> None:
        """Hang up; no more callbacks."""
        if self.is_open:
            self.is_open = self.can_send = False
            self._loop.forget(self._socket)
            self._socket.close()

    def _connected(self, events: int) -> None:
        if self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self._end()
            return
        self.can_send = True
        self._loop.watch(self._socket, selectors.EVENT_READ, self._readable)
        try:
            self._socket.send(OPENING)
        except OSError:
            pass  # the reader will see the end

    def _readable(self, events: int) -> None:
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end()
            return
        self._tail = (self._tail + data)[-TAIL:]
        self._heard(data)

    def _end(self) -> None:
        self.close()
        self._ended()
