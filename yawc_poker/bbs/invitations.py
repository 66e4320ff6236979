"""Invitations of house players, as the listener sees them: which tables wait for a process.

Owns the sum: how many each table waits for, less the processes that are on their way there. Takes no lock, decodes no
table, and forks nothing. A process is on its way from its fork until it stands at a table in the directory, or ends.
One too many does no harm: the table has no invitation left for it.

Where several hosts are one casino, a table's house players come from the host of the person in its lowest seat.
"""

from collections import Counter

from yawc_poker.casino.presence.directory import Directory, SessionInfo, index_of
from yawc_poker.casino.presence.entrances import Entrance, is_house_players, records_for
from yawc_poker.ipc.cell import Cell, Header, TornRead
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
        waiting = {cell.index: count for cell in self._segment.cells if (count := self._invited(cell))}
        if not waiting:
            return []
        here = self._here()
        seated = {one.identity.pid for one in here if one.at_table}
        self._on_the_way = {pid: table for pid, table in self._on_the_way.items() if pid not in seated}
        coming = Counter(self._on_the_way.values())
        tables = [table for table, count in waiting.items() for _ in range(count - coming[table])]
        room = min(most, len(records_for(self._segment, Entrance.HOUSE)))
        return tables[: max(room - len({one.identity.pid for one in here} | self._on_the_way.keys()), 0)]

    def _here(self) -> list[SessionInfo]:
        """Return the house players that are in the directory."""
        found = map(self._directory.at, records_for(self._segment, Entrance.HOUSE))
        return [one for one in found if one is not None]

    def _invited(self, cell: Cell) -> int:
        """Return for how many house players a table waits that are this host's to send; none where it is damaged."""
        try:
            header = cell.header()
        except TornRead:
            return 0
        return min(header.invited, cell.seats) if header.invited and self._is_ours(header) else 0

    def _is_ours(self, header: Header) -> bool:
        """Return whether this host has the person in the lowest seat."""
        if not self._directory.here.is_clustered:
            return True
        seated = [index_of(token) for token in header.seats if token]
        persons = [index for index in seated if not is_house_players(self._segment, index)]
        return self._directory.here.is_own((persons or seated or [0])[0])
