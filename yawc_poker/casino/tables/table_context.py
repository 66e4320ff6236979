"""What a table's parts have in common: where it is, who may be told, and by what it is played.

`TableContext` is what one session needs at one table; `TableRules` is the pure side of it. Both are values.
"""

import time
from collections.abc import Callable
from random import SystemRandom
from typing import Final, NamedTuple, cast

from yawc_poker.casino.presence.directory import Directory
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.engine.codec import AnyCodec, Codec
from yawc_poker.engine.game import AnyGame, Chance, EventT, Game, GameState, MoveT, OptionsT, StateT
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.next_game import options_of
from yawc_poker.engine.values import AnyTable, Clocks
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.segment import Segment


def _free(options: object) -> int:
    return 0


_CHANCE: Final[Chance] = SystemRandom()
"""The system's randomness, which has no state to share. One for all tables of a session: the object has 2.5 kB."""


class TableRules(NamedTuple):
    """By what is played at a table."""

    game: AnyGame
    codec: AnyCodec
    options: object
    """The usual options: games are played by these unless the master chooses others."""
    clocks: Clocks = Clocks()
    keeps: Keeps[GameState] | None = None
    """How seats are kept for those who are gone, with a house player as stand-in, or None if none are."""
    needed: Callable[[object], int] = _free
    """The CUBES that it takes to play by options."""

    def ante(self, table: AnyTable) -> int:
        """Return the CUBES that it takes to play the next game at a table; 0: it is not played for any."""
        return self.needed(options_of(table, self.game, self.options))

    @classmethod
    def of(
        cls,
        game: Game[StateT, MoveT, EventT, OptionsT],
        codec: Codec[StateT, EventT],
        options: OptionsT,
        clocks: Clocks,
        keeps: Keeps[StateT] | None = None,
        needed: Callable[[OptionsT], int] = _free,
    ) -> "TableRules":
        """Return the rules of a table without the game's types, as `table_ui.definition.plain` does."""
        plain = cast(AnyGame, game), cast(AnyCodec, codec)
        kept = cast(Keeps[GameState] | None, keeps)
        return cls(*plain, options, clocks, kept, cast(Callable[[object], int], needed))


class TableContext(NamedTuple):
    """What one session needs at one table."""

    number: int
    cell: Cell
    segment: Segment
    directory: Directory
    notifier: Notifier
    stakes: Stakes
    clock: Callable[[], float] = time.monotonic
    chance: Chance = _CHANCE

    @property
    def session(self) -> int:
        """This session's token."""
        return self.notifier.token
