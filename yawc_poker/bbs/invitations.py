"""Invitations of house players, as the listener sees them: which tables wait for a process.

Owns the sum: how many each table waits for, less the processes that are on their way there. Takes no lock, decodes no
table, and forks nothing. A process is on its way from its fork until it stands at a table in the directory, or ends.
One too many does no harm: the table has no invitation left for it.
"""

from collections import Counter

from yawc_poker.casino.presence.directory import Directory, SessionInfo
from yawc_poker.casino.presence.places import Entrance, places
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.ipc.segment import Segment


class Invitations:
    """The invitations of one BBS."""

    def __init__(self, segment: Segment, directory: Directory) -> None:
        self._segment = segment
        self._directory = directory
        self._on_the_way: dict[int, int] = {}
        """The table of each process that was forked for one, by pid."""

    def note(self, pid: int, table: int) -> None:
        """Note that a process was forked for a table."""
        self._on_the_way[pid] = table

    def ended(self, pid: int) -> None:
        """Note that a process has ended."""
        self._on_the_way.pop(pid, None)

    def wanted(self, most: int) -> list[int]:
        """Return the table of each process to be forked now; `most` is the greatest number of house players."""
        waiting = {cell.index: count for cell in self._segment.cells if (count := _invited(cell))}
        if not waiting:
            return []
        here = self._here()
        seated = {one.identity.pid for one in here if one.at_table}
        self._on_the_way = {pid: table for pid, table in self._on_the_way.items() if pid not in seated}
        coming = Counter(self._on_the_way.values())
        tables = [table for table, count in waiting.items() for _ in range(count - coming[table])]
        room = min(most, len(places(self._segment, Entrance.HOUSE)))
        return tables[: max(room - len({one.identity.pid for one in here} | self._on_the_way.keys()), 0)]

    def _here(self) -> list[SessionInfo]:
        """Return the house players that are in the directory."""
        found = map(self._directory.at, places(self._segment, Entrance.HOUSE))
        return [one for one in found if one is not None]


def _invited(cell: Cell) -> int:
    """Return how many house players a table waits for; none where it is damaged."""
    try:
        return min(cell.header().invited, cell.seats)
    except TornRead:
        return 0
