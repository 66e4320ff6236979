"""The casino's floor: which table plays which game. The one place where a game is put on a table."""

from collections.abc import Sequence
from typing import overload

from yawc_poker.casino.house import House
from yawc_poker.casino.tables import GameTable
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.table import Clocks, Table
from yawc_poker.games import POKER as POKER_RULES
from yawc_poker.games.poker.model import Event, Move, Options, State

POKER_CODEC = Codec(Table[State, Event])
"""Made when this module is imported, so before the fork: a decoder is some 800 kB of work and memory."""

PokerTable = GameTable[State, Move, Event, Options]


class Floor(Sequence[PokerTable]):
    """This session's hands on every table there is; each is put together when it is first asked for."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._made: dict[int, PokerTable] = {}

    def __len__(self) -> int:
        return len(self._house.segment.cells)

    @overload
    def __getitem__(self, index: int) -> PokerTable: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[PokerTable]: ...

    def __getitem__(self, index: int | slice) -> PokerTable | Sequence[PokerTable]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index not in self._made:
            self._made[index] = poker_table(self._house, index)
        return self._made[index]


def poker_table(house: House, number: int) -> PokerTable:
    """Give this session its hands on a poker table, by its number in the segment."""
    config = house.config.poker
    return GameTable(
        number,
        POKER_RULES,
        POKER_CODEC,
        Options(ante=config.ante, max_bet=config.max_bet),
        Clocks(config.turn_seconds, config.master_seconds, config.pause_seconds),
        house.segment,
        house.bank,
        house.directory,
        house.exchange,
    )
