"""The courier's part in the directory: this host's sessions are written into rows, and those of other hosts' rows have
records here.

Owns what this process knows of its own host's rows: which sessions have one, and what it says. A person's session
writes its row itself when it logs in, before it counts as logged in, and deletes it when it leaves; everything else
about rows of this host is done here. Those of guests and house players are written here, too. A row tells where
somebody is; that a key was pressed is written now and then only, since it happens all the time.
"""

import logging
import math
import time
from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.extras.cluster import sessions
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.remote_sessions import RemoteSessions
from yawc_poker.extras.cluster.sessions import Listed, Roster, Row
from yawc_poker.ipc.record import LAST_INPUT, PEER, PLACE, TOKEN, USER, WAITING, column

log = logging.getLogger(__name__)

INPUT_SECONDS: Final = 30.0
"""How exactly other hosts know when somebody pressed a key last."""
WHOLE_SECONDS: Final = 0.9
"""How long a look at four words of each record is enough: this process wakes at each commit, and most move nobody."""


class Neighbours:
    """The sessions of this host, as others know them, and of others, as they are known here."""

    def __init__(self, instance: Instance, link: Connection) -> None:
        """`link` is the courier's connection, whose statements are transactions of their own; rows are read by it."""
        self._instance = instance
        self._here = ClusteredHost(instance.segment.head)
        self._records = instance.segment.records
        self._link = link
        self._remote = RemoteSessions(instance.segment)
        self._written: dict[int, Row] = {}
        """What the row of each session of this host says, by token."""
        self._seen: list[list[int]] = []
        """Those words of this host's records, when all rows were up to date; none: this process has just begun."""
        self._pressed: list[int] = []
        """When the caller of each of these records had pressed a key last, when its row was written."""
        self._peers: list[tuple[int, ...]] = []
        """Where each of them called from, when that was looked at."""
        self._whole_at = -math.inf
        """When that is looked at again, monotonic seconds."""
        self._missing: set[int] = set()
        """The sessions of persons for which no row was found; if it is not there the next time, it is written here."""
        self._known: dict[int, tuple[int, int]] = {}
        """Epoch and number of the last change of each other host that is shown here."""

    # --- this host's sessions, for the others -------------------------------------------------------------------------

    def write(self, now: float) -> bool:
        """Bring the rows of this host's sessions up to date; return whether the others have to look.

        `now` is in monotonic seconds. Raise `StoreError`; then it is done at the next call.
        """
        own = self._instance.directory.own
        records = self._records[own.start : own.stop]
        seen = [column(records, word) for word in (TOKEN, USER, PLACE, WAITING)]
        is_whole, is_first = now >= self._whole_at, not self._seen
        if seen == self._seen and not is_whole and not self._missing:
            return False
        at = self._changed(seen)
        pressed, peers = column(records, LAST_INPUT), self._peers
        if is_whole:
            peers = [*zip(*(column(records, word) for word in PEER), strict=True)]
            at = sorted({*at, *self._changed_slowly(pressed, peers)})
        left = self._written.keys() - seen[0]
        changed = self._write_changes(at, left, is_first=is_first)
        if is_whole:
            self._whole_at = now + WHOLE_SECONDS
        self._pressed = self._pressed or pressed
        for row in changed or ():
            self._pressed[row.record - own.start] = pressed[row.record - own.start]
        self._seen, self._peers = seen, peers
        return changed is not None

    def _changed(self, seen: list[list[int]]) -> list[int]:
        """Return which of this host's records, from 0, have to be compared with their rows."""
        if not self._seen:
            return [at for at, token in enumerate(seen[0]) if token]
        first = self._instance.directory.own.start
        found = {index_of(token) - first for token in self._missing}
        if seen != self._seen:
            pairs = zip(zip(*seen, strict=True), zip(*self._seen, strict=True), strict=True)
            found.update(at for at, (now, before) in enumerate(pairs) if now != before)
        return sorted(found)

    def _changed_slowly(self, pressed: list[int], peers: list[tuple[int, ...]]) -> list[int]:
        """Return those of which nobody has to know at once: who pressed a key, or calls from elsewhere."""
        if not self._pressed:
            return []
        least = INPUT_SECONDS * 1000
        moments = zip(pressed, self._pressed, strict=True)
        found = [at for at, (now, before) in enumerate(moments) if abs(now - before) > least]
        return found + [at for at, (now, before) in enumerate(zip(peers, self._peers, strict=False)) if now != before]

    def _write_changes(self, at: list[int], left: Collection[int], *, is_first: bool) -> list[Row] | None:
        """Write the rows of these records as far as they differ, and delete those of the sessions that have left.

        Return the rows that differed; None: nothing was to be done.
        """
        rows = self._present(at)
        changed = [row for row in rows if self._differs(row)]
        own, present = self._instance.directory.own, {row.token for row in rows}
        tokens = [self._records[own.start + place].token for place in at]
        gone = [*left, *(token for token in tokens if token in self._written and token not in present)]
        if not changed and not gone and not is_first:
            return None
        store, here = self._instance.accounts.store, self._here
        with store.writing() as users:
            number = sessions.begin_change(users, here.number, here.epoch, forgets=is_first)
            if is_first:
                listed = sessions.of_host(users, here.number)
                gone += [one.token for one in listed if not self._instance.directory.has(one.token)]
            there = sessions.update(users, changed, number)
            sessions.depart(users, here.number, gone, number)
        for token in gone:
            self._written.pop(token, None)
        missing = [row for row in changed if row.token not in there]
        due = [row for row in missing if row.user >= HOUSE_USERS.start or row.token in self._missing]
        if due:
            with store.writing() as users:  # apart, since it may wait for a login that waits for one of the former rows
                number = sessions.begin_change(users, here.number, here.epoch)
                sessions.insert(users, due)
                there |= sessions.update(users, due, number)
        self._missing = {row.token for row in missing if row.token not in there}
        self._written |= {row.token: row for row in changed if row.token in there}
        return changed

    def _present(self, at: list[int]) -> list[Row]:
        """Return the rows that there should be of these records: of all who are logged in and came in this epoch."""
        found = []
        own, to_epoch = self._instance.directory.own, self._here.now() - time.monotonic()
        for index in (own.start + place for place in at):
            one = self._records[index].state()
            if one is not None and one.user and self._here.is_of_epoch(one.token):
                row = Row(
                    record=index,
                    token=one.token,
                    host=self._here.number,
                    epoch=self._here.epoch,
                    user=one.user,
                    name=one.name,
                    peer=one.peer,
                    door=one.door,
                    place=one.place.pack(),
                    login=float(one.login_time),
                    input=one.last_input + to_epoch,
                    waiting=one.x_waiting,
                )
                found.append(row)
        return found

    def _differs(self, row: Row) -> bool:
        known = self._written.get(row.token)
        if known is None or replace(row, input=known.input) != known:
            return True
        return abs(row.input - known.input) > INPUT_SECONDS

    # --- the others' sessions, here -----------------------------------------------------------------------------------

    def read(self) -> None:
        """Show the sessions of other hosts, as the rows say now, in this directory. Raise `StoreError`, `LockTimeout`.

        Only what has changed is read. Rows of this host whose sessions are gone before this process saw them are
        deleted: nobody else does it, and they keep their users out.
        """
        own, has = self._here.number, self._instance.directory.has
        tables: set[int] = set()
        for roster in sessions.rosters(self._link):
            if roster.host != own and self._known.get(roster.host) != (roster.epoch, roster.change):
                tables |= self._show(roster)
        self._onlookers_changed(tables)
        left = [token for token in sessions.unseen(self._link, own) if not has(token)]
        if left:
            log.info("the rows of %d sessions that are gone are deleted", len(left))
            with self._instance.accounts.store.writing() as users:
                sessions.forget(users, left)

    def _show(self, roster: Roster) -> set[int]:
        """Show what is new on another host; return the tables where others look on than before."""
        epoch, change = self._known.pop(roster.host, (0, 0))
        offset = self._here.offset
        if epoch != roster.epoch or change < roster.kept:
            listed = sessions.of_host(self._link, roster.host)
            tables = self._remote.show(filter(self._is_sound, listed), offset, roster.host)
        else:
            gone = sessions.departed(self._link, roster.host, change)
            listed = sessions.of_host(self._link, roster.host, change)
            tables = self._remote.change(filter(self._is_sound, listed), gone, offset)
        self._known[roster.host] = (roster.epoch, roster.change)
        return tables

    def forget(self, host: int) -> None:
        """Show the sessions of a host no longer: its lease was taken away. Raise `LockTimeout`."""
        self._known.pop(host, None)
        self._onlookers_changed(self._remote.forget(host))

    def _is_sound(self, one: Listed) -> bool:
        """Return whether a row can be shown: of a session that may live, and in the record of its host."""
        fits = one.record == index_of(one.token) < len(self._records) and self._here.host_of(one.record) == one.host
        return one.in_force and fits and self._here.may_live(one.token)

    def _onlookers_changed(self, tables: set[int]) -> None:
        """Wake those at these tables and beside them, who show the names of on-lookers."""
        cells = self._instance.segment.cells
        for table in tables:
            if table < len(cells):
                Onlookers(self._instance.segment, table).changed()
        near = [one for one in self._instance.directory.people() if not one.is_remote] if tables else []
        there = [one for one in near if one.place.table in tables and (one.at_table or one.looks_on)]
        self._instance.notifier.rouse([one.index for one in there])
