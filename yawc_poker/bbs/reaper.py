"""The reaper: the listener's part in cleaning up after sessions whose process died.

Owns the list of deaths that are not dealt with yet: a record to be freed, then the sessions at a table to be woken.
Waits for no lock, since the listener would accept nobody meanwhile; a step that cannot be done at once is tried again,
while the lock's holder is watched. The periodic purge of the sessions does the same, later, so nothing is lost with
this list.
"""

import logging

from yawc_poker.casino import counters
from yawc_poker.casino.presence import onlookers
from yawc_poker.casino.presence.directory import Directory, SessionInfo
from yawc_poker.ipc import process, signals
from yawc_poker.ipc.broadcast import Command, Kind, Ring
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import LockGone, LockTimeout

log = logging.getLogger(__name__)


class Reaper:
    """The deaths of sessions, each dealt with once."""

    def __init__(self, segment: Segment, directory: Directory, tally: Tally) -> None:
        self._segment = segment
        self._directory = directory
        self._ring = Ring(segment)
        self._tally = tally
        self._dead: list[SessionInfo] = []
        self._left_seats: list[SessionInfo] = []

    def take(self, pid: int) -> None:
        """Note that a process ended without tidying up."""
        everybody = self._directory.everybody()
        self._dead += [one for one in everybody if one.identity.pid == pid and not process.is_alive(one.identity)]

    def work(self) -> bool:
        """Free records and have seats purged, as far as that takes no waiting; return whether all is done."""
        try:
            self._dead = [one for one in self._dead if not self._free(one)]
            self._left_seats = [one for one in self._left_seats if not self._wake_for_purge(one)]
            if self._dead or self._left_seats:
                self._segment.check_locks()
        except LockGone as error:
            log.error("somebody removed the segment of this BBS: %s", error)
            self._dead, self._left_seats = [], []
        return not (self._dead or self._left_seats)

    def _free(self, person: SessionInfo) -> bool:
        try:
            if self._directory.free_dead(person, timeout=0.0):
                self._tally.count(counters.DIED)
                onlookers.has_died(self._segment, person)
                self._left_seats += [person] if person.at_table or person.looks_on else []
        except LockTimeout:
            return False
        return True

    def _wake_for_purge(self, dead: SessionInfo) -> bool:
        """Wake the sessions at the dead one's table; if none is left there, any session.

        Those at the table of one who looked on show their name no longer.
        """
        others = [one for one in self._directory.people() if process.is_alive(one.identity)]
        there = [one for one in others if one.at_table and one.place.table == dead.place.table]
        told = there or others[:1]
        try:
            if told:
                self._ring.post(Command(Kind.PURGE, dead.place.table), [one.index for one in told], wait=False)
                self._tally.count(counters.COMMANDS[Kind.PURGE])
        except LockTimeout:
            return False
        for one in told:
            signals.wake(one.identity)
        return True
