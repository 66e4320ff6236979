"""Who waits at a table for one more."""

from random import Random

import pytest
from msgspec.structs import replace

from tests.made_up_game.game import RULES
from tests.made_up_game.rules import Event, Options, State
from yawc_poker.engine import table as tables
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.doppelkopf.game import RULES as DOPPELKOPF
from yawc_poker.games.poker.game import RULES as POKER

CLOCKS = Clocks()
MADE_UP = Table[State, Event]


def sit(table: MADE_UP, session: int) -> MADE_UP:
    return tables.sit(table, RULES, Seat(session, session, f"P{session}", 0), 0.0, CLOCKS)


def person(session: int, came: int = 0, program: str = "") -> Seat:
    return Seat(session, session, f"P{session}", 0, program=program, came=came)


def test_somebody_alone_waits_until_a_game_can_begin() -> None:
    table = tables.empty(RULES)
    assert tables.waiting(table, RULES) is None
    for session in range(1, RULES.FEWEST):
        table = sit(table, session)
        waiting = tables.waiting(table, RULES)
        assert (waiting is None) == (session not in {1, RULES.FEWEST - 1})
        assert waiting is None or waiting.user == 1
    table = sit(table, RULES.FEWEST)
    assert tables.waiting(table, RULES) is None, "there are enough"
    table = tables.start(table, RULES, 1, {}, Random(1), 0.0, Options(), CLOCKS).table
    assert tables.waiting(table, RULES) is None, "a game runs"
    assert tables.waiting(replace(sit(tables.empty(RULES), 1), invited=("easy",)), RULES) is None, (
        "one is asked to come"
    )


@pytest.mark.parametrize(("here", "waits"), [(0, False), (1, True), (2, False), (3, True), (4, False)])
def test_at_a_game_for_four_the_first_waits_and_the_third(here: int, waits: bool) -> None:
    seats = tuple(person(5 - number, 5 - number) if number < here else None for number in range(4))
    found = tables.waiting(replace(tables.empty(DOPPELKOPF), seats=seats), DOPPELKOPF)
    assert (found is not None) == waits
    if found is not None:
        assert found.came == 6 - here, "who has waited longest"


def test_who_is_away_does_not_count() -> None:
    awake, asleep = person(1, 1), replace(person(2, 2), missed=2)
    empty = tables.empty(POKER)
    found = tables.waiting(replace(empty, seats=(asleep, awake, None, None, None)), POKER)
    assert found is not None
    assert found.user == 1
    assert tables.waiting(replace(empty, seats=(asleep, None, None, None, None)), POKER) is None
    assert tables.waiting(replace(empty, seats=(replace(awake, held=9.0), None, None, None, None)), POKER) is None


def test_house_players_do_not_wait() -> None:
    seats = (person(9, program="easy 1"), None, None, None, None)
    assert tables.waiting(replace(tables.empty(POKER), seats=seats), POKER) is None
