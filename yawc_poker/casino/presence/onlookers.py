"""Who looks on at a table: the sessions whose place in the directory is beside it.

Owns how they are found, and the word of the table's cell that tells others whether to look for them (`Cell.watched`).
An on-looker who dies is gone with their record; nothing at the table has to be given back. Takes no lock.

The word is 0 while nobody looks on, and another number after each coming and going. So a commit costs one word more
than without on-lookers, and a session that shows their names looks for them when the number has changed. Those who come
change their place first and then the word; who finds nobody sets it to 0 and looks once more. In whatever order these
steps fall, the word is not 0 while somebody looks on, except for the moment between the 0 and the second look: a commit
that falls into it wakes nobody here, and the on-looker sees it at their next tick.
"""

import time

from yawc_poker.casino.presence.directory import PlaceKind, SessionInfo
from yawc_poker.casino.presence.own_record import OwnRecord
from yawc_poker.ipc.record import Place, Record, standing_at
from yawc_poker.ipc.segment import Segment


class Onlookers:
    """The on-lookers of one table."""

    __slots__ = ("_cell", "_place", "_records")

    def __init__(self, segment: Segment, table: int) -> None:
        """`table` is the number of the table in the segment."""
        self._cell = segment.cells[table]
        self._records = segment.records
        self._place = Place(PlaceKind.WATCHING, table)

    @property
    def state(self) -> int:
        """0: nobody looks on. Else a number that is another one after each coming and going."""
        return self._cell.watched

    def indexes(self) -> list[int]:
        """Return the records of those who look on."""
        return [record.index for record in self._there()] if self._cell.watched else []

    def names(self) -> tuple[str, ...]:
        """Return the names of those who look on, without regard to case in alphabetical order."""
        if not self._cell.watched:
            return ()
        return tuple(sorted([record.name for record in self._there()], key=str.casefold))

    def come(self, own: OwnRecord) -> None:
        """Note that this session looks on from now on. It has to look at the table's value after that."""
        own.stand_at(PlaceKind.WATCHING, self._place.table)
        self.changed()

    def go(self, own: OwnRecord) -> None:
        """Note that this session does not look on any more."""
        own.stand_at(PlaceKind.PROMPT)
        self.changed()

    def changed(self) -> None:
        """Tell others that somebody came, or went, or has died."""
        self._cell.watched = time.monotonic_ns()
        if self._there():
            return
        self._cell.watched = 0
        if self._there():  # one who came between the look and the 0, and may have set the word before it
            self._cell.watched = time.monotonic_ns()

    def _there(self) -> list[Record]:
        return standing_at(self._records, self._place)


def has_died(segment: Segment, person: SessionInfo) -> None:
    """Tell others of an on-looker who has died, once their record is free; do nothing for anybody else."""
    table = person.place.table
    if person.looks_on and table is not None and table < len(segment.cells):
        Onlookers(segment, table).changed()
