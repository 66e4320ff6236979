"""What the listener does for sessions whose process ended without tidying up.

Owns the list of deaths that are not seen to yet: a record to be freed, then a table to be rung. Waits for no lock, for
meanwhile the listener would accept nobody; what cannot be done at once is tried again, with an eye on who keeps the
lock. The periodic purge of the sessions does the same, later, so nothing is lost with this list.
"""

import logging

from yawc_poker.casino import counters
from yawc_poker.casino.presence.directory import Directory, SessionInfo
from yawc_poker.ipc import process, signals
from yawc_poker.ipc.broadcast import Command, Kind, Ring
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import LockGone, LockTimeout

log = logging.getLogger(__name__)


class Undertaker:
    """The deaths of sessions, each seen to once."""

    def __init__(self, segment: Segment, directory: Directory, tally: Tally) -> None:
        self._segment = segment
        self._directory = directory
        self._ring = Ring(segment)
        self._tally = tally
        self._dead: list[SessionInfo] = []
        self._left_seats: list[SessionInfo] = []

    def take(self, pid: int) -> None:
        """A process ended without tidying up."""
        everybody = self._directory.everybody()
        self._dead += [one for one in everybody if one.identity.pid == pid and not process.is_alive(one.identity)]

    def work(self) -> bool:
        """Free records, have seats looked after, as far as that takes no waiting; False if something is left to do."""
        try:
            self._dead = [one for one in self._dead if not self._bury(one)]
            self._left_seats = [one for one in self._left_seats if not self._ring_for_purge(one)]
            if self._dead or self._left_seats:
                self._segment.watch_over()
        except LockGone as error:
            log.error("somebody removed the segment of this BBS: %s", error)
            self._dead, self._left_seats = [], []
        return not (self._dead or self._left_seats)

    def _bury(self, person: SessionInfo) -> bool:
        try:
            if self._directory.free_dead(person, timeout=0.0):
                self._tally.count(counters.DIED)
                self._left_seats += [person] if person.at_table else []
        except LockTimeout:
            return False
        return True

    def _ring_for_purge(self, dead: SessionInfo) -> bool:
        """Ring those at the dead one's table; if nobody is left there, anybody who is here."""
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
