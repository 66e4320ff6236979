"""A game in the registry: all that the program asks of it, without the types of its moves and states.

An `Entry` is made where a game's types are known together: mypy checks a definition against the contracts, and what
comes out has no type variables.
"""

import math
from collections.abc import Collection, Iterator
from typing import Final, Generic, cast
from weakref import WeakKeyDictionary

from msgspec import DecodeError

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.programs import Program
from yawc_poker.casino.bank.verify import Verification, sample, verify
from yawc_poker.casino.instance.instance import Instance, game_table
from yawc_poker.casino.snapshot import SeatView, TableView
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.casino.tables.table_context import TableContext, TableRules
from yawc_poker.catalogues import words
from yawc_poker.config import TableSettings
from yawc_poker.engine.codec import AnyCodec, Codec
from yawc_poker.engine.game import EventT, GameState, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.house import Level, SealedChance
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.table import empty, is_closing, read_log
from yawc_poker.engine.transcript import Transcript
from yawc_poker.engine.values import AnyTable, Clocks, is_asleep
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.registry import stories
from yawc_poker.registry.stories import Results
from yawc_poker.table_ui.definition import Definition, Hand, Public, plain, view_of
from yawc_poker.table_ui.narrative import StoryLine
from yawc_poker.table_ui.scene import ONLOOKER, LocalT
from yawc_poker.words import Words

MESSAGES = 10


class UnknownGame(LookupError):
    """There is no such game in this program; `str()` is one line that names it."""


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
        self._needed = game.needed
        self._made: WeakKeyDictionary[Instance, dict[int, GameTable]] = WeakKeyDictionary()

    def at(self, instance: Instance, number: int) -> GameTable:
        """Return this session's `GameTable` by the table's number in the segment; always the same object."""
        made = self._made.setdefault(instance, {})
        if number not in made:
            config = instance.config
            options, clocked = self._options(config), clocks(config.of(self._settings))
            context = table_context(instance, number)
            rules = TableRules.of(self.rules, self.codec, options, clocked, self._kept(instance), self._needed)
            made[number] = game_table(instance, context, rules)
        return made[number]

    def _kept(self, instance: Instance) -> Keeps[StateT] | None:
        """Return how seats are kept: as the game does it, with house players as well as they usually play here."""
        house = instance.config.house
        return self._keeps._replace(level=house.level) if self._keeps is not None and house.players else None

    def all(self, instance: Instance) -> list[GameTable]:
        """Return this session's `GameTable` of each table of this game."""
        return [self.at(instance, cell.index) for cell in instance.segment.cells if cell.game == self.rules.KIND]


def table_context(instance: Instance, number: int) -> TableContext:
    """Return what this session needs at a table, by its number in the segment."""
    cell = instance.segment.cells[number]
    stakes = Stakes(instance.bank, number, cell.name, instance.config.house)
    return TableContext(number, cell, instance.segment, instance.directory, instance.notifier, stakes)


def clocks(settings: TableSettings) -> Clocks:
    """Return the clocks that a game's settings ask for."""
    return Clocks(settings.turn_seconds, settings.master_seconds, settings.pause_seconds, settings.reveal_seconds)


