"""What a tick looks at while nothing happens: some words of the segment, the pidfds of those at the table, the time.

A BBS whose callers sit and think does little else than tick, each time in another process whose memory no processor's
cache holds any more: what counts is how much is touched. So whoever has found, the long way, that there is nothing to
do, keeps a `Unchanged` of it. Owns nothing; as long as it lasts, the long way would find the same.
"""

import select
from collections.abc import Mapping
from operator import itemgetter


class Unchanged:
    """The words that the long way read, with their values, and the moment until which time alone changes nothing."""

    def __init__(self, words: memoryview, values: Mapping[int, int], neighbours: select.poll, until: float) -> None:
        """`values` by their places, two at least; `neighbours` tells of processes that end; `until` is monotonic."""
        self._words = words
        self._read = itemgetter(*values)
        self._values = tuple(values.values())
        self._ended = neighbours.poll
        self._until = until

    def lasts(self, now: float) -> bool:
        """Say whether everything is as it was."""
        return now < self._until and self._read(self._words) == self._values and not self._ended(0)
