"""The casino's floor: which table plays which game. The one place where a game is put on a table."""

import logging
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

from msgspec import DecodeError

from yawc_poker.casino.house import AnyTable, House, kind_of, poker_tables
from yawc_poker.casino.tables import GameTable
from yawc_poker.engine.chronicle import Chronicle
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import E, S
from yawc_poker.engine.table import Clocks, Table
from yawc_poker.games import MAUMAU as MAUMAU_RULES
from yawc_poker.games import POKER as POKER_RULES
from yawc_poker.games import MaumauGame, of_kind
from yawc_poker.games.maumau import model as maumau
from yawc_poker.games.poker import model as poker
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.ipc.segment import Segment

log = logging.getLogger(__name__)

POKER_CODEC = Codec(Table[poker.State, poker.Event])
"""Made when this module is imported, so before the fork: a decoder is some 800 kB of work and memory."""
MAUMAU_CODEC = Codec(Table[maumau.State, maumau.Event])

PokerTable = GameTable[poker.State, poker.Move, poker.Event, poker.Options]
MaumauTable = GameTable[maumau.State, maumau.Move, maumau.Event, maumau.Options]

T = TypeVar("T")


class Room(Sequence[T], Generic[T]):
    """The tables of one game, in a row; each is put together when it is first asked for."""

    def __init__(self, first: int, count: int, make: Callable[[int], T]) -> None:
        self.first = first
        """The segment's number of the first one."""
        self._count = count
        self._make = make
        self._made: dict[int, T] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index not in self._made:
            self._made[index] = self._make(self.first + index)
        return self._made[index]


class Floor(Sequence[AnyTable]):
    """This session's hands on every table there is, by its number in the segment: poker's first, then Mau-Mau's."""

    def __init__(self, house: House, maumau: MaumauGame = MAUMAU_RULES) -> None:
        """`maumau` are the rules that its tables go by."""
        self._tables = len(house.segment.cells)
        self.poker: Room[PokerTable] = Room(0, poker_tables(house.segment), lambda number: poker_table(house, number))
        self.maumau: Room[MaumauTable] = Room(
            len(self.poker), self._tables - len(self.poker), lambda number: maumau_table(house, number, maumau)
        )

    def __len__(self) -> int:
        return self._tables

    @overload
    def __getitem__(self, index: int) -> AnyTable: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[AnyTable]: ...

    def __getitem__(self, index: int | slice) -> AnyTable | Sequence[AnyTable]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self.poker[index] if index < len(self.poker) else self.maumau[index - len(self.poker)]


def poker_table(house: House, number: int) -> PokerTable:
    """Give this session its hands on a poker table, by its number in the segment."""
    config = house.config.poker
    return GameTable(
        number,
        POKER_RULES,
        POKER_CODEC,
        poker.Options(ante=config.ante, max_bet=config.max_bet),
        Clocks(config.turn_seconds, config.master_seconds, config.pause_seconds),
        house.segment,
        house.bank,
        house.directory,
        house.exchange,
    )


def maumau_table(house: House, number: int, rules: MaumauGame = MAUMAU_RULES) -> MaumauTable:
    """Give this session its hands on a Mau-Mau table, by its number in the segment."""
    config = house.config.maumau
    return GameTable(
        number,
        rules,
        MAUMAU_CODEC,
        maumau.Options(rounds=config.rounds),
        Clocks(config.turn_seconds, config.master_seconds, config.pause_seconds),
        house.segment,
        house.bank,
        house.directory,
        house.exchange,
    )


def unfinished(segment: Segment) -> dict[int, Chronicle]:
    """Give what the tables of a segment know of games that were not finished, by the games' numbers in the ledger."""
    found = {}
    for cell in segment.cells:
        try:
            running = of_kind(_RUNNING, kind_of(segment, cell.index))(cell)
        except (TornRead, DecodeError) as error:
            log.warning("what was played at table %d is lost: %s", cell.index + 1, error)
            continue
        if running is not None:
            found[running[0]] = running[1]
    return found


def _running(cell: Cell, codec: Codec[S, E]) -> tuple[int, Chronicle] | None:
    _, _, value = cell.read()
    table = codec.decode(value) if value else None
    if table is None or table.game is None or table.chronicle is None:
        return None
    return table.number, table.chronicle


_RUNNING: dict[str, Callable[[Cell], tuple[int, Chronicle] | None]] = {
    POKER_RULES.KIND: lambda cell: _running(cell, POKER_CODEC),
    MAUMAU_RULES.KIND: lambda cell: _running(cell, MAUMAU_CODEC),
}
