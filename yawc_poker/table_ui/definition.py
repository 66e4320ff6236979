"""A game as the rest of the program gets it: its rules, its settings, its texts, its screen. One value a game.

Owns only the shape. A game's folder has its own in `game.py`; `registry.games` lists them.
"""

from collections.abc import Callable, Mapping
from typing import Generic, NamedTuple, cast

from yawc_poker.config import Config, TableSettings
from yawc_poker.digits import decimal
from yawc_poker.engine.game import EventT, Game, GameEvent, GameState, IllegalMove, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.house import HousePlayer, SealedChance
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.values import LogEntry, Seat, Table
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.linear import Linear
from yawc_poker.table_ui.narrative import Reason, Retold
from yawc_poker.table_ui.scene import Local, LocalT
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words


class Titles(NamedTuple):
    """What people call a game, in English; each is marked for the catalogues."""

    game: str
    """In the casino's menu and in lists."""
    heading: str
    """Above the names of the people at a table."""
    table: str
    """The only table."""
    numbered: str
    """One of several tables, as ``{n}``."""
    waits: str
    """That {name} waits at a table, to which the {keys} lead."""


class Hand(NamedTuple):
    """A player as a by-stander sees them."""

    active: bool = False
    cards: list[str] | None = None
    """Open cards, or None if none are open."""
    hidden: int = 0
    """The number of hidden cards."""


class Public(NamedTuple):
    """A game as a by-stander sees it."""

    phase: str
    """One of the game's own words."""
    round: int
    hands: Mapping[int, Hand]
    """By seat."""


class HelpPage(NamedTuple):
    """A page of the help: a text file for each language, its first line the title.

    A name of one of the game's settings in braces stands for its value, as `{turn_seconds}`.
    """

    package: str
    """The package that has the files, in `help/LANGUAGE/`."""
    name: str
    """Of the file, without its suffix."""
    order: int = 60
    """Its place in the menu: pages are sorted by it. 0 is the BBS, 40 good conduct, 90 and above legal matters."""


def numbered(phase: str, number: int) -> str:
    """Return the name of a phase with its round's number."""
    return f"{phase} {number}"


def no_cubes(options: OptionsT) -> int:
    """Return 0: no CUBES are played for."""
    return 0


def _no_terms(options: object, words: Words) -> tuple[str, ...]:
    return ()


def _no_usage(words: Words) -> str:
    return words("This game has no options.")


def number(text: str, low: int, high: int) -> int:
    """Return the number that follows an option's name. Raise "no_option" if there is none, "option_range"."""
    if not text:
        raise IllegalMove("no_option")
    found = decimal(text)
    if found is None or not low <= found <= high:
        raise IllegalMove("option_range", low=low, high=high)
    return found


class Option(NamedTuple, Generic[OptionsT]):
    """Something that the master may choose by `/option`."""

    names: str
    """By which it is called: a word in each language."""
    chosen: Callable[[OptionsT, int], OptionsT]
    """The options with it; the number is the one that was typed behind the name."""
    least: int = 0
    most: int | None = None
    """The number may be from `least` to this. None: there is none."""


class Choices(NamedTuple, Generic[OptionsT]):
    """What `/option` does at a game's tables. As it is: the game has no options."""

    terms: Callable[[OptionsT, Words], tuple[str, ...]] = _no_terms
    """How a game with these options is played and what is at stake, in sentences."""
    usage: Callable[[Words], str] = _no_usage
    """What may be typed after `/option`, or who chooses the options of this game."""
    options: tuple[Option[OptionsT], ...] = ()

    def choose(self, options: OptionsT, text: str) -> OptionsT:
        """Return the options after a line such as `rounds 8`.

        Raise `IllegalMove`: "no_option" (the caller reads `usage`), or "option_range" (`low`, `high`).
        """
        name, _, rest = text.partition(" ")
        option = next((one for one in self.options if name.lower() in one.names.split()), None)
        if option is None or (option.most is None and rest.strip()):
            raise IllegalMove("no_option")
        return option.chosen(options, 0 if option.most is None else number(rest.strip(), option.least, option.most))


class Definition(NamedTuple, Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game."""

    rules: Game[StateT, MoveT, EventT, OptionsT]
    table: type[Table[StateT, EventT]]
    """The type of its tables' values."""
    settings: type[TableSettings]
    options: Callable[[Config], OptionsT]
    """The usual options: a game is played by them unless its master chooses others."""
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]
    key: str
    """The key in the casino's menu."""
    titles: Titles
    sentences: Callable[[LogEntry[EventT], Words], tuple[tuple[str, Style], ...]]
    """A line of the table's log, as a by-stander reads it."""
    public: Callable[[StateT], Public]
    """The public part of a state; made from `rules.view(state, None)`."""
    retold: Retold[StateT, MoveT, EventT, OptionsT]
    """How its past games are told."""
    phase: Callable[[str, int], str] = numbered
    """The name of a phase in a round, in English, as `yawcctl tables` prints it."""
    choices: Choices[OptionsT] = Choices()
    help: tuple[HelpPage, ...] = ()
    rehearsal_keys: str = ""
    """What a caller types on each turn in the rehearsal before the first fork; most of it does nothing then."""
    player: HousePlayer[ViewT, MoveT] | None = None
    """The program of its house players, or None if there are none at its tables."""
    needed: Callable[[OptionsT], int] = no_cubes
    """The CUBES that it takes to play by these options; the house lends them to house players."""
    keeps: Keeps[StateT] | None = None
    """How the seats of players who are gone are kept, with house players as stand-ins, or None if they are not."""

    reason: Callable[[ViewT, MoveT | None, MoveT | None, SealedChance], Reason | None] | None = None
    """Why the second move is better than the first, in this view, by a rule of thumb; None: none tells. It depends on
    nothing else. None among the moves: to say nothing."""

    linear: Linear[EventT, ViewT, LocalT] | None = None
    """What is told of it without a screen, beside its sentences; if it is None, what a small window shows."""


AnyDefinition = Definition[GameState, object, GameEvent, object, object, Local]
"""A game, for those who pass its values on and look into none."""
AnyRetold = Retold[GameState, object, GameEvent, object]
AnyFace = Face[GameState, object, GameEvent, object, object, Local]


def plain(game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]) -> AnyDefinition:
    """Return a game without its types.

    That is safe because what comes from a game, its states, moves and views, only ever goes back to the same game.
    """
    return cast(AnyDefinition, game)


def view_of(game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], state: StateT, seat: int) -> ViewT:
    """Return what a seat may see of a state: what a house player there chooses by."""
    seats = [Seat(1, 0, "", 0) if at == seat else None for at in range(game.rules.SEATS)]
    view = game.face.scene(Table(tuple(seats), game=state), 1, 0, 0.0).game
    assert view is not None, "a table with a game shows it"
    return view
