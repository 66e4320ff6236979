"""Commands between sessions: post into the broadcast area, then wake the addressees.

Owns the order *commit, unlock, then signal*: `tell` is called without a lock. The receiver decides what a command
means; the data are in shared memory or in the database, so a command that comes twice or late does no harm.

A command to a session of another host is posted here, too: this host's courier is woken instead, reads it in the ring,
and passes it on.
"""

import logging
from collections.abc import Sequence

from yawc_poker.casino import counters
from yawc_poker.casino.presence.directory import Directory
from yawc_poker.casino.presence.own_record import OwnRecord
from yawc_poker.ipc.broadcast import ADDRESSEES, Command, Kind, NewCommands, Ring
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.ipc.signals import Waker

log = logging.getLogger(__name__)


class Notifier:
    """Sends this session's commands to others and receives theirs."""

    def __init__(self, directory: Directory, ring: Ring, own: OwnRecord, tally: Tally) -> None:
        self.tally = tally
        """What this session counts (`casino.counters`)."""
        self.woken = 0
        """How often other sessions were woken about something particular: each time they had work to do."""
        self.own = own
        self.token, self.index = own.token, own.index
        self._directory = directory
        self._ring = ring
        self._waker = Waker()

    def close(self) -> None:
        """Close the descriptors."""
        self._waker.close()

    # --- commands -----------------------------------------------------------------------------------------------------

    def tell(self, kind: Kind, to: Sequence[int], table: int | None = None, payload: bytes = b"") -> None:
        """Post a command to the sessions of these records (not to oneself) and wake them. Hold no lock."""
        others = [index for index in to if index != self.index]
        for first in range(0, len(others), ADDRESSEES):
            self._tell(Command(kind, table, self.token, self.index, payload), others[first : first + ADDRESSEES])

    def _tell(self, command: Command, to: Sequence[int]) -> None:
        self._post(command, to)
        self.woken += self._wake_those(to)

    def rouse(self, to: Sequence[int]) -> None:
        """Wake the sessions of these records (not oneself) without a command: they know what to look at.

        No slot of the ring waits for them. Those of other hosts look when their courier has seen what the local one is
        woken for. Hold no lock.
        """
        self._wake_those([index for index in to if index != self.index])

    def tell_all(self, kind: Kind, payload: bytes = b"", table: int | None = None, *, tables: bool = False) -> None:
        """Post an ordinary message to everybody at a prompt, with `tables` also at tables; it waits for no reader."""
        self.pass_on(Command(kind, table, self.token, self.index, payload), None, tables=tables)
        self.call_courier()

    def pass_on(self, command: Command, to: Sequence[int] | None, *, tables: bool = False) -> None:
        """Post a command, perhaps another session's, to sessions of this host, and wake them. Hold no lock.

        None: to everybody; those at a prompt are woken, with `tables` also those at tables.
        """
        self._post(command, to)
        if to is not None:
            self._wake_those(to)
            return
        for person in self._directory.people():
            if person.index != self.index and not person.is_remote and (person.at_prompt or tables):
                self._wake(person.identity)

    def call_courier(self) -> None:
        """Wake this host's courier, if there is one: it has to see something that concerns other hosts."""
        courier = self._directory.here.courier
        if courier is not None:
            self._wake(courier)

    def _wake_those(self, to: Sequence[int]) -> int:
        """Wake the sessions of these records, and for those of other hosts the courier; return how many there are."""
        found, is_remote = 0, False
        for index in to:
            identity = self._directory.whose(index)
            if identity is None:
                continue
            found += 1
            if identity.pid:
                self._wake(identity)
            else:
                is_remote = True
        if is_remote:
            self.call_courier()
        return found

    def _wake(self, identity: Identity) -> None:
        """Wake a session; without a descriptor for that, it looks at its next tick."""
        try:
            self._waker.wake(identity)
        except OSError as error:
            log.error("session %d could not be woken: %s", identity.pid, error)

    def _post(self, command: Command, to: Sequence[int] | None) -> None:
        """Post; if the lock is busy the command is lost, but not what it tells of, which is stored elsewhere."""
        try:
            self._ring.post(command, to)
        except (LockTimeout, OSError) as error:  # OSError: no descriptor to check an addressee with
            log.error("a command of kind %d could not be posted: %s", command.kind, error)
        else:
            self.tally.count(counters.COMMANDS[command.kind])

    def read(self) -> NewCommands:
        """Return the commands for this session since the last look."""
        reading = self.own.read(self._ring)
        if reading.overrun:
            self.tally.count(counters.OVERRUNS)
        return reading
