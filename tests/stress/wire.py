"""A caller's non-blocking socket: bytes out, the last readable text in, and all ways to break the connection.

`Wire` is a telnet caller's, `TlsWire` the same in TLS, `PageWire` a page's by WebSocket, `RloginWire` another BBS's,
`TerminalWire` that of ssh's door.

There is no emulated terminal: for a thousand callers it is enough to find a prompt in the last bytes received.
"""

import os
import re
import selectors
import socket
import ssl
import struct
import time
from collections import deque
from collections.abc import Callable

from tests.end_to_end.tls import NAME
from tests.frames import HANDSHAKE, masked, server_frame
from tests.stress.loop import Loop

OPENING = bytes.fromhex("fffb18 fffb1f fffa1f00500018fff0 fffd01 fffd03 fffa1800") + b"XTERM-256COLOR" + b"\xff\xf0"
"""Terminal and a window of 80x24 offered and sent, echo and go-ahead agreed."""
ARE_YOU_THERE = b"\xff\xf6"
HELLO = b't{"kind": "xterm-256color", "language": "en"}'
PIECE = 100
"""Bytes of a page's frame."""
TAIL = 8192
"""Bytes kept: more than a whole screen."""
TOLD = 200
"""Bytes of them that are told if an answer is missed."""
PAST = 8
"""Keys that are told with it."""
COMMANDS = re.compile(rb"\xff(?:\xfa.*?\xff\xf0|[\xfb-\xfe].|[^\xfa-\xfe])", re.DOTALL)
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x1b]*\x1b\\|[()].|[^\[()\]])")


def _plain(data: bytes) -> str:
    return _ESCAPES.sub(b"", COMMANDS.sub(b"", data)).decode("utf-8", "replace")


class Wire:
    """One connection. `heard` is called for input, `ended` once when the connection is lost."""

    def __init__(
        self, loop: Loop, port: int, heard: Callable[[bytes], None], ended: Callable[[], None], *, narrow: bool = False
    ) -> None:
        self._loop = loop
        self._heard = heard
        self._ended = ended
        self._tail = b""
        self._past = deque[tuple[float, bytes, str]](maxlen=PAST)
        """The latest keys: when they were sent, the end of what had come before them, and they themselves."""
        self._is_narrow = narrow
        self._socket = self._open(port)
        self.is_open = True
        self.can_send = False
        self.is_deaf = False
        self.unsent = 0
        """Keys not yet accepted by the kernel."""
        loop.watch(self._socket, selectors.EVENT_WRITE, self._connected)

    def _open(self, port: int) -> socket.socket:
        """Return a non-blocking socket that connects."""
        found = socket.socket()
        found.setblocking(False)
        if self._is_narrow:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        found.connect_ex(("127.0.0.1", port))
        return found

    @property
    def text(self) -> str:
        """What came since the last key was sent, at most `TAIL` bytes, without commands and escape sequences."""
        return _plain(self._tail)

    @property
    def story(self) -> str:
        """The latest keys, each with the seconds since and what it was sent behind, and what has come since."""
        now = time.monotonic()
        sent = [f"{_plain(before)!r} {now - at:.1f} s ago: {keys!r}" for at, before, keys in self._past]
        return "; ".join([*sent, repr(_plain(self._tail[-TOLD:]))])

    def shows(self, text: str) -> bool:
        """Return whether this text has come, in one piece, since the last key was sent."""
        return text.encode() in self._tail

    def send(self, keys: str) -> None:
        """Send keys; earlier output does not count as the answer."""
        self._past.append((time.monotonic(), self._tail[-TOLD:], keys))
        self._tail = b""
        if not self.is_open or not self.can_send:
            return
        try:
            self._put(keys.encode())
        except BlockingIOError:
            self.unsent += 1
        except OSError:
            self.can_send = False  # the reader will see the end

    def ask(self) -> bool:
        """Ask the session whether it is there, which answers at once; return whether there is a way to ask."""
        if not self.is_open or not self.can_send:
            return False
        try:
            self._put(ARE_YOU_THERE)
        except OSError:
            return False
        return True

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
        self._loop.watch(self._socket, selectors.EVENT_READ, self._readable)
        try:
            self._begin()
        except OSError:
            pass  # the reader will see the end

    def _begin(self) -> None:
        """Send what comes before all keys. Raise `OSError`."""
        self.can_send = True
        self._put(OPENING)

    def _put(self, data: bytes) -> None:
        """Send what is typed. Raise `OSError`."""
        self._socket.send(data)

    def _taken(self, data: bytes) -> bytes:
        """Return what bytes from the socket mean for the terminal. Raise `OSError` if they mean the end."""
        return data

    def _readable(self, events: int) -> None:
        try:
            read = self._socket.recv(65536)
            data = self._taken(read)
        except BlockingIOError:
            return
        except OSError:
            read = b""
        if not read:
            self._end()
        elif data:
            self._tail = (self._tail + data)[-TAIL:]
            self._heard(data)

    def _end(self) -> None:
        self.close()
        self._ended()


