"""A connection's bytes: a descriptor that never blocks, with bounded output, and the reasons why it closed.

Owns what every line, wire client and terminal has in common below its protocol; knows no protocol and no session. A
`Transport` is a socket (`SocketTransport`), a socket below TLS (`telnetd.doors.tls`), or the terminal of this process
(`yawc_poker.terminal.tty`).

Invariant: no call waits but `drain` and `close`, and these have a deadline.
"""

import errno
import select
import socket
import struct
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Final

OUTPUT_LIMIT: Final = 256 * 1024
"""Bytes a caller may leave unread before the connection is closed."""
GRACE: Final = 0.5
"""Seconds that `SocketTransport.close` may take."""

HUNG_UP: Final = "hung up"
"""The other side ended the connection (end of file, reset, a terminal's hang-up)."""
NOT_READING: Final = "does not read"
"""More output than the limit waits for the other side."""

_TCP_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 60_000),  # milliseconds that sent bytes may stay unacknowledged
    # Kernel buffers of one connection. Left to itself the kernel would keep megabytes of unread data either way.
    (socket.SOL_SOCKET, socket.SO_RCVBUF, 32 * 1024),
    (socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024),
)
_DISCARDED = 512
"""Bytes that are read at once to be thrown away when a connection is closed."""
_PIECES = 128
"""How many times that is done at most: whoever sends on and on would have a processor for it."""
_CREDENTIALS: Final = struct.Struct("3i")
_HANGUPS = frozenset({errno.ECONNRESET, errno.EPIPE, errno.EIO, errno.ENOTCONN})


class LineClosed(Exception):
    """The connection is over: the other side hung up, it broke, or it was dropped. `str()` is the reason."""


def lost(error: OSError) -> LineClosed:
    """Return the exception for an error that the kernel reported."""
    return LineClosed(HUNG_UP if error.errno in _HANGUPS else f"lost: {error.strerror or error}")


def process_at(connection: socket.socket) -> tuple[int, int]:
    """Return the pid and the uid at the other end of a Unix socket, as the kernel knows them (SO_PEERCRED)."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, _ = _CREDENTIALS.unpack(told)
    return pid, uid


class OutputBuffer:
    """Bytes that the kernel has not taken yet, at most `limit` of them."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self._limit = limit
        self.waiting = bytearray()
        """What waits; only this object changes it."""

    def put(self, data: bytes) -> None:
        """Append. Raise `LineClosed`, and change nothing, if more than the limit would wait."""
        if len(self.waiting) + len(data) > self._limit:
            raise LineClosed(NOT_READING)
        self.waiting += data

    def write_to(self, write: Callable[[bytearray], int]) -> None:
        """Pass bytes to `write`, which returns how many it took, until it takes no more or none are left.

        `write` may raise `BlockingIOError` for "not now"; any other `OSError` becomes `LineClosed`.
        """
        taken = -1
        try:
            while self.waiting and taken:
                taken = write(self.waiting)
                del self.waiting[:taken]
        except BlockingIOError:
            pass
        except OSError as error:
            raise lost(error) from error


