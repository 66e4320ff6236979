"""The casino's floor: which table plays which game. The one place where a game is put on a table."""

import logging
from collections.abc import Sequence
from typing import overload

from msgspec import DecodeError

from yawc_poker.casino.house import House
from yawc_poker.casino.tables import GameTable
from yawc_poker.engine.chronicle import Chronicle
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.table import Clocks, Table
from yawc_poker.games import POKER as POKER_RULES
from yawc_poker.games.poker.model import Event, Move, Options, State
from yawc_poker.ipc.cell import TornRead
from yawc_poker.ipc.segment import Segment

log = logging.getLogger(__name__)

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


def unfinished(segment: Segment) -> dict[int, Chronicle]:
    """Give what the tables of a segment know of games that were not finished, by the games' numbers in the ledger."""
    found = {}
    for cell in segment.cells:
        try:
            _, _, value = cell.read()
            table = POKER_CODEC.decode(value) if value else None
        except (TornRead, DecodeError) as error:
            log.warning("what was played at table %d is lost: %s", cell.index, error)
            continue
        if table is not None and table.game is not None and table.chronicle is not None:
            found[table.number] = table.chronicle
    return found
