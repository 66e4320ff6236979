"""A table around the end of a game, and its fixed header."""

import pytest
from msgspec.structs import replace

from tests.rules.table_run import TableRun
from yawc_poker.casino.tables.table_cell import header_of
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import NewMaster, SatDown, Voided
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import CHAT, LOG, Due, LogEntry, Seat
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Bet, Fold, Show
from yawc_poker.ipc.cell import Header


def house_of(names: str, cash: int = 100) -> TableRun:
    run = TableRun()
    for name in names:
        run.sit(name, cash)
    return run


def closing() -> TableRun:
    """Return a game that C, in seat 3, has won by a showdown, before anything was paid out."""
    run = house_of("ABC")
    run.start("A")
    run.do("A", Fold())
    run.do("B", Fold())
    run.do("C", Bet(4))
    change = tables.play(run.table, POKER, 3, Show(), run.money(), run.rng, run.now, run.clocks)
    run.table = change.table
    return run


def test_the_header_of_an_empty_table() -> None:
    assert header_of(TableRun().table, POKER) == Header(seats=(0,) * POKER.SEATS)


def test_the_header_of_a_game() -> None:
    run = house_of("AB")
    run.start("A")
    run.do("A", Bet(7))
    assert header_of(run.table, POKER) == Header(0, 1, 27, 0, 1, run.now + 60, (1, 2, *(0,) * (POKER.SEATS - 2)))


def test_actions_are_counted_within_a_game() -> None:
    run = house_of("ABC")
    actions = []
    run.start("A")
    actions.append(run.table.action)
    for name in "ABC":
        run.do(name, Bet(7))
        actions.append(run.table.action)
    run.chat("A", "hello")
    run.wait(60)
    actions.append(run.table.action)
    run.leave("B")
    actions.append(run.table.action)
    assert actions == [1, 2, 3, 4, 5, 6]


def test_a_game_waits_for_its_payout() -> None:
    run = closing()
    table = run.table
    assert table.due == (Due(3, 34),)
    assert (table.deadline, table.pot, table.last) == (None, 34, None)
    assert tables.is_closing(table, POKER)
    with pytest.raises(IllegalMove, match="closing"):
        tables.play(table, POKER, 3, Show(), {}, run.rng, run.now, run.clocks)
    with pytest.raises(IllegalMove, match="closing"):
        tables.start(table, POKER, 3, {}, run.rng, run.now, run.options, run.clocks)
    with pytest.raises(IllegalMove, match="closing"):
        tables.may_start(table, POKER, 2, run.now)
    assert tables.expire(table, POKER, run.now + 1000, run.rng, {}, run.clocks) is None


def test_nothing_is_done_while_somebody_closes() -> None:
    run = house_of("AB")
    run.start("A")
    table = tables.claim(run.table, 2)
    assert table.override == 2
    with pytest.raises(IllegalMove, match="closing"):
        tables.play(table, POKER, 1, Bet(5), run.money(), run.rng, run.now, run.clocks)
    with pytest.raises(IllegalMove, match="closing"):
        tables.expire(table, POKER, run.now + 60, run.rng, run.money(), run.clocks)


def test_the_winner_may_leave_before_the_payout() -> None:
    run = closing()
    table = tables.leave(run.table, POKER, 3, run.now, run.clocks).table
    assert table.due == (Due(3, 34),)
    table = tables.sit(table, POKER, Seat(9, 9, "Z", 50), run.now, run.clocks)
    assert table.due == (Due(3, 34),)
    table = tables.finish(tables.claim(table, 1), POKER, run.now, run.clocks)
    assert (table.due, table.override, table.game, table.pot, table.master) == ((), 0, None, 0, 0)
    assert table.last is not None
    assert table.last.players == (None,) * 5


def test_everybody_leaves_before_the_payout() -> None:
    run = closing()
    table = run.table
    for session in (1, 2, 3):
        table = tables.leave(table, POKER, session, run.now, run.clocks, removed=True).table
    assert (table.master, table.due) == (None, (Due(3, 34),))
    table = tables.finish(table, POKER, run.now, run.clocks)
    assert (table.master, table.deadline, table.last) == (None, None, None)
    assert table.pause_until == run.now + 30


def test_only_a_game_that_is_over_is_finished() -> None:
    run = house_of("AB")
    with pytest.raises(IllegalMove, match="no_game"):
        tables.finish(run.table, POKER, run.now, run.clocks)
    run.start("A")
    with pytest.raises(IllegalMove, match="game_running"):
        tables.finish(run.table, POKER, run.now, run.clocks)


def test_a_game_won_by_nobody_is_due_to_nobody() -> None:
    run = house_of("AB")
    run.start("A")
    run.do("A", Fold())
    change = tables.expire(run.table, POKER, run.now + 60, run.rng, run.money(), run.clocks)
    assert change is not None
    assert (change.table.due, change.table.pot) == ((), 20)


def test_no_move_without_a_game() -> None:
    run = house_of("AB")
    with pytest.raises(IllegalMove, match="no_game"):
        run.do("A", Bet(5))
    with pytest.raises(IllegalMove, match="not_seated"):
        run.do("Z", Bet(5))


def test_no_clock_has_run_out() -> None:
    run = house_of("AB")
    assert not run.expire()
    run.now += 179.99
    assert not run.expire()
    run.now += 0.01
    assert run.expire()


@pytest.mark.parametrize("person", [Seat(1, 9, "Z", 1), Seat(9, 1, "Z", 1), Seat(9, 9, "A", 1)])
def test_one_seat_for_a_session_a_user_and_a_name(person: Seat) -> None:
    run = house_of("A")
    with pytest.raises(IllegalMove, match="already_seated"):
        tables.sit(run.table, POKER, person, run.now, run.clocks)


def test_the_log_keeps_its_newest_entries_and_counts_all() -> None:
    run = house_of("A")
    for number in range(40):
        run.chat("A", f"line {number}")
    assert len(run.table.log) == LOG
    assert [entry.number for entry in run.table.log] == list(range(43 - LOG, 43))
    assert run.entries[0] == LogEntry(1, 1, "A", SatDown(0), 0)


def test_chat_is_cut_and_may_be_empty() -> None:
    run = house_of("A")
    run.chat("A", "")
    assert len(run.entries) == 2
    run.chat("A", "x" * (CHAT + 1))
    assert len(getattr(run.events[-1], "text", "")) == CHAT


def test_a_voided_game_gives_the_privilege_to_somebody_who_is_there() -> None:
    run = closing()
    table = tables.leave(run.table, POKER, 3, run.now, run.clocks).table
    assert (table.master, table.log[-1].event) == (0, NewMaster(0))
    table = tables.void(table, "", run.now, run.clocks)
    assert (table.master, table.deadline, table.log[-1].event) == (0, run.now + 180, Voided())


def test_a_voided_game_is_not_led_by_a_house_player() -> None:
    run = house_of("ABC")
    run.start("A")
    second = run.table.seats[1]
    assert second is not None
    run.leave("A")
    assert run.table.master == 1
    table = replace(run.table, seats=(None, replace(second, program="normal 1"), *run.table.seats[2:]))
    table = tables.void(table, "", run.now, run.clocks)
    assert (table.master, table.deadline, table.log[-1].event) == (2, run.now + 180, NewMaster(2))
