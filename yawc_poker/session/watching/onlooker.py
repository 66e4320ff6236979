"""A session's place beside a table: coming and going, taking over the table's commits, and the ticks.

Owns what an on-looker knows of the table's value. Decides nothing there, never draws, never waits: no clock of the
table waits for this session, so a tick has nothing to serve; it only makes up for a signal that was lost.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.values import AnyTable, GalleryLine
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.session.loop.loop import TICK

_NONE = -1


class _Kept(NamedTuple):
    """Words of the segment, as they were when there was nothing to do."""

    read: Callable[[memoryview], tuple[int, ...]]
    values: tuple[int, ...]


class Onlooker:
    """One session that looks on at one table."""

    def __init__(
        self,
        table: GameTable,
        words: memoryview,
        alarms: Alarms,
        tick_seconds: float,
    ) -> None:
        """`words` are the segment's."""
        self.table = table
        self.gallery = table.gallery()
        self.commit = _NONE
        """Number of the commit taken over last."""
        self._words = words
        self._alarms = alarms
        self._tick_seconds = tick_seconds
        self._heard = 0
        """Number of the last line taken over of those that on-lookers said to each other."""
        self._kept: _Kept | None = None

    def come(self) -> None:
        """Look on from now on; the ticks begin."""
        self.gallery.come()
        self._alarms.every(TICK, self._tick_seconds)

    def go(self) -> None:
        """Look on no more."""
        self._alarms.cancel(TICK)
        self.gallery.go()

    def follow(self) -> tuple[AnyTable, list[GalleryLine]] | None:
        """Take over the table's newest value; return it with what on-lookers have said since, None: it is not new.

        What they said before this one came was not for them, and would stand below what happened later.
        """
        commit, before = self.table.commit_number, self.commit
        if commit == before:
            return None
        value = self.table.look()
        self.commit = commit
        newest = value.gallery[-1].number if value.gallery else 0
        heard = self._heard if self._heard <= newest else 0  # a table that was made anew counts from 1 again
        self._heard = newest
        return value, [] if before == _NONE else [line for line in value.gallery if line.number > heard]

    # --- quiet ticks --------------------------------------------------------------------------------------------------

    def is_unchanged(self) -> bool:
        """Return whether there is nothing to do or read since the commit taken over last."""
        kept = self._kept
        if kept is None:
            words = self.gallery.unchanged_words(self.commit)
            kept = self._kept = _Kept(itemgetter(*words), tuple(words.values()))
        return kept.read(self._words) == kept.values

    def something_happened(self) -> None:
        """Note the words anew when `is_unchanged` is asked next."""
        self._kept = None
