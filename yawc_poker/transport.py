"""A connection's bytes: the bounded output buffer, and the reasons why a connection closed.

Owns what every line, wire client and terminal has in common below its protocol; knows no protocol and no session.
"""

import errno
from collections.abc import Callable
from typing import Final

OUTPUT_LIMIT: Final = 256 * 1024
"""Bytes a caller may leave unread before the connection is closed."""

HUNG_UP: Final = "hung up"
"""The other side ended the connection (end of file, reset, a terminal's hang-up)."""
NOT_READING: Final = "does not read"
"""More output than the limit waits for the other side."""

_HANGUPS = frozenset({errno.ECONNRESET, errno.EPIPE, errno.EIO, errno.ENOTCONN})


class LineClosed(Exception):
    """The connection is over: the other side hung up, it broke, or it was dropped. `str()` is the reason."""


def lost(error: OSError) -> LineClosed:
    """Return the exception for an error that the kernel reported."""
    return LineClosed(HUNG_UP if error.errno in _HANGUPS else f"lost: {error.strerror or error}")


class OutputBuffer:
    """Bytes on their way to a caller, at most `limit` of them (the limit of what waits, not of what passes)."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self._limit = limit
        self._waiting = bytearray()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, data: bytes) -> None:
        """Append. Raises `LineClosed`, and keeps what was there, if more than the limit would wait."""
        if len(self._waiting) + len(data) > self._limit:
            raise LineClosed(NOT_READING)
        self._waiting += data

    def write_to(self, write: Callable[[bytearray], int]) -> None:
        """Hand bytes to `write`, which gives the number it took, until it takes no more or none are left.

        `write` may raise `BlockingIOError` for "not now"; any other `OSError` becomes `LineClosed`.
        """
        taken = -1
        try:
            while self._waiting and taken:
                taken = write(self._waiting)
                del self._waiting[:taken]
        except BlockingIOError:
            pass
        except OSError as error:
            raise lost(error) from error
