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
from typing import Final

from msgspec.structs import replace

from yawc_poker.casino.cluster import sessions
from yawc_poker.casino.cluster.sessions import Listed, Row
from yawc_poker.casino.database.connection import Connection
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.presence.proxies import Proxies, Remote
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.ipc.record import PLACE, TOKEN, USER, WAITING, Place, column

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
        self._here = instance.here
        self._records = instance.segment.records
        self._link = link
        self._proxies = Proxies(instance.segment)
        self._written: dict[int, Row] = {}
        """What the row of each session of this host says, by token."""
        self._seen: list[list[int]] = []
        """Those words of this host's records, when all rows were up to date."""
        self._whole_at = -math.inf
        """When all of the records is looked at again, monotonic seconds."""
        self._missing: set[int] = set()
        """The sessions of persons for which no row was found; if it is not there the next time, it is written here."""

    # --- this host's sessions, for the others -------------------------------------------------------------------------

    def write(self, now: float) -> bool:
        """Bring the rows of this host's sessions up to date; return whether the others have to look.

        `now` is in monotonic seconds. Raise `StoreError`; then it is done at the next call.
        """
        own = self._instance.directory.own
        records = self._records[own.start : own.stop]
        seen = [column(records, word) for word in (TOKEN, USER, PLACE, WAITING)]
        if seen == self._seen and now < self._whole_at and not self._missing:
            return False
        is_changed = self._write_all(seen[0])
        self._seen, self._whole_at = seen, now + WHOLE_SECONDS
        return is_changed

    def _write_all(self, tokens: list[int]) -> bool:
        """Compare all records, whose tokens are these, with what their rows say, and write what differs."""
        present = {row.token: row for row in self._present(tokens)}
        changed = [row for row in present.values() if self._differs(row)]
        gone = [token for token in self._written if token not in present]
        if not changed and not gone:
            return False
        store = self._instance.accounts.store
        with store.writing() as users:
            there = sessions.update(users, changed)
            sessions.forget(users, gone)
        for token in gone:
            del self._written[token]
        missing = [row for row in changed if row.token not in there]
        due = [row for row in missing if row.user >= HOUSE_USERS.start or row.token in self._missing]
        if due:
            with store.writing() as users:  # apart, since it may wait for a login that waits for one of the former rows
                sessions.insert(users, due)
                there |= sessions.update(users, due)
        self._missing = {row.token for row in missing if row.token not in there}
        self._written |= {row.token: row for row in changed if row.token in there}
        return True

    def _present(self, tokens: list[int]) -> list[Row]:
        """Return the rows that there should be: of all who are logged in and came in this epoch."""
        found = []
        to_epoch = self._here.now() - time.monotonic()
        for index, token in zip(self._instance.directory.own, tokens, strict=True):
            one = self._records[index].snapshot() if token and self._here.is_of_epoch(token) else None
            if one is not None and one.user:
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

        Rows of this host whose sessions are gone are deleted: nobody else does it, and they keep their users out.
        """
        listed = sessions.everybody(self._link)
        own, has = self._here.number, self._instance.directory.has
        others = [_remote(one) for one in listed if one.row.host != own and self._is_sound(one)]
        self._onlookers_changed(self._proxies.show(others, self._here.offset))
        left = [one.row.token for one in listed if one.row.host == own and not has(one.row.token)]
        if left:
            log.info("the rows of %d sessions that are gone are deleted", len(left))
            with self._instance.accounts.store.writing() as users:
                sessions.forget(users, left)

    def forget(self, host: int) -> None:
        """Show the sessions of a host no longer: its lease was taken away. Raise `LockTimeout`."""
        self._onlookers_changed(self._proxies.forget(host))

    def _is_sound(self, one: Listed) -> bool:
        """Return whether a row can be shown: of a session that may live, and in the record of its host."""
        row = one.row
        fits = row.record == index_of(row.token) < len(self._records) and self._here.host_of(row.record) == row.host
        return one.in_force and fits and self._here.may_live(row.token)

    def _onlookers_changed(self, tables: set[int]) -> None:
        """Wake those at these tables and beside them, who show the names of on-lookers."""
        cells = self._instance.segment.cells
        for table in tables:
            if table < len(cells):
                Onlookers(self._instance.segment, table).changed()
        near = [one for one in self._instance.directory.people() if not one.is_remote] if tables else []
        there = [one for one in near if one.place.table in tables and (one.at_table or one.looks_on)]
        self._instance.notifier.rouse([one.index for one in there])


def _remote(one: Listed) -> Remote:
    row = one.row
    return Remote(
        token=row.token,
        user=row.user,
        name=row.name,
        peer=row.peer,
        door=row.door,
        place=Place.unpack(row.place),
        login=row.login,
        input=row.input,
        waiting=row.waiting,
        host=one.host,
    )
