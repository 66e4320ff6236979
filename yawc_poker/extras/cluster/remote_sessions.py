"""The records of other hosts' sessions in this host's directory, as this host's courier makes, changes and frees them.

Owns that. A remote session has the record here that it has at home, with its token, and the pid 0. It is shown only: it
receives no command from the ring here, counts nothing, and is not alive by it (`Directory.lives`). Every change is made
under the directory's lock, since a login frees the record of the session that it took the place of.
"""

from collections.abc import Iterable

from yawc_poker.casino.presence.directory import PlaceKind, index_of
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.sessions import Listed
from yawc_poker.ipc.process import REMOTE
from yawc_poker.ipc.record import USER, Place, Record, column, tokens
from yawc_poker.ipc.segment import Segment


class RemoteSessions:
    """The records of this directory that are other hosts'."""

    def __init__(self, segment: Segment) -> None:
        self._records = segment.records
        self._lock = segment.directory_lock
        self._here = ClusteredHost(segment.head)
        self._shown: dict[int, Listed] = {}
        """By record, as this process wrote it."""
        self._put_off: dict[int, Listed] = {}
        """By record, those whose user had a session of this host when they were to be shown."""

    def show(self, sessions: Iterable[Listed], offset: float, host: int | None = None) -> set[int]:
        """Show exactly these sessions, all of a host, None: of all; return the tables where others look on than before.

        A user who has a session of this host has no other one, whatever was read before that was so. `offset` are the
        seconds from this host's monotonic clock to the database's. Raise `LockTimeout`.
        """
        wanted = {index: one for one in sessions if self._is_remote(index := index_of(one.token))}
        among = range(len(self._records)) if host is None else self._of(host)
        for index in self._put_off.keys() & set(among):
            del self._put_off[index]
        taken = [
            index for index, token in zip(among, tokens(self._records[among.start : among.stop]), strict=True) if token
        ]
        surplus = [index for index in taken if index not in wanted and self._is_remote(index)]
        return self._change(wanted, surplus, offset)

    def change(self, sessions: Iterable[Listed], gone: Iterable[int], offset: float) -> set[int]:
        """Show these sessions, too, and no longer those with these tokens. Return and raise what `show` does."""
        wanted = {index: one for one in sessions if self._is_remote(index := index_of(one.token))}
        left = {index: token for token in gone if self._is_remote(index := index_of(token))}
        put_off = {index: one for index, one in self._put_off.items() if left.get(index) != one.token}
        surplus = [index for index, token in left.items() if self._records[index].token == token]
        return self._change(put_off | wanted, [index for index in surplus if index not in wanted], offset)

    def _change(self, wanted: dict[int, Listed], surplus: list[int], offset: float) -> set[int]:
        changed = {index: one for index, one in wanted.items() if not self._is_shown(index, one)}
        if not changed and not surplus:
            self._put_off = {index: one for index, one in self._put_off.items() if index not in wanted}
            return set()
        with self._lock:
            mine = self._own_users()
            left = [self._free(index) for index in surplus]
            came = [self._write(index, one, offset) for index, one in changed.items() if one.user not in mine]
        for index in [*wanted, *surplus]:
            self._put_off.pop(index, None)
        self._put_off |= {index: one for index, one in changed.items() if one.user in mine}
        return {table for tables in (*left, *came) for table in tables}

    def forget(self, host: int) -> set[int]:
        """Free the records of a host's sessions; return the numbers of the tables where some looked on.

        Raise `LockTimeout`.
        """
        records = self._of(host) if self._is_remote(host * self._here.span) else range(0)
        for index in self._put_off.keys() & set(records):
            del self._put_off[index]
        taken = [index for index in records if self._records[index].token]
        if not taken:
            return set()
        with self._lock:
            return {table for index in taken for table in self._free(index)}

    def _of(self, host: int) -> range:
        span = self._here.span
        return range(host * span, (host + 1) * span)

    def _is_remote(self, index: int) -> bool:
        return index < len(self._records) and not self._here.is_own(index)

    def _is_shown(self, index: int, one: Listed) -> bool:
        return self._records[index].token == one.token and self._shown.get(index) == one

    def _own_users(self) -> set[int]:
        own = self._here.records or range(0)
        records = self._records[own.start : own.stop]
        return {user for user, token in zip(column(records, USER), tokens(records), strict=True) if token}

    def _free(self, index: int) -> list[int]:
        """Free a record; return the table where its session looked on. The lock is held."""
        tables = _watched_by(self._records[index])
        self._records[index].free()
        self._shown.pop(index, None)
        return tables

    def _write(self, index: int, one: Listed, offset: float) -> list[int]:
        """Make a record this session's, as it is now; return the tables where others look on. The lock is held."""
        record = self._records[index]
        before, name = _watched_by(record), record.name
        if record.token != one.token:
            record.free()
            record.claim(REMOTE, one.token, one.peer, one.door)
        if record.peer != one.peer:
            record.peer = one.peer
        if record.user != one.user or record.name != one.name:
            record.host = one.host_name
            record.log_in(one.user, one.name, int(one.login))
        record.last_input = max(0.0, one.input - offset)
        record.x_waiting = one.waiting
        record.place = Place.unpack(one.place)
        self._shown[index] = one
        after = _watched_by(record)
        return [] if (before, name) == (after, one.name) else [*before, *after]


def _watched_by(record: Record) -> list[int]:
    """Return the table that a record's session looks on at, if there is one."""
    place = record.place
    if not record.token or place.kind != PlaceKind.WATCHING or place.table is None:
        return []
    return [place.table]
