"""All tables of a BBS, whatever game each one plays: a session's `GameTable`s, and reading a segment's tables."""

import logging
from collections.abc import Mapping, Sequence
from typing import overload

from msgspec import DecodeError

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.snapshot import TableView
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.digits import decimal
from yawc_poker.engine.transcript import Transcript
from yawc_poker.ipc.cell import Cell, TornRead, table_name
from yawc_poker.ipc.segment import Segment
from yawc_poker.registry.entry import Entry, UnknownGame
from yawc_poker.registry.games import game_of

log = logging.getLogger(__name__)


class Tables(Sequence[GameTable]):
    """Every table by its number in the segment, made on first use."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._cells = instance.segment.cells

    def __len__(self) -> int:
        return len(self._cells)

    @overload
    def __getitem__(self, index: int) -> GameTable: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[GameTable]: ...

    def __getitem__(self, index: int | slice) -> GameTable | Sequence[GameTable]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self.game(index).table(self._instance, index)

    def game(self, number: int) -> Entry:
        """Return the game that a table plays."""
        return game_of(self._cells[number].game)

    def of(self, game: Entry) -> list[int]:
        """Return the numbers of a game's tables."""
        return [cell.index for cell in self._cells if cell.game == game.kind]

    def word(self, number: int) -> str:
        """Return the word by which links name a table: `poker-1`."""
        game = self.game(number)
        return f"{game.kind}-{self.of(game).index(number) + 1}"

    def named(self, word: str) -> int | None:
        """Return the number of the table that a link names; None: there is none."""
        kind, _, at = word.lower().rpartition("-")
        tables = [cell.index for cell in self._cells if cell.game == kind]
        number = decimal(at) or 0
        return tables[number - 1] if 1 <= number <= len(tables) else None


def refuse_unknown(segment: Segment) -> None:
    """Raise `UnknownGame` if a table plays a game that this program does not have."""
    for cell in segment.cells:
        game_of(cell.game)


def table_view(cell: Cell, now: float) -> TableView:
    """Return a table as a by-stander sees it, in English; `now` in monotonic seconds. Raise `TornRead`."""
    try:
        game = game_of(cell.game)
    except UnknownGame as error:
        raise TornRead(f"table {cell.name}: {error}") from None
    return game.watch(cell, now)


def unfinished(segment: Segment) -> dict[int, Transcript]:
    """Return the transcripts of a segment's unfinished games, by the games' numbers in the ledger."""
    found = {}
    for cell in segment.cells:
        try:
            running = game_of(cell.game).running(cell)
        except (TornRead, DecodeError, UnknownGame) as error:
            log.warning("what was played at table %s is lost: %s", cell.name, error)
            continue
        if running is not None:
            found[running[0]] = running[1]
    return found


def unfinished_in(values: Mapping[int, bytes], kinds: Sequence[str]) -> dict[int, Transcript]:
    """Return the same for the values of tables, by their numbers; `kinds` are the games that all tables play."""
    found = {}
    for number, value in values.items():
        try:
            running = game_of(kinds[number]).running_in(value)
        except (DecodeError, UnknownGame, IndexError) as error:
            log.warning("what was played at table %s is lost: %s", table_name(kinds, number), error)
            continue
        if running is not None:
            found[running[0]] = running[1]
    return found


def pots_in(values: Mapping[int, bytes], kinds: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Return number and pot of the game that runs at each table, by the table's number.

    Raise `DecodeError`, `UnknownGame`, `IndexError` for what this program cannot read.
    """
    return {
        number: pot for number, value in values.items() if (pot := game_of(kinds[number]).pot_in(value)) is not None
    }
