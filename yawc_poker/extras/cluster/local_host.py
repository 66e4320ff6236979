"""What the processes of one host know of the cluster: words in the head of the host's segment.

Owns their places and meanings. The host's courier writes them, except for those that are fixed when the segment is
made; everybody else only reads. Each fact is one word, so no reader sees half of one. Without `[cluster] host` all are
0, and nothing here costs more than one look.

Every host's segment has room for the sessions of all hosts. Those of host k have the records from k * span on, so a
session has the same record everywhere, and its token says which host it is on. A token also bears the epoch of its
host, so a host that came back is not taken for the one that went.
"""

import time
from typing import Final

from yawc_poker.casino.local_host import INDEX_BITS, HostKind, LocalHost
from yawc_poker.config import Config
from yawc_poker.extras.cluster.settings import MOST_HOSTS, ClusterSettings
from yawc_poker.ipc.layout import USER_WORDS_AT, Head, user_words
from yawc_poker.ipc.process import Identity

_WORDS: Final = user_words(__name__, range(5, 16 + MOST_HOSTS))
_HOST, _SPAN, _EPOCH, _FENCED, _OFFSET, _BACK_SINCE = _WORDS[:6]
_RENEWED, _COURIER, _COURIER_START, _LEAVING, _WORKED, _LEASES = _WORDS[6:12]
_EPOCH_AT: Final = 48
_EPOCH_BITS: Final = 15
_EPOCH_MASK: Final = (1 << _EPOCH_BITS) - 1


_FENCES: Final = 0x59415800
"""The first number of the advisory lock of a host's epoch, less the host's; the second one is the epoch."""
_EPOCHS: Final = 0x7FFFFFFF


def fence_lock(number: int, epoch: int) -> tuple[int, int]:
    """Return the numbers of the advisory lock that all transactions of a host's epoch share."""
    return _FENCES + number, epoch & _EPOCHS


def fence_of(number: int, epoch: int) -> tuple[str, ...]:
    """Return the queries that a transaction begins with which must find an epoch in force: the last finds a row.

    They are in PostgreSQL's words. The lock is shared by a query of its own, and first: who ends the epoch waits for
    all who share it, and what is read after that is what they have written. A lock of a row would do the same, but is
    written down for each transaction.
    """
    first, second = fence_lock(number, epoch)
    return (
        f"SELECT pg_advisory_xact_lock_shared({first}, {second})",
        f"SELECT 1 FROM cluster.host WHERE number = {number} AND epoch = {epoch} AND server = cluster.server()",
    )


def epoch_of(token: int) -> int:
    """Return the epoch of its host, modulo 2**15, that a session's token bears."""
    return token >> _EPOCH_AT & _EPOCH_MASK


