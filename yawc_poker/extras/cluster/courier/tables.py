"""The courier's part in tables: what other hosts committed comes into this host's cells, and what was committed here is
told to the others.

Owns which version of each table the others know of, and which hosts have to know of it at once: those where somebody
sits at the table or looks on; the others see it at their next tick. A value comes by its row, never by a notification:
that says where to look, and one that is lost costs a tick, at which all versions are compared. Every value is committed
under the table's lock (`GameTable.take_over`), which this process does not wait for: whoever holds it looks at the row,
too.
"""

import logging
from collections.abc import Collection, Iterable
from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import PlaceKind, index_of
from yawc_poker.casino.store.connection import Connection, StoreError
from yawc_poker.casino.tables.table_cell import DAMAGED
from yawc_poker.extras.cluster import table_rows
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.ipc.record import Place, standing_at
from yawc_poker.ipc.semaphore import LockTimeout

log = logging.getLogger(__name__)

AT_ONCE: Final = 32
"""Tables whose values are read by one query."""


class TablesAbroad:
    """The tables of this host, as far as other hosts are concerned."""

    def __init__(self, instance: Instance, database: Connection) -> None:
        self._instance = instance
        self._here = ClusteredHost(instance.segment.head)
        self._cells = instance.segment.cells
        self._database = database
        self._known = [cell.number for cell in self._cells]
        """The newest version of each table that the others know of."""
        self._waiting: set[int] = set()
        """Tables that could not be taken over yet."""
        self._seated: dict[int, frozenset[int]] = {}
        """The hosts of those who sat at a table when it was told of last, or taken over."""

    def committed(self) -> dict[int, int]:
        """Return the tables that were committed here since the last look, with their versions."""
        found = {}
        for number, cell in enumerate(self._cells):
            version = cell.number
            if version > self._known[number]:
                self._known[number] = found[number] = version
        return found

    def audience(self, number: int) -> frozenset[int] | None:
        """Return the hosts where somebody sits at a table, or sat there before it was committed, or looks on."""
        before, seated = self._seated.get(number), self._note_seats(number)
        if before is None or seated is None:
            return None
        cell, here = self._cells[number], self._here
        near = standing_at(self._instance.segment.records, Place(PlaceKind.WATCHING, number)) if cell.watched else []
        return seated | before | {here.host_of(record.index) for record in near}

    def _note_seats(self, number: int) -> frozenset[int] | None:
        """Keep and return the hosts of those who sit at a table; None: the cell cannot be read."""
        self._seated.pop(number, None)
        try:
            seats = self._cells[number].header().seats
        except DAMAGED:
            return None
        here = self._here
        self._seated[number] = seated = frozenset(here.host_of(index_of(session)) for session in seats if session)
        return seated

    def untold(self, tables: Iterable[int]) -> None:
        """Note that the others could not be told of these tables: they are told of them at the next look."""
        for number in tables:
            self._known[number] = 0

    def compare(self) -> None:
        """Take over all tables whose rows have another version than their cells. Raise `StoreError`.

        A row may seem to be older because its table was committed here meanwhile: that is seen under the table's lock.
        """
        versions = table_rows.versions(self._database)
        self.take([number for number, version in versions.items() if self._differs(number, version)])

    def take(self, tables: Collection[int]) -> None:
        """Take over these tables as far as their rows differ, and those that could not be before.

        Raise `StoreError`.
        """
        wanted, self._waiting = sorted({*tables, *self._waiting}), set()
        for first in range(0, len(wanted), AT_ONCE):
            for number, row in table_rows.values(self._database, wanted[first : first + AT_ONCE]).items():
                if self._differs(number, row[0]):
                    self._take(number, row)

    def _differs(self, number: int, version: int) -> bool:
        return number < len(self._cells) and version != self._cells[number].number

    def _take(self, number: int, row: tuple[int, bytes]) -> None:
        try:
            self._instance.tables[number].take_over(row)
        except (LockTimeout, StoreError) as error:
            log.info("table %s is taken over later: %s", self._cells[number].name, error)
            self._waiting.add(number)
        else:
            self._known[number] = row[0]
            self._note_seats(number)
