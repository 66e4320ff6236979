"""Counting between processes: a block of words per session, and one sum for those who are gone.

Owns the blocks, and the fold of a block into the sum of the departed. Knows no metric: what a word counts is said by
the layers above. A session is the only writer of its block, so counting takes no lock and no system call: a load, an
addition, a store. Sums are made by whoever wants to know, from all blocks and the departed's sum.

The departed's sum lies in two halves, as a table does: a fold fills the spare half with the sum and the block together,
and with the token of the session, then stores the next commit number. That one store makes the block part of the sum,
and tells everybody that the session of this token is in it. So a fold happens once, whoever is killed and when:

- killed before that store: nothing has happened; who buries the session folds it.
- killed after it, before the record is free: the token is in the sum's list. Readers leave that block out, and whoever
  next retires any record frees this one first, without a fold.

Readers take no lock: blocks first, the departed's sum after. What was folded meanwhile is in the sum's list of tokens,
and its block is left out. Therefore what is read never falls from one reading to the next.

Counts are only counts: memory that somebody has written over ends nobody. A damaged sum of the departed counts as zero,
and begins again at the next fold; so does a word that no count can have reached, at its next count.

    area    word 0 the number of folds; two halves; one block per session, in the order of the records; the listener's;
            that of his stand-in
    half    checksum, record of the newest token, 14 tokens (newest first), the sum
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
"""Upper bounds of a histogram's buckets in seconds: 50 µs, 100 µs ... 26.2 s; beyond the last there is one more."""
HISTOGRAM_WORDS: Final = len(BOUNDS) + 2
"""A histogram: the sum in nanoseconds, then a word per bucket."""
TOKENS: Final = 14
"""Folds that a reader may sleep through without reading anew."""

_MOST: Final = 2**60
"""More than a word can have counted: in nanoseconds, 36 years."""
_LAST: Final = len(BOUNDS)
_TRIES: Final = 200
_HALF = struct.Struct(f"={METRIC_HALF_WORDS - 1}Q")
_CHECK = struct.Struct("=Q")
_BLOCK_BYTES: Final = METRIC_WORDS * 8
assert _HALF.size + _CHECK.size == METRIC_HALF_WORDS * 8
assert (1 + 2 * METRIC_HALF_WORDS) * 8 <= METRIC_HEAD_BYTES

log = logging.getLogger(__name__)


class EndedTotal(msgspec.Struct, frozen=True):
    """The sum of all sessions that are gone, as of fold `number`."""

    number: int
    record: int
    """Whose fold was the last."""
    tokens: tuple[int, ...]
    """The sessions folded last, newest first; 0 where there was none."""
    sums: Sequence[int]


class Tally:
    """The counting hand of one process. What it counts before it has a block goes along into the block.

    After `leave`, whatever is still counted is lost: the block may be another session's.
    """

    def __init__(self) -> None:
        self.leave()

    def leave(self) -> None:
        """Count for nobody from now on; before the record is given back."""
        self._words = memoryview(bytearray(_BLOCK_BYTES)).cast("Q")
        self._base = 0

    def enter(self, area: "Counts", index: int) -> None:
        """Count into block `index` from now on; its record is this session's."""
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
        """Add a duration to the histogram that begins at a word."""
        words, at = self._words, self._base + word
        counted = at + 1 + bucket(nanoseconds)
        if words[at] > _MOST or words[counted] > _MOST:
            self._reset_damaged()
        words[at] += nanoseconds if nanoseconds > 0 else 0
        words[counted] += 1

    def _reset_damaged(self) -> None:
        """Set what no count can have reached to zero, all at once, so that the log is told once."""
        for at in range(self._base, self._base + METRIC_WORDS):
            if self._words[at] > _MOST:
                self._words[at] = 0
        log.warning("this process's counts were damaged and begin at zero")


def bucket(nanoseconds: int) -> int:
    """Give the bucket of a duration, from 0; a bound belongs to the bucket below it."""
    step = ((nanoseconds - 1) // FINEST_NS).bit_length() if nanoseconds > 0 else 0
    return step if step < _LAST else _LAST


class Counts(Block):
    """All counts of a segment, live."""

    folds = Word(0)

    def __init__(self, words: memoryview, memory: memoryview, layout: Layout, records: Sequence[Record]) -> None:
        super().__init__(words, layout.metrics_at // 8)
        self._memory = memory
        self._records = records
        self.listener = layout.sessions
        """The listener's block. It is never cleared nor folded: a new listener goes on with it."""
        self.stand_in = layout.sessions + 1
        """The block of who accepts while the listener is replaced; the same holds for it."""

    def block_at(self, index: int) -> int:
        """Give the first word of a block in the segment."""
        return self.base + (METRIC_HEAD_BYTES + _BLOCK_BYTES * index) // 8

    # --- under the directory's lock -----------------------------------------------------------------------------------

    def clear(self, index: int) -> None:
        """Have a free record's block begin at zero; before the record is claimed."""
        self._memory[self._bytes_of(index)] = bytes(_BLOCK_BYTES)

    def retire(self, record: Record) -> None:
        """Fold a session's block into the sum of the departed, once, and free its record: it counts no more."""
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
        """Begin the damaged sum at zero, under a number that nobody remembers."""
        self._commit(EndedTotal(time.monotonic_ns(), 0, (0,) * TOKENS, (0,) * METRIC_WORDS))
        log.warning("the counts of those who are gone were damaged and begin at zero")
        return self._half(self.folds)

    def _commit(self, ended: EndedTotal) -> None:
        """Fill the spare half, then store the number: the order in which a death in between does no harm."""
        data = _HALF.pack(ended.record, *ended.tokens, *ended.sums)
        start = self._half_at(ended.number)
        check = _CHECK.pack(crc32(data, ended.number & 0xFFFFFFFF))
        self._memory[start : start + len(check) + len(data)] = check + data
        self.folds = ended.number

    # --- looking, without a lock --------------------------------------------------------------------------------------

    def total(self) -> tuple[int, ...]:
        """Sum up what everybody has counted, living and departed; a damaged sum of the departed counts as zero."""
        for attempt in range(_TRIES):
            before = self.folds
            living = [(token, self._copy(record.index)) for record in self._records if (token := record.token)]
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
        """Give what one session has counted."""
        return tuple(self._block(record.index))

    def _ended_total(self) -> EndedTotal | None:
        """Read the sum; None where it has been overwritten meanwhile, which takes two folds."""
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
"""The sum before anybody has gone."""


def _possible(counts: memoryview) -> list[int]:
    """Return counts with zero for what no count can have reached."""
    return [count if count <= _MOST else 0 for count in counts]


def _summed(columns: Iterable[Iterable[int]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*columns, strict=True)))