class ClusteredHost(LocalHost):
    """This host, among the others."""

    __slots__ = ("_words",)

    def __init__(self, head: Head) -> None:
        self._words = head.user

    # --- fixed when the segment is made -------------------------------------------------------------------------------

    def lay_out(self, host: int, span: int) -> None:
        """Note the host's number, from 0, and how many records each host has, in a new segment."""
        self._words[_SPAN] = span
        self._words[_HOST] = host + 1

    @property
    def is_clustered(self) -> bool:
        """Whether this host is one of several."""
        return self._words[_HOST] != 0

    @property
    def number(self) -> int:
        """The host's number, from 0; 0 where there is one host."""
        return max(self._words[_HOST] - 1, 0)

    def name(self, config: Config) -> str:
        """Return the host's name among several."""
        return config.of(ClusterSettings).host

    @property
    def span(self) -> int:
        """How many records each host has; 0 where there is one host."""
        return self._words[_SPAN]

    @property
    def records(self) -> range | None:
        """The records of this host's own sessions; None where there is one host: all."""
        span = self._words[_SPAN]
        return range(self.number * span, (self.number + 1) * span) if span else None

    # --- hosts and tokens ---------------------------------------------------------------------------------------------

    def host_of(self, index: int) -> int:
        """Return the number of the host that a record belongs to."""
        span = self._words[_SPAN]
        return index // span if span else 0

    def is_own(self, index: int) -> bool:
        """Return whether a record belongs to this host."""
        span = self._words[_SPAN]
        return not span or index // span == self._words[_HOST] - 1

    def is_remote(self, token: int) -> bool:
        """Return whether a token is that of a session of another host."""
        return not self.is_own(token & (1 << INDEX_BITS) - 1)

    def token(self, random: int, index: int) -> int:
        """Return a new session's token: its highest bit is set, `random` has 47 bits, of which epochs take 15."""
        if self.is_clustered:
            random = random & (1 << _EPOCH_AT - INDEX_BITS) - 1 | (self.epoch & _EPOCH_MASK) << _EPOCH_AT - INDEX_BITS
        return 1 << 63 | random << INDEX_BITS | index

    def may_live(self, token: int) -> bool:
        """Return whether a remote session may live: its host's lease is in force, and of the token's epoch or an older.

        An epoch that is newer than what is known here is that of a host that has just come back.
        """
        known, is_in_force = self.lease(self.host_of(token & (1 << INDEX_BITS) - 1))
        ahead = epoch_of(token) - known & _EPOCH_MASK
        return is_in_force if ahead == 0 else ahead < 1 << _EPOCH_BITS - 1

    def words_of(self, token: int) -> dict[int, int]:
        """Return the word of the segment, by index with its value, by which `may_live` says what it does of a token."""
        at = _LEASES + self.host_of(token & (1 << INDEX_BITS) - 1)
        return {USER_WORDS_AT + at: self._words[at]}

    # --- leases -------------------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The epoch in which this host holds its lease; 0: it has none yet."""
        return self._words[_EPOCH]

    @epoch.setter
    def epoch(self, number: int) -> None:
        self._words[_EPOCH] = number

    @property
    def fenced(self) -> int:
        """The epoch that was taken from this host, or is not to be used yet; 0: there is none such."""
        return self._words[_FENCED]

    @fenced.setter
    def fenced(self, epoch: int) -> None:
        self._words[_FENCED] = epoch

    @property
    def is_cut_off(self) -> bool:
        """Whether the present epoch was taken from this host, or what comes before it may be used is not done yet."""
        fenced = self._words[_FENCED]
        return fenced != 0 and fenced == self._words[_EPOCH]

    def lease(self, host: int) -> tuple[int, bool]:
        """Return the epoch of a host, and whether its lease is in force, as far as it is known here."""
        word = self._words[_LEASES + host] if host < MOST_HOSTS else 0
        return word >> 1, bool(word & 1)

    def note_lease(self, host: int, epoch: int, is_in_force: bool) -> None:
        """Note what the database says of a host's lease."""
        self._words[_LEASES + host] = epoch << 1 | is_in_force

    def is_of_epoch(self, token: int) -> bool:
        """Return whether the token of one of this host's sessions bears the present epoch; where there is one host."""
        return not self.is_clustered or epoch_of(token) == self.epoch & _EPOCH_MASK

    def has_begun_anew(self, token: int) -> bool:
        """Return whether a session's host has lost its lease since, or taken another one."""
        if not self.is_clustered:
            return False
        return not self.may_live(token) if self.is_remote(token) else not self.is_of_epoch(token)

    @property
    def fence(self) -> tuple[str, ...]:
        """What every transaction of this process that writes begins with (`fence_of`); empty where there is one host.

        A process keeps what it was given when it began, so it can write nothing once that epoch was taken away, also
        when the host has another one.
        """
        return fence_of(self.number, self.epoch) if self.is_clustered else ()

    @property
    def has_neighbours(self) -> bool:
        """Whether another host holds a lease, as far as it is known here."""
        own = self.number
        return any(self._words[_LEASES + host] & 1 for host in range(MOST_HOSTS) if host != own)

    @property
    def is_leaving(self) -> bool:
        """Whether this host is closed down while others go on: its callers' seats are kept for them."""
        return self._words[_LEAVING] != 0

    def leave(self) -> None:
        """Note that this host is closed down while others go on."""
        self._words[_LEAVING] = 1

    # --- the clock that all hosts share -------------------------------------------------------------------------------

    @property
    def offset(self) -> float:
        """Seconds from this host's monotonic clock to the database's, in epoch seconds; 0.0: not known yet."""
        return self._words[_OFFSET] / 1e6

    @offset.setter
    def offset(self, seconds: float) -> None:
        self._words[_OFFSET] = round(seconds * 1e6)

    def now(self) -> float:
        """Return the time, in epoch seconds, by the clock of the database; this host's own where that is not known."""
        offset = self._words[_OFFSET]
        return time.monotonic() + offset / 1e6 if offset else time.time()

    @property
    def back_since(self) -> float:
        """When the database could be reached again after it could not, monotonic seconds; 0.0: it always could."""
        return self._words[_BACK_SINCE] / 1e3

    @back_since.setter
    def back_since(self, moment: float) -> None:
        self._words[_BACK_SINCE] = int(moment * 1e3)

    @property
    def renewed(self) -> float:
        """When this host last renewed its lease, monotonic seconds; 0.0: never."""
        return self._words[_RENEWED] / 1e3

    @renewed.setter
    def renewed(self, moment: float) -> None:
        self._words[_RENEWED] = int(moment * 1e3)

    # --- the courier --------------------------------------------------------------------------------------------------

    @property
    def courier(self) -> Identity | None:
        """The courier's process; None: there is none."""
        pid = self._words[_COURIER]
        return Identity(pid, self._words[_COURIER_START]) if pid else None

    @courier.setter
    def courier(self, identity: Identity | None) -> None:
        self._words[_COURIER] = 0
        self._words[_COURIER_START] = identity.start if identity else 0
        self._words[_COURIER] = identity.pid if identity else 0

    @property
    def worked(self) -> float:
        """When the courier was last seen to go on with its work, monotonic seconds; 0.0: never."""
        return self._words[_WORKED] / 1e3

    def works(self) -> None:
        """Note that the courier goes on with its work, whether or not there is a database."""
        self._words[_WORKED] = int(time.monotonic() * 1e3)


def _most(config: Config) -> int:
    settings = config.of(ClusterSettings)
    return settings.hosts if settings.host else 0


def _of(head: Head) -> ClusteredHost | None:
    host = ClusteredHost(head)
    return host if host.is_clustered else None


ANNOUNCED: Final = (HostKind(_most, _of),)
