"""The casino's floor: which table plays which game. The one place where a game is put on a table."""

from yawc_poker.casino.house import House
from yawc_poker.casino.tables import GameTable
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.table import Clocks, Table
from yawc_poker.games import POKER as POKER_RULES
from yawc_poker.games.poker.model import Event, Move, Options, State

POKER = 0
"""Number of the poker table in the segment."""

POKER_CODEC = Codec(Table[State, Event])
"""Made when this module is imported, so before the fork: a decoder is some 800 kB of work and memory."""

PokerTable = GameTable[State, Move, Event, Options]


def poker_table(house: House) -> PokerTable:
    """Give this session its hands on the poker table."""
    config = house.config.poker
    return GameTable(
        POKER,
        POKER_RULES,
        POKER_CODEC,
        Options(ante=config.ante, max_bet=config.max_bet),
        Clocks(config.turn_seconds, config.master_seconds, config.pause_seconds),
        house.segment,
        house.bank,
        house.directory,
        house.exchange,
    )
