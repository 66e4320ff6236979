"""A game in the registry: all that the program asks of it, without the types of its moves and states.

`entry` is the one place where a game's types are known together: mypy checks a definition against the contracts here,
and what comes out has no type variables.
"""

import math
from collections.abc import Callable, Collection, Iterator
from typing import Generic, NamedTuple
from weakref import WeakKeyDictionary

from msgspec import DecodeError

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.programs import Program
from yawc_poker.casino.bank.verify import Verification, sample, verify
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.snapshot import SeatView, TableView
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.catalogues import words
from yawc_poker.config import TableSettings
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.table import empty, is_closing
from yawc_poker.engine.transcript import Transcript
from yawc_poker.engine.values import Clocks, Table, is_asleep
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.registry import stories
from yawc_poker.registry.stories import Results
from yawc_poker.table_ui.definition import AnyDefinition, Definition, Hand, HelpPage, Public, Titles, plain, view_of
from yawc_poker.table_ui.narrative import StoryLine
from yawc_poker.table_ui.scene import LocalT
from yawc_poker.words import Words

MESSAGES = 10


class UnknownGame(LookupError):
    """There is no such game in this program; `str()` is one line that names it."""


class Entry(NamedTuple):
    """A game, as everything above sees it."""

    kind: str
    """Its short name, as in the configuration, in shared memory and in the databases."""
    key: str
    """The key in the casino's menu."""
    titles: Titles
    seats: int
    fewest: int
    settings: type[TableSettings]
    definition: AnyDefinition
    table: Callable[[Instance, int], GameTable]
    """This session's `GameTable` by the table's number in the segment; always the same object."""
    chosen: Callable[[Instance, int, Words], tuple[str, ...]]
    """What the master of a table has chosen, in sentences; nothing where the usual options hold."""
    running: Callable[[Cell], tuple[int, Transcript] | None]
    """The ledger's number and the transcript of the game that runs in a cell. Raise `TornRead`, `DecodeError`."""
    running_in: Callable[[bytes], tuple[int, Transcript] | None]
    """The same of a table's value. Raise `DecodeError`."""
    pot_in: Callable[[bytes], tuple[int, int] | None]
    """Number and pot of the game of a table's value; None: none runs. Raise `DecodeError`."""
    watch: Callable[[Cell, float], TableView]
    """A table as a by-stander sees it at a moment, in monotonic seconds. Raise `TornRead`."""
    phase: Callable[[str, int], str]
    """The name of a phase in a round, in English."""
    verify: Callable[[PastGame], Verification]
    """Check a past game; that includes the choices of house players, which takes as long as they thought."""
    checked: Callable[[PastGame], Verification]
    """The same without these choices."""
    sampled: Callable[[PastGame], Iterator[bool]]
    """Yield of one move of a house player after the other whether it is the one that its program chooses."""
    story: Callable[[PastGame, int, Words], Iterator[StoryLine]]
    """A past game told to a user, by their number. Raise `Contradiction` and `ValueError`, as `engine.replay`."""
    opened: Callable[[PastGame, int], Collection[str]]
    """The cards of a past game that a user may open for good."""
    consequences: Callable[[PastGame, Words], dict[int, list[str]]]
    """What the rules made of each action of a past game, by its number."""
    results: Callable[[PastGame], Results]
    """The results of a past game of points or places."""
    shares: Callable[[PastGame, Words], tuple[str, ...]]
    """Each player's CUBES, points or place in words, in the order of `Summary.players`."""
    describe_move: Callable[[str], str]
    """A move in English, from its JSON. Raise `msgspec.DecodeError`."""
    help: tuple[HelpPage, ...]
    rehearsal_keys: str
    """What a caller types on each of their turns in the rehearsal before the first fork."""
    has_house: bool
    """Whether it has a program for house players."""


class GameTables(Generic[StateT, MoveT, EventT, OptionsT]):
    """A game's tables, for each `Instance` of this process.

    Made before the first fork, with the game's codec: a decoder costs some 800 kB of memory.
    """

    def __init__(self, game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]) -> None:
        self.rules = game.rules
        self.codec = Codec(game.table)
        self._settings = game.settings
        self._options = game.options
        self._keeps = game.keeps
        self._made: WeakKeyDictionary[Instance, dict[int, GameTable]] = WeakKeyDictionary()

    def at(self, instance: Instance, number: int) -> GameTable:
        """Return this session's `GameTable` by the table's number in the segment; always the same object."""
        made = self._made.setdefault(instance, {})
        if number not in made:
            config = instance.config
            options, clocked = self._options(config), clocks(config.of(self._settings))
            made[number] = GameTable(
                table_context(instance, number),
                TableRules.of(self.rules, self.codec, options, clocked, self._kept(instance)),
                config.cluster.lease_seconds,
            )
        return made[number]

    def _kept(self, instance: Instance) -> Keeps[StateT] | None:
        """Return how seats are kept: as the game does it, with house players as well as they usually play here."""
        house = instance.config.house
        return self._keeps._replace(level=house.level) if self._keeps is not None and house.players else None

    def all(self, instance: Instance) -> list[GameTable]:
        """Return this session's `GameTable` of each table of this game."""
        return [self.at(instance, cell.index) for cell in instance.segment.cells if cell.game == self.rules.KIND]

    def running(self, cell: Cell) -> tuple[int, Transcript] | None:
        """Return number and transcript of the game that runs in a cell. Raise `TornRead`, `DecodeError`."""
        _, _, value = cell.read()
        return self.running_in(value)

    def running_in(self, value: bytes) -> tuple[int, Transcript] | None:
        """Return the same for a table's value. Raise `DecodeError`."""
        table = self.codec.decode(value) if value else None
        if table is None or table.game is None or table.transcript is None:
            return None
        return table.number, table.transcript

    def pot_in(self, value: bytes) -> tuple[int, int] | None:
        """Return number and pot of the game of a table's value. Raise `DecodeError`."""
        table = self.codec.decode(value) if value else None
        return None if table is None or table.game is None else (table.number, table.pot)


