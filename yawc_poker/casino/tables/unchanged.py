"""The fast path of a quiet tick: some words of the segment, the pidfds of those at the table, the time.

A BBS whose callers sit and think does little else than tick, each time in another process whose memory no processor's
cache holds any more, so the cost of a tick is the memory that it touches. A session that has found, by reading
everything, that there is nothing to do, keeps the words that this was read from. As long as they have the same values,
reading everything would find the same. Owns nothing but what it keeps.
"""

import math
from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from yawc_poker.casino.tables.own_word import OwnWord
from yawc_poker.casino.tables.table_cell import TableCell
from yawc_poker.casino.tables.table_context import TableContext


class _Kept(NamedTuple):
    """What was read when there was nothing to do."""

    read: Callable[[memoryview], tuple[int, ...]]
    """Reads the words again."""
    values: tuple[int, ...]
    ended: Callable[[int], list[tuple[int, int]]]
    """Tells which processes of the neighbours have ended, as `select.poll.poll` does."""
    until: float
    """Monotonic second at which a clock of the table runs out; infinite: there is none."""


class Unchanged:
    """Tells whether a table, and all that a session there has to look at, is as it was."""

    def __init__(self, context: TableContext, value: TableCell, word: OwnWord | None) -> None:
        """`word` is of a session that sits there, or None if it looks on; then no clock and no death is its care."""
        self._context, self._value, self._word = context, value, word
        self._kept: _Kept | None = None
        """Nothing is kept at first."""

    def forget(self) -> None:
        """Keep nothing any more: something happened, of whatever kind."""
        self._kept = None

    def lasts(self, commit: int, now: float) -> bool:
        """Return whether the table is as with this commit, and there is nothing to do or read; `now` is monotonic.

        The first time after `forget` everything is read, later only what was kept of that.
        """
        kept = self._kept
        if kept is None:
            kept = self._kept = self._found(commit)
        return (
            kept is not None
            and now < kept.until
            and kept.read(self._context.segment.words) == kept.values
            and not kept.ended(0)
        )

    def _found(self, commit: int) -> _Kept | None:
        """Read everything; return None if there is something to do, or it cannot be read now."""
        context = self._context
        words = context.notifier.own.unchanged_words() | self._value.unchanged_words(commit)
        if self._word is None:
            return _Kept(itemgetter(*words), tuple(words.values()), _nobody, math.inf)
        if context.stakes.is_unsure:
            return None
        header = self._value.header()
        if header is None:
            return None
        try:
            found = context.directory.neighbours([one for one in header.seats if one not in {0, context.session}])
        except OSError:  # no descriptor is to be had; maintaining the table meets this again, and logs it
            return None
        if found is None or header.override or self._word.is_owed:
            return None
        others, poller = found
        words = others | words
        until = math.inf if header.deadline is None else header.deadline
        return _Kept(itemgetter(*words), tuple(words.values()), poller.poll, until)


def _nobody(milliseconds: int) -> list[tuple[int, int]]:
    return []
