"""Counters shared between processes: a block of words per live session, and one total for all ended sessions.

Owns the blocks, and the fold of a block into the total of ended sessions. Knows no metric: the layers above define what
a word counts. A session is the only writer of its block, so counting takes no lock and no system call: a load, an
addition, a store. A reader adds up all blocks and the total of ended sessions.

That total is stored in two halves, as a table is: a fold fills the spare half with the total plus the block, and with
the token of the session, then stores the next commit number. That one store makes the block part of the total, and
publishes that the session with this token is in it. So a fold happens once, even if a process is killed:

- killed before that store: nothing has happened; the process that purges the session folds it.
- killed after it, before the record is free: the token is in the total's list. Readers leave that block out, and the
  next process that retires any record frees this one first, without a fold.

Readers take no lock: they read the blocks first, then the total of ended sessions. A session that was folded meanwhile
is in the total's list of tokens, and its block is left out. So the sums never fall from one reading to the next.

Damaged counts end no session. A damaged total of ended sessions counts as zero, and is reset at the next fold; so is a
word with an impossible count, at its next change.

    area    word 0 the number of folds; two halves; one block per session, in the order of the records; the listener's;
            that of its stand-in
    half    checksum, record of the newest token, 14 tokens (newest first), the total
"""

import logging
import struct
import time
from collections.abc import Iterable, Sequence
from operator import add
from typing import Final
from zlib import crc32

import msgspec

from yawc_poker.ipc.layout import METRIC_HALF_WORDS, METRIC_HEAD_BYTES, METRIC_WORDS, WORD_LIMIT, Block, Layout, Word
from yawc_poker.ipc.record import Record

FINEST_NS: Final = 50_000
BOUNDS: Final[tuple[float, ...]] = tuple(FINEST_NS * 2**step / 1e9 for step in range(20))
"""Upper bounds of a histogram's buckets in seconds: 50 µs, 100 µs ... 26.2 s; one more bucket is for longer times."""
HISTOGRAM_WORDS: Final = len(BOUNDS) + 2
"""A histogram: the sum in nanoseconds, then a word per bucket."""
TOKENS: Final = 14
"""Number of folds during a reading after which the reader must start again."""

_MOST: Final = 2**60
"""An impossible count: in nanoseconds, 36 years."""
_LAST: Final = len(BOUNDS)
_TRIES: Final = 200
_HALF = struct.Struct(f"={METRIC_HALF_WORDS - 1}Q")
_CHECK = struct.Struct("=Q")
_BLOCK_BYTES: Final = METRIC_WORDS * 8
assert _HALF.size + _CHECK.size == METRIC_HALF_WORDS * 8
assert (1 + 2 * METRIC_HALF_WORDS) * 8 <= METRIC_HEAD_BYTES

log = logging.getLogger(__name__)


class EndedTotal(msgspec.Struct, frozen=True):
    """The total of all ended sessions, as of fold `number`."""

    number: int
    record: int
    """The record that was folded last."""
    tokens: tuple[int, ...]
    """The sessions folded last, newest first; 0: none."""
    sums: Sequence[int]


class Tally:
    """The counters of one process. Counts from before it has a block are added to the block.

    Counts after `leave` are lost: the block may be another session's by then.
    """

    def __init__(self) -> None:
        self.leave()

    def leave(self) -> None:
        """Stop counting into the block; called before the record is freed."""
        self._words = memoryview(bytearray(_BLOCK_BYTES)).cast("Q")
        self._base = 0

    def enter(self, area: "Counts", index: int) -> None:
        """Count into block `index` from now on; its record belongs to this session."""
        before = self._words
        self._words, self._base = area.words, area.block_at(index)
        for word, count in enumerate(before):
            if count:
                self.count(word, count)

    def count(self, word: int, by: int = 1) -> None:
        """Add to a counter."""
        words, at = self._words, self._base + word
        if words[at] > _MOST:
            self._reset_damaged()
        words[at] += by

    def observe(self, word: int, nanoseconds: int) -> None:
        """Add a duration to the histogram that begins at `word`."""
        words, at = self._words, self._base + word
        counted = at + 1 + bucket(nanoseconds)
        if words[at] > _MOST or words[counted] > _MOST:
            self._reset_damaged()
        words[at] += nanoseconds if nanoseconds > 0 else 0
        words[counted] += 1

    def _reset_damaged(self) -> None:
        """Set all impossible counts to zero at once, so that it is logged once."""
        for at in range(self._base, self._base + METRIC_WORDS):
            if self._words[at] > _MOST:
                self._words[at] = 0
        log.warning("this process's counts were damaged and begin at zero")


