"""Commands between sessions: post into the broadcast area, then ring the bells.

Owns this process's identity in the segment (record, token) and the order *commit, unlock, then signal*: whoever calls
`tell` holds no lock. What a command means is up to who receives it; the data are in shared memory or in the database,
so a command that comes twice or late does no harm.
"""

import logging
import math
import time
from collections.abc import Sequence
from enum import IntEnum

from yawc_poker.casino import counters
from yawc_poker.casino.presence.directory import Directory, PlaceKind, index_of
from yawc_poker.ipc.broadcast import ADDRESSEES, Command, Kind, NewCommands, Ring
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import Place, Record
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.ipc.signals import Waker

log = logging.getLogger(__name__)


class EndReason(IntEnum):
    """Why a session shall end, as written in its record."""

    NONE = 0
    REPLACED = 1
    BY_SYSOP = 2
    """The record's word holds the number of the act that says why, above `REASON_BITS`."""


REASON_BITS = 8


class Notifier:
    """This session's post office."""

    def __init__(self, directory: Directory, ring: Ring, record: Record, tally: Tally) -> None:
        self.tally = tally
        """What this session counts (`casino.counters`)."""
        self.rung = 0
        """How often somebody else was rung about something particular: each time he had something to do."""
        self._directory = directory
        self._ring = ring
        self._record = record
        self._waker = Waker()
        self.token = record.token
        self.index = index_of(self.token)

    # --- one's own record ---------------------------------------------------------------------------------------------

    def my_record(self) -> Record | None:
        """Give the own record; None if it is no longer this session's."""
        return self._record if self._record.token == self.token else None

    def unchanged_words(self) -> dict[int, int]:
        """Return the words whose values say that there is nothing new in head, own record and ring."""
        return self._record.unchanged_words(self.token)

    def leave(self) -> None:
        """Give the own record back."""
        self._directory.leave(self._record, self.token)
        self._waker.close()

    def touch(self, now: float) -> None:
        """Note a key press; `now` in monotonic seconds."""
        self._record.last_input = now

    def count_waiting(self, messages: int) -> None:
        """Note how many X-messages wait for this session's user."""
        self._record.x_waiting = messages

    @property
    def muted_until(self) -> float:
        """Until when this session's user may not write to others, epoch seconds; infinite: for ever, 0: he may."""
        return self._record.muted_until

    @muted_until.setter
    def muted_until(self, until: float) -> None:
        if self.my_record() is not None:
            self._record.muted_until = until

    def show_waiting(self, waits: bool) -> None:
        """Note that this session waits for a lock or is in the bank, or just did or was."""
        self._record.last_wait = math.inf if waits else time.monotonic()

    def stand_at(self, kind: PlaceKind, table: int | None = None, seat: int | None = None) -> None:
        """Note where this session is."""
        self._record.place = Place(kind, table, seat)

    # --- commands -----------------------------------------------------------------------------------------------------

    def tell(self, kind: Kind, to: Sequence[int], table: int | None = None, payload: bytes = b"") -> None:
        """Post a command to the sessions of these records (not to oneself) and ring them. Hold no lock."""
        others = [index for index in to if index != self.index]
        for first in range(0, len(others), ADDRESSEES):
            self._tell(Command(kind, table, self.token, self.index, payload), others[first : first + ADDRESSEES])

    def _tell(self, command: Command, to: Sequence[int]) -> None:
        self._post(command, to)
        for index in to:
            identity = self._directory.whose(index)
            if identity is not None:
                self._wake(identity)
                self.rung += 1

    def tell_all(self, kind: Kind, payload: bytes = b"", *, tables: bool = False) -> None:
        """Post an ordinary message to everybody at a prompt, and at the `tables`; it waits for no reader."""
        self._post(Command(kind, None, self.token, self.index, payload), None)
        for person in self._directory.people():
            if person.index != self.index and (person.at_prompt or tables):
                self._wake(person.identity)

    def _wake(self, identity: Identity) -> None:
        """Ring; where there is no descriptor for that, he looks at his next tick."""
        try:
            self._waker.wake(identity)
        except OSError as error:
            log.error("session %d could not be rung: %s", identity.pid, error)

    def _post(self, command: Command, to: Sequence[int] | None) -> None:
        """Post; where the lock is not to be had the command is lost, what it tells of is not: it stands elsewhere."""
        try:
            self._ring.post(command, to)
        except (LockTimeout, OSError) as error:  # the latter: whether an addressee lives cannot be seen
            log.error("a command of kind %d could not be posted: %s", command.kind, error)
        else:
            self.tally.count(counters.COMMANDS[command.kind])

    def read(self) -> NewCommands:
        """Read the commands for this session since the last look."""
        reading = self._ring.read(self._record)
        if reading.overrun:
            self.tally.count(counters.OVERRUNS)
        return reading
