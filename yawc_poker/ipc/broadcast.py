"""Commands between sessions: a ring of numbered slots in the segment, with a cursor per reader.

Owns posting and reading. Sends no signals: the caller wakes others after everything is committed and unlocked. A
command says "look"; the news is in the table's value, so a reader that was overrun reads that again and has missed
nothing.

When a slot is unlocked (spec/poker.md, the original's 350 ms): in `acknowledged` mode when every session to which the
command was addressed has read it or is gone, or after `unlock_ms` at the latest. In `timed` mode there is one slot, and
it stays locked for the whole `unlock_ms`, read or not. In both, a command to everybody (login, logout) is unlocked at
once.

Invariants: numbers rise by one and are assigned under the broadcast lock; number n is in slot n modulo the number of
slots; a slot whose number is not n does not contain n. A sender that dies midway has not moved the head word: nobody
reads that slot, and the next sender fills it again.

Damaged memory ends no session: readers treat an incomplete slot as overwritten, and the next sender resets the ring.
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
"""Maximum sessions that one command can be addressed to; more are reached by addressing all."""
_ALL: Final = 0xFFFF
_RETRY_SECONDS: Final = 0.001
_MOST: Final = 2**62
"""An impossible number of commands."""

# A slot: these eight words, a checksum over all the rest, the addressees' records, the payload.
# number, kind, table + 1, sender's token, sender's record + 1, posted at in µs, addressees (_ALL: everybody), bytes.
_HEAD = struct.Struct("=9Q")
_NUMBER, _POSTED_AT, _ADDRESSEES, _BYTES, _CHECK = 0, 5, 6, 7, 8
_CHECK_AT, _LIST_AT = 8 * _CHECK, _HEAD.size
# By the number of addressees: their list, and the eight words followed by the list, padded to sixteen.
_LISTS = tuple(struct.Struct(f"={many}H") for many in range(ADDRESSEES + 1))
_SUMMED = tuple(struct.Struct(f"=8Q{many}H{2 * (ADDRESSEES - many)}x") for many in range(ADDRESSEES + 1))
assert _LIST_AT + _LISTS[-1].size == SLOT_HEAD_BYTES

log = logging.getLogger(__name__)


class Kind(IntEnum):
    """The subject of a command. Any other number of up to 64 bits is transferred as well."""

    TABLE = 1
    """A table was committed."""
    XMESSAGE = 2
    """A message is waiting for the reader."""
    NOTICE = 3
    """Somebody logged in or out."""
    END = 4
    """The reader must end; its record has the reason."""
    PURGE = 5
    """A session died: look for its seats."""
    SYSOP = 6
    """A sysop's action concerns the reader: look at the log of sysop actions."""


class Command(msgspec.Struct, frozen=True):
    """One message. The ring fills in `number` and `posted_at`."""

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
    """The commands since the last reading. `overrun`: some may be lost; load the table whatever its commit number."""

    commands: tuple[Command, ...]
    overrun: bool


class Passing(msgspec.Struct, frozen=True):
    """A command as it stands in the ring."""

    command: Command
    to: tuple[int, ...] | None
    """The records that it is addressed to, or None if it is for everybody."""


