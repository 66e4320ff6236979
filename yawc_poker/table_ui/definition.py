"""What a game gives the rest of the program: its rules, its settings, its words, its screen. One value a game.

Owns only the shape. A game's folder has its own in `game.py`; `registry.games` lists them.
"""

from collections.abc import Callable, Mapping
from typing import Generic, NamedTuple

from yawc_poker.config import Config, TableSettings
from yawc_poker.engine.game import EventT, Game, StateT
from yawc_poker.engine.table import LogEntry, Table
from yawc_poker.table_ui.face import Face, LocalT, MoveT, OptionsT, ViewT
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words


class Titles(NamedTuple):
    """What people call a game, in English; each is marked for the catalogues."""

    game: str
    """In the casino's menu and in lists."""
    heading: str
    """Before the names of those who sit at a table."""
    table: str
    """The only table."""
    numbered: str
    """One of several tables, as ``{n}``."""


class Hand(NamedTuple):
    """What a by-stander sees of somebody in a game."""

    active: bool = False
    cards: list[str] | None = None
    """Open cards; None: none are open."""
    hidden: int = 0
    """The number of hidden cards."""


class Public(NamedTuple):
    """What a by-stander sees of a game."""

    phase: str
    """One of the game's own words."""
    round: int
    hands: Mapping[int, Hand]
    """By seat."""


class Definition(NamedTuple, Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game."""

    rules: Game[StateT, MoveT, EventT, OptionsT]
    table: type[Table[StateT, EventT]]
    """The type of its tables' values."""
    settings: type[TableSettings]
    options: Callable[[Config], OptionsT]
    """The options that a game is played by unless its master names others."""
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]
    key: str
    """The key in the casino's menu."""
    titles: Titles
    sentences: Callable[[LogEntry[EventT], Words], tuple[tuple[str, Style], ...]]
    """What a line of the table's log says, as a by-stander reads it."""
    public: Callable[[StateT], Public]
    """What a by-stander sees; made from `rules.view(state, None)`."""