class Transport(ABC):
    """A connection that never blocks, whose unsent output is bounded. Subclasses read and write."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        """`limit` is the number of bytes that the other side may leave unread."""
        self._output = OutputBuffer(limit)

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel."""
        return len(self._output.waiting)

    @property
    def buffered(self) -> bool:
        """Whether `receive` has data though the descriptor is silent, as when TLS has decoded more than was read."""
        return False

    @abstractmethod
    def fileno(self) -> int:
        """Return the descriptor to wait on for input, and, while `pending`, for output; -1 once closed."""

    def receive(self, most: int) -> bytes:
        """Return at most `most` bytes of input, b"" if there is none now. Raise `LineClosed`."""
        try:
            data = self._read(most)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise lost(error) from error
        if not data:
            raise LineClosed(HUNG_UP)
        return data

    def send(self, data: bytes) -> None:
        """Queue bytes. Raise `LineClosed` beyond the limit."""
        self._output.put(data)

    def flush(self) -> None:
        """Pass to the kernel what it takes now. Raise `LineClosed`."""
        if self._output.waiting:
            self._output.write_to(self._write)

    def discard(self) -> None:
        """Forget what is pending."""
        self._output.waiting.clear()

    def drain(self, deadline: float) -> None:
        """Flush until nothing is pending, or until `deadline` (monotonic seconds). Raise `LineClosed`."""
        self.flush()
        while self.pending and self._wait(select.POLLOUT, deadline):
            self.flush()

    def wait_for_input(self, deadline: float) -> bool:
        """Wait until `receive` may have something, until `deadline` (monotonic seconds); return whether it may."""
        return self.buffered or self._wait(select.POLLIN, deadline)

    @abstractmethod
    def close(self) -> None:
        """Close the connection. Never raise, also the second time."""

    def abandon(self) -> None:
        """Close, and wait for nothing if that can be. Never raise, also the second time."""
        self.close()

    @abstractmethod
    def _read(self, most: int) -> bytes:
        """Read; b"" is the end. Raise `BlockingIOError` if there is nothing now, else `OSError`."""

    @abstractmethod
    def _write(self, data: bytearray) -> int:
        """Return how many bytes the kernel took. Raise `BlockingIOError` if it takes none now, else `OSError`."""

    def _wait(self, event: int, deadline: float) -> bool:
        """Wait for one poll event; False: the time is up."""
        poller = select.poll()
        poller.register(self.fileno(), event)
        return bool(poller.poll(max(0.0, deadline - time.monotonic()) * 1000)) and time.monotonic() < deadline


class SocketTransport(Transport):
    """A connected socket, which it owns from now on."""

    def __init__(self, connection: socket.socket, limit: int = OUTPUT_LIMIT) -> None:
        """Take over the socket; TCP is told to notice a dead peer within about a minute and to send keys at once."""
        super().__init__(limit)
        self._socket = connection
        connection.setblocking(False)
        if connection.family in (socket.AF_INET, socket.AF_INET6):
            with suppress(OSError):  # the peer may be gone already; the first read will tell
                for level, option, value in _TCP_OPTIONS:
                    connection.setsockopt(level, option, value)

    def fileno(self) -> int:
        """Return the socket's descriptor; -1 once closed."""
        return self._socket.fileno()

    def close(self) -> None:
        """Send what is pending, hang up and close, within `GRACE`. Never raise, also the second time."""
        self.close_until(time.monotonic() + GRACE)

    def close_until(self, deadline: float) -> None:
        """Close as `close` does, until `deadline` (monotonic seconds)."""
        if self._socket.fileno() < 0:
            return
        with suppress(OSError, LineClosed):
            self.drain(deadline)
            self._socket.shutdown(socket.SHUT_WR)
            self._discard(deadline)
        with suppress(OSError):
            self._socket.close()

    def abandon(self) -> None:
        """Close at once; what the kernel does not take now is lost. Never raise, also the second time."""
        if self._socket.fileno() < 0:
            return
        with suppress(OSError, LineClosed):
            self.flush()
            self._socket.shutdown(socket.SHUT_WR)
            for _ in range(_PIECES):  # so that no unread input makes it a reset
                if not self._socket.recv(_DISCARDED):
                    break
        with suppress(OSError):
            self._socket.close()

    def _discard(self, deadline: float) -> None:
        """Throw away what still comes until the other side hangs up, too.

        A socket closed with unread input answers it with a reset, which destroys output not yet read at the other end.
        A side that sends more than is thrown away has until the deadline to read that output.
        """
        for _ in range(_PIECES):
            if not self._wait(select.POLLIN, deadline) or not self._socket.recv(_DISCARDED):
                return
        self._wait(select.POLLRDHUP, deadline)

    def _read(self, most: int) -> bytes:
        return self._socket.recv(most)

    def _write(self, data: bytearray) -> int:
        return self._socket.send(data, socket.MSG_NOSIGNAL)
