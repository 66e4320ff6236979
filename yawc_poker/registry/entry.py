"""A game in the registry: all that the program asks of it, without the types of its moves and states.

`entry` is the one place where a game's types are known together: mypy checks a definition against the contracts here,
and what comes out has no type variables.
"""

from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from msgspec import DecodeError

from yawc_poker.casino.instance.instance import AnyTable, Instance
from yawc_poker.casino.monitoring.overview import SeatView, TableView
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.catalogues import words
from yawc_poker.config import TableSettings
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import EventT, StateT
from yawc_poker.engine.table import Clocks, Table, empty, header, is_closing
from yawc_poker.engine.transcript import Transcript
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.table_ui.definition import Definition, Hand, Public, Titles
from yawc_poker.table_ui.face import Face, LocalT, MoveT, OptionsT, ViewT

MESSAGES = 10


class Visit(Protocol):
    """What a session does at a table, whatever game it plays."""

    def __call__(
        self,
        table: GameTable[StateT, MoveT, EventT, OptionsT],
        face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
        /,
    ) -> None:
        """Sit down, play, stand up."""


class Entry(NamedTuple):
    """A game, as everything above sees it."""

    kind: str
    """Its short name, as in the configuration, in shared memory and in the databases."""
    key: str
    titles: Titles
    seats: int
    fewest: int
    settings: type[TableSettings]
    table: Callable[[Instance, int], AnyTable]
    """This session's hands on a table, by its number in the segment; always the same object."""
    visit: Callable[[Instance, int, Visit], None]
    """Have a session do something at a table."""
    running: Callable[[Cell], tuple[int, Transcript] | None]
    """The ledger's number and the history of the game that runs in a cell; raises `TornRead`, `DecodeError`."""
    watch: Callable[[Cell, float], TableView]
    """A table as a by-stander sees it at a moment, in monotonic seconds; raises `TornRead`."""


class GameTables(Generic[StateT, MoveT, EventT, OptionsT]):
    """A game's tables, for each `Instance` of this process.

    Made before the first fork, with the game's codec: a decoder is some 800 kB of work and memory.
    """

    def __init__(self, game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]) -> None:
        self.rules = game.rules
        self.codec = Codec(game.table)
        self._settings = game.settings
        self._options = game.options
        self._made: WeakKeyDictionary[Instance, dict[int, GameTable[StateT, MoveT, EventT, OptionsT]]] = (
            WeakKeyDictionary()
        )

    def at(self, instance: Instance, number: int) -> GameTable[StateT, MoveT, EventT, OptionsT]:
        """Return this session's hands on a table, by its number in the segment; always the same object."""
        made = self._made.setdefault(instance, {})
        if number not in made:
            made[number] = GameTable(
                number,
                self.rules,
                self.codec,
                self._options(instance.config),
                clocks(instance.config.of(self._settings)),
                instance.segment,
                instance.bank,
                instance.directory,
                instance.notifier,
            )
        return made[number]

    def all(self, instance: Instance) -> list[GameTable[StateT, MoveT, EventT, OptionsT]]:
        """Return this session's hands on all tables of this game."""
        return [self.at(instance, cell.index) for cell in instance.segment.cells if cell.game == self.rules.KIND]

    def running(self, cell: Cell) -> tuple[int, Transcript] | None:
        """Return number and history of the game that runs in a cell; raise `TornRead`, `DecodeError`."""
        _, _, value = cell.read()
        table = self.codec.decode(value) if value else None
        if table is None or table.game is None or table.transcript is None:
            return None
        return table.number, table.transcript


def clocks(settings: TableSettings) -> Clocks:
    """Return the clocks that a game's settings ask for."""
    return Clocks(settings.turn_seconds, settings.master_seconds, settings.pause_seconds)


def entry(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    tables: GameTables[StateT, MoveT, EventT, OptionsT],
) -> Entry:
    """Return a game's entry in the registry."""
    rules = game.rules
    return Entry(
        kind=rules.KIND,
        key=game.key,
        titles=game.titles,
        seats=rules.SEATS,
        fewest=rules.FEWEST,
        settings=game.settings,
        table=tables.at,
        visit=lambda instance, number, visit: visit(tables.at(instance, number), game.face),
        running=tables.running,
        watch=lambda cell, now: _watch(game, tables, cell, now),
    )


# --- a by-stander's look ----------------------------------------------------------------------------------------------


def _watch(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    tables: GameTables[StateT, MoveT, EventT, OptionsT],
    cell: Cell,
    now: float,
) -> TableView:
    """Look at a table, in English, without a lock; nothing hidden can be in it, for the rules show it to nobody."""
    rules, speak = game.rules, words("en")
    commit, _, value = cell.read()
    try:
        table = tables.codec.decode(value) if value else empty(rules)
    except DecodeError as error:
        raise TornRead(f"table {cell.index + 1}: its value cannot be read: {error}") from None
    deadline = header(table, rules).deadline
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
        SeatView(seat + 1, who.name, seat == table.master, seat == current, *public.hands.get(seat, Hand()))
        for seat, who in enumerate(table.seats)
        if who is not None
    ]
