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

Memory that somebody has written over ends nobody: readers take what is not whole for overwritten, and the next sender
begins the ring again.
"""

import logging
import struct
import time
from collections.abc import Sequence
from enum import IntEnum
from typing import Final
from zlib import crc32

import msgspec

from yawc_poker.ipc import process
from yawc_poker.ipc.layout import POSTED, SLOT_HEAD_BYTES, TIMED, Block, Word
from yawc_poker.ipc.record import CURSOR, TOKEN, Record
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import TIMEOUT, LockTimeout

ADDRESSEES: Final = 16
"""Sessions one command can be addressed to; more are reached by addressing all."""
_ALL: Final = 0xFFFF
_RETRY_SECONDS: Final = 0.001
_MOST: Final = 2**62
"""More commands than anybody can have posted."""

# A slot: these eight words, a checksum over all the rest, the addressees' records, the payload.
# number, kind, table + 1, sender's token, sender's record + 1, posted at in µs, addressees (_ALL: everybody), bytes.
_HEAD = struct.Struct("=9Q")
_NUMBER, _POSTED_AT, _ADDRESSEES, _BYTES, _CHECK = 0, 5, 6, 7, 8
_CHECK_AT, _LIST_AT = 8 * _CHECK, _HEAD.size
# By how many are addressed: their list, and the eight words with the list of sixteen after them.
_LISTS = tuple(struct.Struct(f"={many}H") for many in range(ADDRESSEES + 1))
_SUMMED = tuple(struct.Struct(f"=8Q{many}H{2 * (ADDRESSEES - many)}x") for many in range(ADDRESSEES + 1))
assert _LIST_AT + _LISTS[-1].size == SLOT_HEAD_BYTES

log = logging.getLogger(__name__)


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


class NewCommands(msgspec.Struct, frozen=True):
    """What was new. `overrun`: something may have been overwritten unread; load your table whatever its number says."""

    commands: tuple[Command, ...]
    overrun: bool


class Ring:
    """The ring of a segment, for posting and for reading."""

    def __init__(self, segment: Segment) -> None:
        self._head = segment.head
        self._lock = segment.broadcast_lock
        self._records = segment.records
        self._words = segment.words
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
        addressees = None if to is None else [index for index in to if index != command.record]
        self._check(command, addressees or ())
        waited = False
        while True:
            self._lock.acquire(TIMEOUT if wait else 0.0)
            try:
                if not self._is_sound():
                    self._reset()
                number = self._words[POSTED] + 1
                slot = self._slots[number % self._size]
                rest = self._locked_for(number, slot)
                if rest <= 0:
                    self._fill(number, slot, command, addressees)
                    if waited:
                        self._head.waits += 1
                    return number
            finally:
                self._lock.release()
            if not wait:
                raise LockTimeout(self._lock.name, self._lock.holder)
            waited = True
            time.sleep(rest)

    def read(self, record: Record) -> NewCommands:
        """Read, without a lock, what was posted since this record's cursor, and move the cursor: that acknowledges it.

        Gives the commands for this record or for everybody, its own left out. Only the record's own session calls this.
        """
        last, cursor, size = self._words[POSTED], self._words[record.base + CURSOR], self._size
        overrun = not 0 <= last - cursor <= size
        commands: list[Command] = []
        for number in range(last - size + 1 if overrun else cursor + 1, last + 1):
            if not self._copy(number, self._slots[number % size].base, record, commands):
                overrun = True
        if overrun:
            self._head.overruns += 1
        record.cursor = last
        return NewCommands(tuple(commands), overrun)

    @property
    def _size(self) -> int:
        return 1 if self._words[TIMED] else len(self._slots)

    def _check(self, command: Command, addressees: Sequence[int]) -> None:
        """Refuse what would spoil the ring, before anything is written."""
        if len(command.payload) > self._layout.payload or len(addressees) > ADDRESSEES:
            raise ValueError(f"{len(command.payload)} bytes to {len(addressees)} sessions do not fit into a slot")
        if addressees and not 0 <= min(addressees) <= max(addressees) < self._layout.sessions:
            raise ValueError(f"no such records: {addressees}")

    def _is_sound(self) -> bool:
        """Whether the last slot and the next one are as senders leave them; under the lock."""
        posted, size = self._words[POSTED], self._size
        if posted > _MOST or (posted and size > 1 and not self._holds(posted)):
            return False
        number = posted + 1
        return self._words[self._slots[number % size].base] in (0, number) or self._holds(number - size)

    def _holds(self, number: int) -> bool:
        """Whether a command is in its slot, as it was written; under the lock."""
        start = self._slots[number % self._size].base * 8
        data = self._memory[start : start + self._slot_bytes].tobytes()
        words: tuple[int, ...] = _HEAD.unpack_from(data)
        end = SLOT_HEAD_BYTES + words[_BYTES]
        return words[_NUMBER] == number and crc32(data[_LIST_AT:end], crc32(data[:_CHECK_AT])) == words[_CHECK]

    def _reset(self) -> None:
        """Empty a damaged ring, and go on so far from where readers are that each of them is overrun; under the lock.

        Who dies in between leaves a last slot that is empty, and the next sender does the same.
        """
        cursors = (record.cursor for record in self._records)
        for slot in self._slots:
            slot.number = 0
        self._head.posted = max((cursor for cursor in cursors if cursor <= _MOST), default=0) + len(self._slots) + 1
        log.warning("the ring of commands was damaged and begins again")

    def _locked_for(self, number: int, slot: "_Slot") -> float:
        """Give the seconds to wait before looking again, 0.0 if command `number` may be written now; under the lock.

        A slot that bears this very number was left by a sender that died before it moved the head: nobody has seen it.
        An unread command that is overwritten because its time is up is counted: `expired`.
        """
        words, base = self._words, slot.base
        if words[base] in (0, number) or words[base + _ADDRESSEES] == _ALL:
            return 0.0
        is_timed = self._head.timed
        if not is_timed and not self._unread(base):
            return 0.0
        rest = self._head.unlock_ms / 1000 + words[base + _POSTED_AT] / 1e6 - time.monotonic()
        if rest > 0:
            return rest if is_timed else min(rest, _RETRY_SECONDS)
        if is_timed and not self._unread(base):
            return 0.0
        self._head.expired += 1
        return 0.0

    def _unread(self, base: int) -> bool:
        """Whether a living addressee has not read a slot yet.

        A record claimed since then began at the head, so it is past this number: no sender waits for a newcomer.
        """
        words, records = self._words, self._records
        number = words[base]
        for index in _LISTS[words[base + _ADDRESSEES]].unpack_from(self._memory, base * 8 + _LIST_AT):
            record = records[index]
            if words[record.base + CURSOR] < number and record.token and process.is_alive(record.identity):
                return True
        return False

    def _fill(self, number: int, slot: "_Slot", command: Command, addressees: Sequence[int] | None) -> None:
        """Write a slot, then its number, then the head: the order in which a death in between does no harm."""
        listed = addressees or ()
        summed = _SUMMED[len(listed)].pack(
            number,
            command.kind,
            0 if command.table is None else command.table + 1,
            command.sender,
            0 if command.record is None else command.record + 1,
            time.monotonic_ns() // 1000,
            _ALL if addressees is None else len(listed),
            len(command.payload),
            *listed,
        )
        rest = summed[_CHECK_AT:] + command.payload
        start = slot.base * 8
        slot.number = 0
        self._memory[start + 8 : start + _CHECK_AT] = summed[8:_CHECK_AT]
        self._words[slot.base + _CHECK] = crc32(command.payload, crc32(summed))
        self._memory[start + _LIST_AT : start + _LIST_AT + len(rest)] = rest
        slot.number = number
        self._head.posted = number

    def _copy(self, number: int, base: int, record: Record, commands: list[Command]) -> bool:
        """Copy the slot of a command and add it to `commands`, if it is for this record; False: it is overwritten.

        One function, and no word's descriptor in it, for this is what everybody at a table does at each bell.
        """
        start, words = base * 8, self._words
        data = self._memory[start : start + self._slot_bytes].tobytes()
        found, kind, table, sender, sender_record, posted_at, many, length, check = _HEAD.unpack_from(data)
        if found != number or words[base] != number:
            return False
        end = SLOT_HEAD_BYTES + length
        if crc32(data[_LIST_AT:end], crc32(data[:_CHECK_AT])) != check:
            return False
        is_for_us = many == _ALL or record.index in _LISTS[many].unpack_from(data, _LIST_AT)
        if is_for_us and sender != words[record.base + TOKEN]:
            commands.append(
                Command(
                    kind,
                    table - 1 if table else None,
                    sender,
                    sender_record - 1 if sender_record else None,
                    data[SLOT_HEAD_BYTES:end],
                    number,
                    posted_at / 1e6,
                )
            )
        return True


class _Slot(Block):
    """A slot; its number as the word that is written first and last."""

    number = Word(_NUMBER)
