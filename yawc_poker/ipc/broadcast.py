"""Commands between sessions: a ring of numbered slots in the segment, with a cursor per reader.

Owns posting and reading. Rings no bell: the caller signals after everything is committed and unlocked. A command says
"look"; what there is to see lies in the table's value, so that a reader who was overrun re-reads that and has missed
nothing.

How a slot is unlocked (spec/poker.md, the original's 350 ms): in `acknowledged` mode when every session the command was
addressed to has read it, or is gone, or after `unlock_ms` at the latest. In `timed` mode there is one slot and it stays
locked for the whole `unlock_ms`, read or not. A command to everybody (login, logout) is unlocked at once in both.

Invariants: numbers rise by one and are given under the broadcast lock; number n lies in slot n modulo the slots; a slot
whose number is not n does not hold n. A sender that dies half-way has not moved the head word: nobody reads that slot,
and the next sender fills it anew.
"""

import struct
import time
from collections.abc import Sequence
from enum import IntEnum
from typing import Final
from zlib import crc32

import msgspec

from yawc_poker.ipc import process
from yawc_poker.ipc.layout import SLOT_HEAD_BYTES, Block, Word
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import TIMEOUT, LockTimeout

ADDRESSEES: Final = 16
"""Sessions one command can be addressed to; more are reached by addressing all."""
_ALL: Final = 0xFFFF
_RETRY_SECONDS: Final = 0.001

# A slot: these eight words, a checksum over all the rest, the addressees' records, the payload.
# number, kind, table + 1, sender's token, sender's record + 1, posted at in µs, addressees (_ALL: everybody), bytes.
_FIELDS = struct.Struct("=8Q")
_CHECK = struct.Struct("=Q")
_HEAD = struct.Struct("=9Q")
_LIST = struct.Struct(f"={ADDRESSEES}H")
_NOBODY = (0,) * ADDRESSEES
_LIST_AT = _FIELDS.size + _CHECK.size
assert _LIST_AT + _LIST.size == SLOT_HEAD_BYTES


class Kind(IntEnum):
    """What a command is about. Any other number up to 64 bits is moved just the same."""

    TABLE = 1
    """A table was committed."""
    XMESSAGE = 2
    """A message waits for you."""
    NOTICE = 3
    """Somebody came or went."""
    END = 4
    """Your record says why you shall end."""
    PURGE = 5
    """A session died: look for its seats."""
    SYSOP = 6
    """A sysop did something that concerns you: look at the acts."""


class Command(msgspec.Struct, frozen=True):
    """One message. `number` and `posted_at` are filled in by the ring."""

    kind: int
    table: int | None = None
    sender: int = 0
    """The sender's session token; 0: not a session."""
    record: int | None = None
    """The sender's record."""
    payload: bytes = b""
    number: int = 0
    posted_at: float = 0.0
    """Monotonic seconds."""


class Reading(msgspec.Struct, frozen=True):
    """What was new. `overrun`: something may have been overwritten unread; load your table whatever its number says."""

    commands: tuple[Command, ...]
    overrun: bool