class _Queued(Wire):
    """A connection of which no byte may be lost: what the kernel does not take waits for the next time."""

    def __init__(
        self, loop: Loop, port: int, heard: Callable[[bytes], None], ended: Callable[[], None], *, narrow: bool = False
    ) -> None:
        self._waiting = bytearray()
        self._has_begun = False
        super().__init__(loop, port, heard, ended, narrow=narrow)

    def _queue(self, data: bytes) -> None:
        """Send as much as the kernel takes. Raise `OSError`."""
        self._waiting += data
        if not self._waiting:
            return
        try:
            taken = self._socket.send(self._waiting)
        except BlockingIOError:
            return
        del self._waiting[:taken]


class TlsWire(_Queued):
    """A telnet caller's connection in TLS."""

    def __init__(
        self,
        loop: Loop,
        port: int,
        heard: Callable[[bytes], None],
        ended: Callable[[], None],
        context: ssl.SSLContext,
        *,
        narrow: bool = False,
    ) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=NAME)
        super().__init__(loop, port, heard, ended, narrow=narrow)

    def _begin(self) -> None:
        """Continue the handshake; behind it comes what a telnet caller says."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._queue(self._outgoing.read())
        else:
            self._has_begun = True
            super()._begin()

    def _put(self, data: bytes) -> None:
        self._tls.write(data)
        self._queue(self._outgoing.read())

    def _taken(self, data: bytes) -> bytes:
        self._incoming.write(data)
        if not self._has_begun:
            self._begin()
        found = b""
        try:
            while more := self._tls.read(65536):
                found += more
        except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            pass
        self._queue(self._outgoing.read())
        return found


class PageWire(_Queued):
    """A page's connection by WebSocket, which answers no ping and does not come back by its token."""

    _left = b""

    def _begin(self) -> None:
        self.can_send = True
        self._queue(HANDSHAKE + masked(HELLO))

    def _put(self, data: bytes) -> None:
        self._queue(b"".join(masked(b"d" + data[at : at + PIECE]) for at in range(0, len(data), PIECE)))

    def _taken(self, data: bytes) -> bytes:
        self._left += data
        if not self._has_begun:
            head, end, rest = self._left.partition(b"\r\n\r\n")
            if not end:
                return b""
            if b" 101 " not in head:
                raise ConnectionRefusedError
            self._has_begun, self._left = True, rest
        found = b""
        while (whole := server_frame(self._left)) is not None:
            payload, self._left = whole
            found += payload[1:] if payload[:1] == b"d" else b""
        self._queue(b"")
        return found

    def ask(self) -> bool:
        """Hide the tab and show it again: then the screen is drawn anew."""
        if not self.is_open or not self._has_begun:
            return False
        try:
            self._queue(masked(b"v\x00") + masked(b"v\x01"))
        except OSError:
            return False
        return True


class RloginWire(Wire):
    """A caller whom another BBS passes on, under a name that can be none here: so the name is asked for as always."""

    def ask(self) -> bool:
        return False

    def _begin(self) -> None:
        self.can_send = True
        self._put(b"\0nobody\0/quit\0xterm-256color/115200\0")

    def _taken(self, data: bytes) -> bytes:
        return data.replace(b"\0", b"")


class TerminalWire(Wire):
    """A caller whose terminal a program hands over, as sshd runs it; the terminal is socat's."""

    def __init__(self, loop: Loop, command: str, heard: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._command = command
        super().__init__(loop, 0, heard, ended)

    def ask(self) -> bool:
        return False

    def _open(self, port: int) -> socket.socket:
        own, other = socket.socketpair()
        own.setblocking(False)
        actions = [
            *((os.POSIX_SPAWN_DUP2, other.fileno(), at) for at in (0, 1)),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),  # it tells how the program has ended
        ]
        program = ["socat", "-", f"EXEC:{self._command},pty,setsid,ctty,stderr,rawer"]
        os.posix_spawnp(program[0], program, os.environ | {"TERM": "xterm-256color"}, file_actions=actions)
        other.close()
        return own

    def _begin(self) -> None:
        self.can_send = True
