"""This host, as its processes see it: the only one of its casino, unless an extra makes it one of several.

Owns what differs then for whoever looks at a record or a token: whose it is, whether its session may live, and whose
clock counts. Where several hosts are one casino, the directory of each has everybody. A session of another host is
*remote*: it has a record here, and no process. One process of each host, its *courier*, keeps it in touch with the
others.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.config import Config
from yawc_poker.ipc.layout import Head
from yawc_poker.ipc.process import Identity

INDEX_BITS: Final = 16
"""The low bits of a session's token: the index of its record."""


class LocalHost:
    """A host that is the only one."""

    __slots__ = ()

    @property
    def is_clustered(self) -> bool:
        """Whether this host is one of several."""
        return False

    @property
    def number(self) -> int:
        """The host's number, from 0."""
        return 0

    def name(self, config: Config) -> str:
        """Return the host's name among several."""
        return ""

    # --- records and tokens -------------------------------------------------------------------------------------------

    @property
    def span(self) -> int:
        """How many records each host has; 0: all are this one's."""
        return 0

    @property
    def records(self) -> range | None:
        """The records of this host's own sessions; None: all."""
        return None

    def is_own(self, index: int) -> bool:
        """Return whether a record belongs to this host."""
        return True

    def is_remote(self, token: int) -> bool:
        """Return whether a token is that of a session of another host."""
        return False

    def token(self, random: int, index: int) -> int:
        """Return a new session's token: its highest bit is set, `random` has 47 bits."""
        return 1 << 63 | random << INDEX_BITS | index

    def may_live(self, token: int) -> bool:
        """Return whether a remote session may live, as far as is known here."""
        return False

    def words_of(self, token: int) -> dict[int, int]:
        """Return the word of the segment, by index with its value, by which `may_live` says what it does of a token."""
        return {}

    def has_begun_anew(self, token: int) -> bool:
        """Return whether a session's host has lost its place among the others since, or begun anew."""
        return False

    # --- what is shared with others -----------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the time, in epoch seconds, by the clock that counts for all."""
        return time.time()

    @property
    def courier(self) -> Identity | None:
        """The courier's process; None: there is none."""
        return None

    @property
    def is_leaving(self) -> bool:
        """Whether this host is closed down while others go on: its callers' seats are kept for them."""
        return False


ALONE: Final = LocalHost()


class HostKind(NamedTuple):
    """How an extra makes several hosts one casino (place `local_host`)."""

    most: Callable[[Config], int]
    """How many hosts a configuration has room for; 0: there is but one."""
    of: Callable[[Head], LocalHost | None]
    """The host of a segment with this head; None: it is the only one."""


def local_host(head: Head) -> LocalHost:
    """Return the host of a segment with this head."""
    for kind in announced("local_host", HostKind):
        if (found := kind.of(head)) is not None:
            return found
    return ALONE


def most_hosts(config: Config) -> int:
    """Return how many hosts there may be; 0: there is but one."""
    return max((kind.most(config) for kind in announced("local_host", HostKind)), default=0)
