"""Connections whose first words are not complete, for which no process is forked before.

At some doors the caller's side speaks first: a proxy with its header, a client of TLS with its hello, a browser with
the head of a request. They come at once, but for who is slow, or hostile: a process for each of those took time from
those who play. What has come is looked at and left there (`MSG_PEEK`), so the process finds the beginning.

Owns these connections. They count as nobody's: the admission decides when their words are complete. For one more than
may wait the oldest goes, of the network from which most wait, by its share.
"""

import resource
import socket
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from typing import Final

from telnetd.doors.door import Door
from telnetd.doors.sockets import has_hung_up
from telnetd.listener.rate_limits import by_crowd
from yawc_poker.bbs.service import FirstWords

MOST: Final = 256
"""Connections that wait at once."""
SHARE: Final = 4
"""Of the files that may be open, the part that these may be."""
SOONEST: Final = 0.01
"""Seconds from a first look that found some of the words to the next."""
LOOKS: Final = 4
"""The next look comes after this part of the time that a connection has waited: a drop at a time costs no more."""
_LONGEST: Final = 8 * 1024 + 1
"""Bytes that are looked at, more than a head of HTTP may have: whoever says so much is for a process to judge."""


class Waiting:
    """A connection that waits."""

    def __init__(self, door: Door, connection: socket.socket, peer: str, words: FirstWords, now: float) -> None:
        """Take over the socket."""
        self.door, self.peer, self.words = door, peer, words
        self.connection = socket.socket(fileno=connection.detach())
        self.until = now + words.seconds
        self.look_at = self.until
        self._since = now

    def said(self) -> bytes | None:
        """Return what has come of its words; None: it is gone. Never wait."""
        said = b""
        try:
            with suppress(BlockingIOError):
                said = self.connection.recv(_LONGEST, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError:
            return None
        gone = not self.is_complete(said) and has_hung_up(self.connection, even_with_input=True)
        return None if gone else said

    def is_complete(self, said: bytes) -> bool:
        """Return whether a process is to go on with what was said."""
        return len(said) == _LONGEST or self.words.are_complete(said)

    def look_again(self, now: float) -> None:
        """Be looked at again in a while."""
        self.look_at = min(self.until, now + max(SOONEST, (now - self._since) / LOOKS))


class Vestibule:
    """The connections that wait, the oldest first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // SHARE)
        self._waiting: dict[Waiting, None] = {}

    def __contains__(self, one: Waiting) -> bool:
        return one in self._waiting

    def __iter__(self) -> Iterator[Waiting]:
        return iter(list(self._waiting))

    @property
    def due_at(self) -> float:
        """The moment of the next look; infinite: nobody waits."""
        return min((one.look_at for one in self._waiting), default=inf)

    def enter(self, one: Waiting) -> Waiting | None:
        """Let one wait; return who has to go for it."""
        goes = None
        if len(self._waiting) >= self._most:
            crowd = by_crowd(other.peer for other in self._waiting)
            goes = max(self._waiting, key=lambda other: crowd(other.peer))
        self._waiting[one] = None
        return goes

    def leave(self, one: Waiting) -> None:
        """Let one wait no longer; its connection stays open."""
        del self._waiting[one]

    def forget(self) -> None:
        """Close all connections; where another process has them, too, they go on there."""
        while self._waiting:
            self._waiting.popitem()[0].connection.close()