class Entry:
    """A game, as everything above sees it."""

    def __init__(
        self,
        game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
        tables: GameTables[StateT, MoveT, EventT, OptionsT] | None = None,
    ) -> None:
        """`tables` are its tables, where others use them by their types, too."""
        self.definition: Final = plain(game)
        made = GameTables(game) if tables is None else tables
        self.table: Final = made.at
        """This session's `GameTable` by the table's number in the segment; always the same object."""
        self._codec: Final = cast(AnyCodec, made.codec)
        self._rules: Final = self.definition.rules
        self._retold: Final = self.definition.retold
        self.kind: Final = self._rules.KIND
        """Its short name, as in the configuration, in shared memory and in the databases."""
        self.key: Final = game.key
        """The key in the casino's menu."""
        self.titles: Final = game.titles
        self.seats: Final = self._rules.SEATS
        self.fewest: Final = self._rules.FEWEST
        self.settings: Final = game.settings
        self.phase: Final = game.phase
        """The name of a phase in a round, in English."""
        self.help: Final = game.help
        self.rehearsal_keys: Final = game.rehearsal_keys
        """What a caller types on each of their turns in the rehearsal before the first fork."""
        self.has_house: Final = game.player is not None
        """Whether it has a program for house players."""

    # --- its tables ---------------------------------------------------------------------------------------------------

    def chosen(self, instance: Instance, number: int, words: Words) -> tuple[str, ...]:
        """Return what the master of a table has chosen, in sentences; nothing where the usual options hold."""
        options = self.table(instance, number).look().options
        return self.definition.choices.terms(self._rules.read_options(options), words) if options else ()

    def running(self, cell: Cell) -> tuple[int, Transcript] | None:
        """Return the ledger's number and the transcript of the game that runs in a cell.

        Raise `TornRead`, `DecodeError`.
        """
        _, _, value = cell.read()
        return self.running_in(value)

    def running_in(self, value: bytes) -> tuple[int, Transcript] | None:
        """Return the same for a table's value. Raise `DecodeError`."""
        table = self._codec.decode(value) if value else None
        if table is None or table.game is None or table.transcript is None:
            return None
        return table.number, table.transcript

    def pot_in(self, value: bytes) -> tuple[int, int] | None:
        """Return number and pot of the game of a table's value, or None if none runs. Raise `DecodeError`."""
        table = self._codec.decode(value) if value else None
        return None if table is None or table.game is None else (table.number, table.pot)

    def watch(self, cell: Cell, now: float) -> TableView:
        """Return a table as a by-stander sees it at a moment, in monotonic seconds, in English. Raise `TornRead`.

        It is read without a lock, and holds only what the rules show a by-stander.
        """
        game, rules, speak = self.definition, self._rules, words("en")
        commit, _, value = cell.read()
        try:
            table = self._codec.decode(value) if value else empty(rules)
        except DecodeError as error:
            raise TornRead(f"table {cell.name}: its value cannot be read: {error}") from None
        deadline = None if table.deadline == math.inf else table.deadline
        state = table.last if table.game is None else table.game
        public = Public("", 0, {}) if state is None else game.public(state)
        running = table.game is not None
        current = None if table.game is None else rules.to_move(table.game)
        log = read_log(table, rules, ONLOOKER)
        return TableView(
            table=cell.index + 1,
            table_name=cell.name,
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
            messages=[text for line in log for text, _ in game.sentences(line, speak)][-MESSAGES:],
        )

    # --- its past games -----------------------------------------------------------------------------------------------

    def verify(self, played: PastGame) -> Verification:
        """Check a past game; that includes the choices of house players, which takes as long as they thought."""
        return verify(played, self._rules, self._program())

    def checked(self, played: PastGame) -> Verification:
        """Check a past game without these choices."""
        return verify(played, self._rules, repeat=False)

    def sampled(self, played: PastGame) -> Iterator[bool]:
        """Yield of one move of a house player after the other whether it is the one that its program chooses."""
        return sample(played, self._rules, self._program())

    def story(self, played: PastGame, user: int, words: Words) -> Iterator[StoryLine]:
        """Return a past game told to a user, by their number. Raise `Contradiction` and `ValueError`, as `replay`."""
        return stories.story(self._retold, played, user, words)

    def opened(self, played: PastGame, user: int) -> Collection[str]:
        """Return the cards of a past game that a user may open for good."""
        return stories.opened(self._retold, self._rules.DECK, played, user)

    def consequences(self, played: PastGame, words: Words) -> dict[int, list[str]]:
        """Return what the rules made of each action of a past game, by its number."""
        return stories.consequences(self._retold, played, words)

    def results(self, played: PastGame) -> Results:
        """Return the results of a past game of points or places."""
        return stories.results(self._retold, played)

    def shares(self, played: PastGame, words: Words) -> tuple[str, ...]:
        """Return each player's CUBES, points or place in words, in the order of `Summary.players`."""
        return stories.shares(self._retold, played, words)

    def describe_move(self, detail: str) -> str:
        """Return a move in English, from its JSON. Raise `msgspec.DecodeError`."""
        return self._retold.move(self._rules.read_move(detail))

    def _program(self) -> Program[GameState, object] | None:
        game = self.definition
        if (player := game.player) is None:
            return None

        def choose(state: GameState, seat: int, level: Level, chance: SealedChance, stands_in: bool) -> object:
            return player.chooser(stands_in=stands_in)(view_of(game, state, seat), level, chance)

        return Program(player.version, choose)


def _seats(table: AnyTable, current: int | None, public: Public) -> list[SeatView]:
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
