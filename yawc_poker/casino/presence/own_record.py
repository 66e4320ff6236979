"""What a session writes into its own record of the directory, for the others to read.

Owns the record as long as it bears this session's token. Takes no lock: each fact is one word that only this session
writes, or the peer, which others read until two readings agree. The exceptions are the reason to end, and until when
the user may not write: others set them, under the directory's lock (`Directory.end`, `Directory.mute`).
"""

import math
import time
from enum import IntEnum

from yawc_poker.casino.presence.directory import Directory, PlaceKind, index_of
from yawc_poker.ipc.broadcast import NewCommands, Passing, Ring
from yawc_poker.ipc.record import Place, Record


class EndReason(IntEnum):
    """Why a session shall end, as written in its record."""

    NONE = 0
    REPLACED = 1
    BY_SYSOP = 2
    """The record's word holds the number of the sysop action that gives the reason, above `REASON_BITS`."""
    FENCED = 3
    """The host's lease was taken away: nothing that the session does counts any more."""
    CROWDED = 4
    """It has not logged in, and others want to come in (`Directory.end_stranger`)."""


REASON_BITS = 8


class OwnRecord:
    """This session's record."""

    def __init__(self, directory: Directory, record: Record) -> None:
        self._directory = directory
        self._record = record
        self.token = record.token
        self.index = index_of(self.token)

    def live(self) -> Record | None:
        """Return the record; None if it is no longer this session's."""
        return self._record if self._record.token == self.token else None

    def unchanged_words(self) -> dict[int, int]:
        """Return the words whose values show that there is nothing new in head, record and ring."""
        return self._record.unchanged_words(self.token)

    def read(self, ring: Ring) -> NewCommands:
        """Return the commands of the ring for this session since the last look, and note that they were read."""
        return ring.read(self._record)

    def follow(self, ring: Ring) -> tuple[list[Passing], bool]:
        """Return all commands of the ring since the last look, whoever they are for, and whether some are lost."""
        return ring.follow(self._record)

    def give_back(self) -> None:
        """Free the record, if it is still this session's."""
        self._directory.leave(self._record, self.token)

    def touch(self, now: float) -> None:
        """Note a key press; `now` in monotonic seconds."""
        self._record.last_input = now

    def count_waiting(self, messages: int) -> None:
        """Note how many X-messages wait for this session's user."""
        self._record.x_waiting = messages

    def show_waiting(self, waits: bool) -> None:
        """Note that this session waits for a lock or is in the bank, or that it just did or was."""
        self._record.last_wait = math.inf if waits else time.monotonic()

    def stand_at(self, kind: PlaceKind, table: int | None = None, seat: int | None = None) -> None:
        """Note where this session is."""
        self._record.place = Place(kind, table, seat)

    def call_from(self, peer: str, carrier: int = 0) -> bool:
        """Note where the caller calls from now, and by which process (0: none); return whether that is new."""
        record = self.live()
        if record is None or (record.peer == peer and record.carrier == carrier):
            return False
        record.carrier = carrier
        record.peer = peer
        return True

    @property
    def muted_until(self) -> float:
        """Until when this session's user may not write to others: epoch seconds; infinite: for ever, 0: they may."""
        return self._record.muted_until

    @muted_until.setter
    def muted_until(self, until: float) -> None:
        if self.live() is not None:
            self._record.muted_until = until