def bucket(nanoseconds: int) -> int:
    """Return the bucket of a duration, from 0; a bound belongs to the bucket below it."""
    step = ((nanoseconds - 1) // FINEST_NS).bit_length() if nanoseconds > 0 else 0
    return step if step < _LAST else _LAST


class Counts(Block):
    """A live view of all counts of a segment."""

    folds = Word(0)

    def __init__(self, words: memoryview, memory: memoryview, layout: Layout, records: Sequence[Record]) -> None:
        super().__init__(words, layout.metrics_at // 8)
        self._memory = memory
        self._records = records
        self.listener = layout.sessions
        """The listener's block. It is neither cleared nor folded: a new listener goes on with it."""
        self.stand_in = layout.sessions + 1
        """The block of the stand-in that accepts while the listener is replaced; not cleared or folded either."""

    def block_at(self, index: int) -> int:
        """Return the index in the segment of a block's first word."""
        return self.base + (METRIC_HEAD_BYTES + _BLOCK_BYTES * index) // 8

    # --- under the directory's lock -----------------------------------------------------------------------------------

    def clear(self, index: int) -> None:
        """Set a free record's block to zero; called before the record is claimed."""
        self._memory[self._bytes_of(index)] = bytes(_BLOCK_BYTES)

    def retire(self, record: Record) -> None:
        """Fold a session's block into the total of ended sessions, once, and free its record."""
        ended = self._ended_total()
        if ended is None:
            ended = self._reset_total()
        unfinished = self._records[ended.record]
        if unfinished.token and unfinished.token == ended.tokens[0]:
            unfinished.free()
        if record.token:
            self._fold(ended, record)
            record.free()

    def _fold(self, ended: EndedTotal, record: Record) -> None:
        sums = (count & WORD_LIMIT for count in map(add, ended.sums, self._block(record.index)))
        tokens = (record.token, *ended.tokens[:-1])
        self._commit(EndedTotal(ended.number + 1, record.index, tokens, tuple(sums)))

    def _reset_total(self) -> EndedTotal:
        """Reset the damaged total to zero, under a number that was not used before."""
        self._commit(EndedTotal(time.monotonic_ns(), 0, (0,) * TOKENS, (0,) * METRIC_WORDS))
        log.warning("the counts of those who are gone were damaged and begin at zero")
        return self._half(self.folds)

    def _commit(self, ended: EndedTotal) -> None:
        """Fill the spare half, then store the number: in this order a death in between is harmless."""
        data = _HALF.pack(ended.record, *ended.tokens, *ended.sums)
        start = self._half_at(ended.number)
        check = _CHECK.pack(crc32(data, ended.number & 0xFFFFFFFF))
        self._memory[start : start + len(check) + len(data)] = check + data
        self.folds = ended.number

    # --- looking, without a lock --------------------------------------------------------------------------------------

    def total(self) -> tuple[int, ...]:
        """Return the sums over all sessions, live and ended; a damaged total of ended sessions counts as zero."""
        for attempt in range(_TRIES):
            before = self.folds
            living = [
                (token, self._copy(record.index))
                for record in self._records
                if (token := record.token) and not record.is_remote
            ]
            ended = self._ended_total()
            if ended is not None and ended.number - before <= TOKENS:
                return self._total(ended, living)
            if attempt >= 10:
                time.sleep(0.001)
        return self._total(_NONE_ENDED, living)

    def _total(self, ended: EndedTotal, living: Sequence[tuple[int, bytes]]) -> tuple[int, ...]:
        counted = (_possible(memoryview(block).cast("Q")) for token, block in living if token not in ended.tokens)
        others = self._block(self.listener), self._block(self.stand_in)
        return _summed([ended.sums, *others, *counted])

    def of(self, record: Record) -> tuple[int, ...]:
        """Return the counts of one session."""
        return tuple(self._block(record.index))

    def _ended_total(self) -> EndedTotal | None:
        """Return the total of ended sessions; None if it has been overwritten meanwhile, which takes two folds."""
        number = self.folds
        if number == 0:
            return _NONE_ENDED
        half = self._half(number)
        start = self._half_at(number)
        check, data = _CHECK.unpack_from(self._memory, start)[0], _HALF.pack(half.record, *half.tokens, *half.sums)
        return half if check == crc32(data, number & 0xFFFFFFFF) else None

    # --- inside -------------------------------------------------------------------------------------------------------

    def _half(self, number: int) -> EndedTotal:
        record, *rest = _HALF.unpack_from(self._memory, self._half_at(number) + _CHECK.size)
        return EndedTotal(number, record, tuple(rest[:TOKENS]), rest[TOKENS:])

    def _half_at(self, number: int) -> int:
        return (self.base + 1 + (number & 1) * METRIC_HALF_WORDS) * 8

    def _block(self, index: int) -> list[int]:
        return _possible(self.words[self.block_at(index) : self.block_at(index) + METRIC_WORDS])

    def _copy(self, index: int) -> bytes:
        return bytes(self._memory[self._bytes_of(index)])

    def _bytes_of(self, index: int) -> slice:
        start = self.block_at(index) * 8
        return slice(start, start + _BLOCK_BYTES)


_NONE_ENDED: Final = EndedTotal(0, 0, (0,) * TOKENS, (0,) * METRIC_WORDS)
"""The total before any session has ended."""


def _possible(counts: memoryview) -> list[int]:
    """Return the counts with zero in place of impossible ones."""
    return [count if count <= _MOST else 0 for count in counts]


def _summed(columns: Iterable[Iterable[int]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*columns, strict=True)))