class Ring:
    """The ring of a segment, for posting and for reading."""

    def __init__(self, segment: Segment) -> None:
        self._head = segment.head
        self._lock = segment.broadcast_lock
        self._records = segment.records
        self._memory = segment.memory
        self._layout = segment.layout
        self._slot_bytes = segment.layout.slot_bytes
        base, step = segment.layout.ring_at // 8, segment.layout.slot_bytes // 8
        self._slots = tuple(_Slot(segment.words, base + step * index) for index in range(segment.layout.slots))

    @property
    def posted(self) -> int:
        """Number of the last command posted; a look at it tells whether there is anything to read."""
        return self._head.posted

    def post(self, command: Command, to: Sequence[int] | None, *, wait: bool = True) -> int:
        """Put a command into the ring and give its number; `to` names records, None means everybody.

        The sender's own record is left out of `to`. Waits, without the lock, while the slot is still locked: about
        `unlock_ms` at most. Hold no other lock. Raises `ValueError` for a payload or a list that does not fit, and what
        a `Mutex` raises; with `wait` false, `LockTimeout` rather than to wait at all.
        """
        addressees = None if to is None else tuple([index for index in to if index != command.record])
        self._check(command, addressees or ())
        waited = 0
        while True:
            self._lock.acquire(TIMEOUT if wait else 0.0)
            try:
                number = self._head.posted + 1
                slot = self._slots[number % self._size]
                rest = self._locked_for(number, slot)
                if rest <= 0:
                    self._fill(number, slot, command, addressees)
                    self._head.waits += waited
                    return number
            finally:
                self._lock.release()
            if not wait:
                raise LockTimeout(self._lock.name, self._lock.holder)
            waited = 1
            time.sleep(rest)

    def read(self, record: Record) -> Reading:
        """Read, without a lock, what was posted since this record's cursor, and move the cursor: that acknowledges it.

        Gives the commands for this record or for everybody, its own left out. Only the record's own session calls this.
        """
        last, size = self._head.posted, self._size
        unread = record.cursor + 1
        first = max(unread, last - size + 1)
        overrun = first > unread
        commands = []
        for number in range(first, last + 1):
            found = self._copy(number, self._slots[number % size])
            if found is None:
                overrun = True
            elif (command := self._for(record, found)) is not None:
                commands.append(command)
        if overrun:
            self._head.overruns += 1
        record.cursor = last
        return Reading(tuple(commands), overrun)

    @property
    def _size(self) -> int:
        return 1 if self._head.timed else self._layout.slots

    def _check(self, command: Command, addressees: Sequence[int]) -> None:
        """Refuse what would spoil the ring, before anything is written."""
        if len(command.payload) > self._layout.payload or len(addressees) > ADDRESSEES:
            raise ValueError(f"{len(command.payload)} bytes to {len(addressees)} sessions do not fit into a slot")
        if addressees and not 0 <= min(addressees) <= max(addressees) < self._layout.sessions:
            raise ValueError(f"no such records: {addressees}")

    def _locked_for(self, number: int, slot: "_Slot") -> float:
        """Give the seconds to wait before looking again, 0.0 if command `number` may be written now; under the lock.

        A slot that bears this very number was left by a sender that died before it moved the head: nobody has seen it.
        An unread command that is overwritten because its time is up is counted: `expired`.
        """
        if slot.number in (0, number) or slot.addressees == _ALL:
            return 0.0
        is_timed = self._head.timed
        if not is_timed and not self._unread(slot):
            return 0.0
        rest = self._head.unlock_ms / 1000 + slot.posted_at / 1e6 - time.monotonic()
        if rest > 0:
            return rest if is_timed else min(rest, _RETRY_SECONDS)
        if is_timed and not self._unread(slot):
            return 0.0
        self._head.expired += 1
        return 0.0

    def _unread(self, slot: "_Slot") -> bool:
        """Whether a living addressee has not read a slot yet.

        A record claimed since then began at the head, so it is past this number: no sender waits for a newcomer.
        """
        number = slot.number
        for index in _LIST.unpack_from(self._memory, slot.base * 8 + _LIST_AT)[: slot.addressees]:
            record = self._records[index]
            if record.cursor < number and record.token and process.is_alive(record.identity):
                return True
        return False

    def _fill(self, number: int, slot: "_Slot", command: Command, addressees: tuple[int, ...] | None) -> None:
        """Write a slot, then its number, then the head: the order in which a death in between does no harm."""
        listed = addressees or ()
        fields = _FIELDS.pack(
            number,
            command.kind,
            0 if command.table is None else command.table + 1,
            command.sender,
            0 if command.record is None else command.record + 1,
            time.monotonic_ns() // 1000,
            _ALL if addressees is None else len(listed),
            len(command.payload),
        )
        rest = _LIST.pack(*listed, *_NOBODY[len(listed) :]) + command.payload
        data = fields[8:] + _CHECK.pack(crc32(rest, crc32(fields))) + rest
        start = slot.base * 8 + 8
        slot.number = 0
        self._memory[start : start + len(data)] = data
        slot.number = number
        self._head.posted = number

    def _copy(self, number: int, slot: "_Slot") -> bytes | None:
        """Copy the slot of command `number`; None if it has been overwritten."""
        start = slot.base * 8
        data = bytes(self._memory[start : start + self._slot_bytes])
        found, *_, length, check = _HEAD.unpack_from(data)
        if found != number or slot.number != number:
            return None
        return data if crc32(data[_LIST_AT : SLOT_HEAD_BYTES + length], crc32(data[: _FIELDS.size])) == check else None

    def _for(self, record: Record, data: bytes) -> Command | None:
        """Give the command in a copied slot; None if it is not for this record, or its own."""
        number, kind, table, sender, sender_record, posted_at, count, length = _FIELDS.unpack_from(data)
        if sender == record.token or (count != _ALL and record.index not in _LIST.unpack_from(data, _LIST_AT)[:count]):
            return None
        return Command(
            kind,
            table - 1 if table else None,
            sender,
            sender_record - 1 if sender_record else None,
            data[SLOT_HEAD_BYTES : SLOT_HEAD_BYTES + length],
            number,
            posted_at / 1e6,
        )


class _Slot(Block):
    """The words of a slot that senders look at."""

    number = Word(0)
    posted_at = Word(5)
    addressees = Word(6)
