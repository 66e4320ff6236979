"""The choices of poker's house players, made from a table's value and repeated from the record of its game."""

from random import Random

import pytest

from yawc_poker.casino.bank.programs import Program, repeated
from yawc_poker.engine import company, sealing
from yawc_poker.engine import table as tables
from yawc_poker.engine.house import LEVELS, Level, SealedChance, chance_of
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Transcript, seed
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.poker.game import POKER, RULES
from yawc_poker.games.poker.model import Bet, Event, Move, Options, Show, State, Swap
from yawc_poker.games.poker.player.afterwards import HOUSE
from yawc_poker.table_ui.definition import view_of

CLOCKS = Clocks()
CASH = (900, 700, 800)
"""By seat; that of the person grows while they play."""


def choose(state: State, seat: int, level: Level, chance: SealedChance, stands_in: bool = False) -> Move:
    return HOUSE.choose(view_of(POKER, state, seat), level, chance)


def persons(state: State) -> Move:
    """The move of a person who always stays."""
    moves: dict[str, Move] = {"swap": Swap((0, 1)), "showdown": Show()}
    return moves.get(state.phase, Bet(state.low))


def played(level: Level, number: int) -> Transcript:
    """Return the record of a game of a person and two house players."""
    table: Table[State, Event] = tables.sit(tables.empty(RULES), RULES, Seat(1, 1, "Anna", CASH[0]), 0.0, CLOCKS)
    for session in (2, 3):
        table = company.invite(table, 1, level)
        person = Seat(session, session, f"P{session}*", CASH[session - 1], program=f"{level} {HOUSE.version}")
        table = tables.sit(table, RULES, person, 0.0, CLOCKS)
    table = tables.start(table, RULES, 1, dict(enumerate(CASH)), Random(number), 0.0, Options(), CLOCKS).table
    while (state := table.game) is not None and (seat := RULES.to_move(state)) is not None:
        assert table.transcript is not None
        owned = dict(enumerate(state.cash))
        if seat:
            move = choose(state, seat, level, chance_of(seed(table.transcript), seat, table.action))
            table = tables.play(table, RULES, seat + 1, move, owned, Random(1), 0.0, CLOCKS, table).table
        else:
            cash = {**owned, 0: owned[0] + 7}
            table = tables.play(table, RULES, 1, persons(state), cash, Random(1), 0.0, CLOCKS).table
    assert table.transcript is not None
    return table.transcript


@pytest.mark.parametrize("level", LEVELS)
def test_every_choice_is_repeated_though_cash_comes_from_outside(level: Level) -> None:
    for number in range(5):
        book = played(level, number)
        assert book.deck is not None
        steps = list(replay(RULES, sealing.dealing(book.deck, book.words), book.actions))
        found = repeated(steps, RULES, Program(HOUSE.version, choose), seed(book))
        assert found is not None
        assert found[0], found[1]
        assert found[1].endswith("of 2 house players, each by its program")
        other = repeated(steps, RULES, Program(HOUSE.version + 1, choose), seed(book))
        assert other is not None
        assert "not repeated" in other[1]