class Ring:
    """The ring of a segment, for posting and reading."""

    def __init__(self, segment: Segment) -> None:
        self._head = segment.head
        self._lock = segment.broadcast_lock
        self._records = segment.records
        self._words = segment.words
        self._memory = segment.memory
        self._layout = segment.layout
        self._slot_bytes = segment.layout.slot_bytes
        base, step = segment.layout.ring_at // 8, segment.layout.slot_bytes // 8
        self._bases = range(base, base + step * segment.layout.slots, step)
        """The first word of each slot."""

    @property
    def posted(self) -> int:
        """Number of the last command posted; if it equals the cursor, there is nothing to read."""
        return self._head.posted

    def post(self, command: Command, to: Sequence[int] | None, *, wait: bool = True) -> int:
        """Put a command into the ring and return its number; `to` lists records, None means everybody.

        The sender's own record is left out of `to`. While the slot is locked, wait without the lock, for about
        `unlock_ms` at most. The caller holds no other lock. Raise `ValueError` if the payload or the list does not fit,
        and the errors of a `Mutex`; with `wait` false, raise `LockTimeout` instead of waiting.
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
                slot = self._slot(self._bases[number % self._size])
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
        """Read the commands posted since this record's cursor, without a lock, and acknowledge them by moving it.

        Return those for this record or for everybody, except for its own. Only the record's own session calls this.
        """
        passing, overrun = self.follow(record)
        own = self._words[record.base + TOKEN]
        commands = tuple(
            one.command for one in passing if (one.to is None or record.index in one.to) and one.command.sender != own
        )
        if overrun:
            self._head.overruns += 1
        return NewCommands(commands, overrun)

    def follow(self, record: Record) -> tuple[list[Passing], bool]:
        """Read the commands posted since this record's cursor, whoever they are for, and move it, as in `read`.

        Return them, and whether some are lost. It is for the session that passes commands on to other hosts.
        """
        last, cursor, size = self._words[POSTED], self._words[record.base + CURSOR], self._size
        overrun = not 0 <= last - cursor <= size
        found = [self._passing(number) for number in range(last - size + 1 if overrun else cursor + 1, last + 1)]
        record.cursor = last
        return [one for one in found if one is not None], overrun or None in found

    @property
    def _size(self) -> int:
        return 1 if self._words[TIMED] else len(self._bases)

    def _slot(self, base: int) -> "_Slot":
        return _Slot(self._words, base)

    def _check(self, command: Command, addressees: Sequence[int]) -> None:
        """Raise `ValueError` for a command that would damage the ring, before anything is written."""
        if len(command.payload) > self._layout.payload or len(addressees) > ADDRESSEES:
            raise ValueError(f"{len(command.payload)} bytes to {len(addressees)} sessions do not fit into a slot")
        if addressees and not 0 <= min(addressees) <= max(addressees) < self._layout.sessions:
            raise ValueError(f"no such records: {addressees}")

    def _is_sound(self) -> bool:
        """Return whether the last slot and the next one are intact; under the lock."""
        posted, size = self._words[POSTED], self._size
        if posted > _MOST or (posted and size > 1 and not self._holds(posted)):
            return False
        number = posted + 1
        return self._words[self._bases[number % size]] in (0, number) or self._holds(number - size)

    def _holds(self, number: int) -> bool:
        """Return whether a command is in its slot, undamaged; under the lock."""
        start = self._bases[number % self._size] * 8
        data = self._memory[start : start + self._slot_bytes].tobytes()
        words: tuple[int, ...] = _HEAD.unpack_from(data)
        end = SLOT_HEAD_BYTES + words[_BYTES]
        return words[_NUMBER] == number and crc32(data[_LIST_AT:end], crc32(data[:_CHECK_AT])) == words[_CHECK]

    def _reset(self) -> None:
        """Empty a damaged ring, and go on at a number at which all readers are overrun; under the lock.

        A process that dies in between leaves an empty last slot, and the next sender does the same.
        """
        cursors = (record.cursor for record in self._records)
        for base in self._bases:
            self._slot(base).number = 0
        self._head.posted = max((cursor for cursor in cursors if cursor <= _MOST), default=0) + len(self._bases) + 1
        log.warning("the ring of commands was damaged and begins again")

    def _locked_for(self, number: int, slot: "_Slot") -> float:
        """Return the seconds to wait before the next try, 0.0 if command `number` may be written now; under the lock.

        A slot that has this number already was left by a sender that died before it moved the head: nobody has seen it.
        An unread command that is overwritten because its time is up is counted in `expired`.
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
        """Return whether a live addressee has not read a slot yet.

        A record claimed since then began at the head, past this number: no sender waits for a new session.
        """
        words, records = self._words, self._records
        number = words[base]
        for index in _LISTS[words[base + _ADDRESSEES]].unpack_from(self._memory, base * 8 + _LIST_AT):
            record = records[index]
            if words[record.base + CURSOR] < number and record.token and process.is_alive(record.identity):
                return True
        return False

    def _fill(self, number: int, slot: "_Slot", command: Command, addressees: Sequence[int] | None) -> None:
        """Write a slot, then its number, then the head: in this order a death in between is harmless."""
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

    def _passing(self, number: int) -> Passing | None:
        """Return the command of this number with its addressees, read without a lock, or None if it was overwritten.

        One function, without `Word` descriptors, because all sessions at a table run it at each signal.
        """
        base = self._bases[number % self._size]
        data = self._memory[base * 8 : base * 8 + self._slot_bytes].tobytes()
        found, kind, table, sender, sender_record, posted_at, many, length, check = _HEAD.unpack_from(data)
        if found != number or self._words[base] != number:
            return None
        end = SLOT_HEAD_BYTES + length
        if crc32(data[_LIST_AT:end], crc32(data[:_CHECK_AT])) != check:
            return None
        command = Command(
            kind,
            table - 1 if table else None,
            sender,
            sender_record - 1 if sender_record else None,
            data[SLOT_HEAD_BYTES:end],
            number,
            posted_at / 1e6,
        )
        return Passing(command, None if many == _ALL else _LISTS[many].unpack_from(data, _LIST_AT))


class _Slot(Block):
    """A slot; its number is the first and the last word written."""

    number = Word(_NUMBER)
