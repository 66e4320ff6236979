"""The records of other hosts' sessions in this host's directory, as this host's courier makes, changes and frees them.

Owns that. A remote session has the record here that it has at home, with its token, and the pid 0. It is shown only: it
receives no command from the ring here, counts nothing, and is not alive by it (`Directory.lives`). Every change is made
under the directory's lock, since a login frees the record of the session that it took the place of.
"""

from collections.abc import Iterable

import msgspec

from yawc_poker.casino.cluster.here import Here
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.presence.session_info import PlaceKind
from yawc_poker.ipc.process import REMOTE
from yawc_poker.ipc.record import Place, Record, tokens
from yawc_poker.ipc.segment import Segment


class Remote(msgspec.Struct, frozen=True):
    """A session of another host, as that one tells it."""

    token: int
    user: int
    name: str
    peer: str
    door: int
    place: Place
    login: float
    """Epoch seconds."""
    input: float
    """When its caller last pressed a key, epoch seconds by the clock of the database."""
    waiting: int
    """X-messages."""
    host: str
    """The host's name."""


class Proxies:
    """The records of this directory that are other hosts'."""

    def __init__(self, segment: Segment) -> None:
        self._records = segment.records
        self._lock = segment.directory_lock
        self._here = Here(segment.head)
        self._shown: dict[int, Remote] = {}
        """By record, as this process wrote it."""

    def show(self, sessions: Iterable[Remote], offset: float) -> set[int]:
        """Show exactly these sessions; return the numbers of the tables where others look on than before.

        A user who has a session of this host has no other one, whatever was read before that was so. `offset` are the
        seconds from this host's monotonic clock to the database's. Raise `LockTimeout`.
        """
        wanted = {index: one for one in sessions if self._is_remote(index := index_of(one.token))}
        changed = {index: one for index, one in wanted.items() if not self._is_shown(index, one)}
        taken = [index for index, token in enumerate(tokens(self._records)) if token]
        surplus = [index for index in taken if index not in wanted and self._is_remote(index)]
        if not changed and not surplus:
            return set()
        with self._lock:
            mine = self._own_users()
            changed = {index: one for index, one in changed.items() if one.user not in mine}
            left = [self._free(index) for index in surplus]
            came = [self._write(index, one, offset) for index, one in changed.items()]
        return {table for tables in (*left, *came) for table in tables}

    def forget(self, host: int) -> set[int]:
        """Free the records of a host's sessions; return the numbers of the tables where some looked on.

        Raise `LockTimeout`.
        """
        span = self._here.span
        records = range(host * span, (host + 1) * span) if self._is_remote(host * span) else range(0)
        taken = [index for index in records if self._records[index].token]
        if not taken:
            return set()
        with self._lock:
            return {table for index in taken for table in self._free(index)}

    def _is_remote(self, index: int) -> bool:
        return index < len(self._records) and not self._here.is_own(index)

    def _is_shown(self, index: int, one: Remote) -> bool:
        return self._records[index].token == one.token and self._shown.get(index) == one

    def _own_users(self) -> set[int]:
        own = self._here.records or range(0)
        return {record.user for index in own if (record := self._records[index]).token}

    def _free(self, index: int) -> list[int]:
        """Free a record; return the table where its session looked on. The lock is held."""
        tables = _watched_by(self._records[index])
        self._records[index].free()
        self._shown.pop(index, None)
        return tables

    def _write(self, index: int, one: Remote, offset: float) -> list[int]:
        """Make a record this session's, as it is now; return the tables where others look on. The lock is held."""
        record = self._records[index]
        before, name = _watched_by(record), record.name
        if record.token != one.token:
            record.free()
            record.claim(REMOTE, one.token, one.peer, one.door)
        if record.peer != one.peer:
            record.peer = one.peer
        if record.user != one.user or record.name != one.name:
            record.host = one.host
            record.name = one.name
            record.login_time = int(one.login)
            record.user = one.user  # last: a reader that sees the user sees the name
        record.last_input = max(0.0, one.input - offset)
        record.x_waiting = one.waiting
        record.place = one.place
        self._shown[index] = one
        after = _watched_by(record)
        return [] if (before, name) == (after, one.name) else [*before, *after]


def _watched_by(record: Record) -> list[int]:
    """Return the table that a record's session looks on at, if there is one."""
    place = record.place
    if not record.token or place.kind != PlaceKind.WATCHING or place.table is None:
        return []
    return [place.table]
