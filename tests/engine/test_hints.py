"""Where hints may be taken, who learns of it, and what the game's history says of it. By the rules of a table alone."""

import pytest
from msgspec.structs import replace

from tests.engine.test_onlookers import hall, session
from tests.rules.table_run import TableRun
from yawc_poker.engine.events import HintsMay, TakesHints
from yawc_poker.engine.game import Dealing, IllegalMove
from yawc_poker.engine.hints import HINT, allow, may_take, take
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.replay import positions
from yawc_poker.engine.values import Clocks, Reserved
from yawc_poker.games.poker.game import RULES as POKER

CLOCKS = Clocks()


def allowed(run: TableRun, name: str, *, on: bool = True) -> None:
    run.table = allow(run.table, session(run, name), on=on, now=run.now, clocks=CLOCKS)


def on_turn(run: TableRun) -> tuple[int, int]:
    """Return seat and session of the one on turn."""
    assert run.table.game is not None
    assert run.table.game.current is not None
    who = run.table.seats[run.table.game.current]
    assert who is not None
    return run.table.game.current, who.session


def test_between_people_the_master_allows_them_before_the_game_and_all_have_time_to_leave() -> None:
    run = hall("A", "B")
    run.now += CLOCKS.pause
    with pytest.raises(IllegalMove, match="not_master"):
        allowed(run, "B")
    allowed(run, "A")
    assert run.table.log[-1].event == HintsMay(0, allowed=True)
    assert run.table.pause_until == run.now + CLOCKS.pause
    before = run.table
    allowed(run, "A")
    assert run.table is before
    run.now += CLOCKS.pause
    run.start(str(run.master))
    for on in (True, False):
        with pytest.raises(IllegalMove, match="game_running"):
            allowed(run, "A", on=on)
    assert may_take(run.table, on_turn(run)[0])


def test_that_outlives_its_master_but_not_the_last_person() -> None:
    run = hall("A", "B")
    allowed(run, "A")
    run.leave("A")
    assert run.table.hints
    run.leave("B")
    assert not run.table.hints


def test_whoever_takes_one_is_named_once_and_stands_in_the_history() -> None:
    run = hall("A", "B")
    allowed(run, "A")
    run.now += CLOCKS.pause
    run.start(str(run.master))
    seat, token = on_turn(run)
    other = next(one.session for at, one in enumerate(run.table.seats) if one is not None and at != seat)
    with pytest.raises(IllegalMove, match="too_late"):
        take(run.table, POKER, other, run.now)
    before = run.table
    run.table = take(run.table, POKER, token, run.now)
    assert [entry.event for entry in run.table.log if entry.number > before.logged] == [TakesHints(seat)]
    assert run.table.transcript is not None
    action = run.table.transcript.actions[-1]
    assert (action.kind, action.seat, action.detail) == (HINT, seat, "")
    assert (run.table.game, run.table.deadline) == (before.game, before.deadline)
    assert take(run.table, POKER, token, run.now) is run.table


def test_a_replay_tells_it_where_it_happened() -> None:
    run = hall("A", "B")
    allowed(run, "A")
    run.now += CLOCKS.pause
    run.start(str(run.master))
    seat, token = on_turn(run)
    run.table = take(run.table, POKER, token, run.now)
    book = run.table.transcript
    assert book is not None
    assert book.deck is not None
    *_, last = positions(POKER, Dealing(book.deck.order), [*run.actions, *book.actions])
    assert [row.event for row in last.rows] == [TakesHints(seat)]
    assert len(last.table.helped) == 1


def test_with_house_players_alone_nobody_has_to_agree_and_a_reserved_table_has_none() -> None:
    run = hall("A", "B")
    run.now += CLOCKS.pause
    run.start(str(run.master))
    seat, token = on_turn(run)
    assert not may_take(run.table, seat)
    with pytest.raises(IllegalMove, match="too_late"):
        take(run.table, POKER, token, run.now)
    other = 1 - seat
    who = run.table.seats[other]
    assert who is not None
    seats = tuple(
        replace(who, user=HOUSE_USERS.start, program="hard 1") if at == other else one
        for at, one in enumerate(run.table.seats)
    )
    there = replace(run.table, seats=seats)
    assert not may_take(there, seat)  # a person was dealt in, and has gone since
    players = tuple(HOUSE_USERS.start if at == other else user for at, user in enumerate(there.players))
    alone = replace(there, players=players)
    assert may_take(alone, seat)
    assert take(alone, POKER, token, run.now).helped
    assert not may_take(replace(alone, hints=True, reserved=Reserved("t", (), 2, 1)), seat)


def test_the_next_game_begins_without() -> None:
    run = hall("A", "B")
    allowed(run, "A")
    run.now += CLOCKS.pause
    run.start(str(run.master))
    run.table = take(run.table, POKER, on_turn(run)[1], run.now)
    run.leave("B")
    run.sit("C")
    run.now += CLOCKS.pause
    run.start(str(run.master))
    assert run.table.helped == ()