def table_context(instance: Instance, number: int) -> TableContext:
    """Return what this session needs at a table, by its number in the segment."""
    cell = instance.segment.cells[number]
    stakes = Stakes(instance.bank, number, cell.game)
    return TableContext(number, cell, instance.segment, instance.directory, instance.notifier, stakes)


def clocks(settings: TableSettings) -> Clocks:
    """Return the clocks that a game's settings ask for."""
    return Clocks(settings.turn_seconds, settings.master_seconds, settings.pause_seconds, settings.reveal_seconds)


def entry(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    tables: GameTables[StateT, MoveT, EventT, OptionsT] | None = None,
) -> Entry:
    """Return a game's entry in the registry; `tables` where others use them by their types, too."""
    made = GameTables(game) if tables is None else tables
    rules, retold = game.rules, game.retold
    return Entry(
        kind=rules.KIND,
        key=game.key,
        titles=game.titles,
        seats=rules.SEATS,
        fewest=rules.FEWEST,
        settings=game.settings,
        definition=plain(game),
        table=made.at,
        chosen=lambda instance, number, words: _chosen(game, made.at(instance, number), words),
        running=made.running,
        running_in=made.running_in,
        pot_in=made.pot_in,
        watch=lambda cell, now: _watch(game, made, cell, now),
        phase=game.phase,
        verify=lambda played: verify(played, rules, _program(game)),
        checked=lambda played: verify(played, rules, repeat=False),
        sampled=lambda played: sample(played, rules, _program(game)),
        story=lambda played, user, words: stories.story(retold, played, user, words),
        opened=lambda played, user: stories.opened(retold, rules.DECK, played, user),
        consequences=lambda played, words: stories.consequences(retold, played, words),
        results=lambda played: stories.results(retold, played),
        shares=lambda played, words: stories.shares(retold, played, words),
        describe_move=lambda detail: stories.move_text(rules, retold, detail),
        help=game.help,
        rehearsal_keys=game.rehearsal_keys,
        has_house=game.player is not None,
    )


def _program(game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]) -> Program[StateT, MoveT] | None:
    if game.player is None:
        return None
    version, choose = game.player
    return Program(version, lambda state, seat, level, chance: choose(view_of(game, state, seat), level, chance))


def _chosen(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], table: GameTable, words: Words
) -> tuple[str, ...]:
    options = table.look().options
    return game.choices.terms(game.rules.read_options(options), words) if options else ()


# --- a by-stander's look ----------------------------------------------------------------------------------------------


def _watch(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    tables: GameTables[StateT, MoveT, EventT, OptionsT],
    cell: Cell,
    now: float,
) -> TableView:
    """Return a table in English, read without a lock; it holds only what the rules show a by-stander."""
    rules, speak = game.rules, words("en")
    commit, _, value = cell.read()
    try:
        table = tables.codec.decode(value) if value else empty(rules)
    except DecodeError as error:
        raise TornRead(f"table {cell.index + 1}: its value cannot be read: {error}") from None
    deadline = None if table.deadline == math.inf else table.deadline
    state = table.last if table.game is None else table.game
    public = Public("", 0, {}) if state is None else game.public(state)
    running = table.game is not None
    current = None if table.game is None else rules.to_move(table.game)
    return TableView(
        table=cell.index + 1,
        game=rules.KIND,
        seats=_seats(table, current, public),
        number=table.number,
        running=running,
        phase=public.phase if running else "",
        round=public.round if running else 0,
        pot=table.pot,
        seconds=None if deadline is None else round(deadline - now, 1),
        closing=is_closing(table, rules),
        commit=commit,
        messages=[text for line in table.log for text, _ in game.sentences(line, speak)][-MESSAGES:],
    )


def _seats(table: Table[StateT, EventT], current: int | None, public: Public) -> list[SeatView]:
    return [
        SeatView(
            seat + 1,
            who.name,
            seat == table.master,
            seat == current,
            *public.hands.get(seat, Hand()),
            house=bool(who.program),
            away=is_asleep(who),
            line=not who.held,
        )
        for seat, who in enumerate(table.seats)
        if who is not None
    ]
