"""A table around the end of a game, and what its fixed header says."""

import pytest

from tests.rules.house import House
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import CHAT, LOG, Due, Entry, Header, NewMaster, SatDown, Seat
from yawc_poker.games import POKER
from yawc_poker.games.poker.model import Bet, Fold, Show


def house_of(names: str, cash: int = 100) -> House:
    house = House()
    for name in names:
        house.sit(name, cash)
    return house


def closing() -> House:
    """A game that C, in seat 3, has won by a showdown of his own, before anything was paid out."""
    house = house_of("ABC")
    house.start("A")
    house.do("A", Fold())
    house.do("B", Fold())
    house.do("C", Bet(4))
    change = tables.play(house.table, POKER, 3, Show(), house.money(), house.rng, house.now, house.clocks)
    house.table = change.table
    return house


def test_the_header_of_an_empty_table() -> None:
    assert tables.header(House().table, POKER) == Header(None, None, 0, 0, 0, None)


def test_the_header_of_a_game() -> None:
    house = house_of("AB")
    house.start("A")
    house.do("A", Bet(7))
    assert tables.header(house.table, POKER) == Header(0, 1, 27, 0, 1, house.now + 60)


def test_actions_are_counted_within_a_game() -> None:
    house = house_of("ABC")
    actions = []
    house.start("A")
    actions.append(house.table.action)
    for name in "ABC":
        house.do(name, Bet(7))
        actions.append(house.table.action)
    house.chat("A", "hello")
    house.wait(60)
    actions.append(house.table.action)
    house.leave("B")
    actions.append(house.table.action)
    assert actions == [1, 2, 3, 4, 5, 6]


def test_a_game_waits_for_its_payout() -> None:
    house = closing()
    table = house.table
    assert table.due == (Due(3, 34),)
    assert (table.deadline, table.pot, table.last) == (None, 34, None)
    assert tables.is_closing(table, POKER)
    with pytest.raises(IllegalMove, match="closing"):
        tables.play(table, POKER, 3, Show(), {}, house.rng, house.now, house.clocks)
    with pytest.raises(IllegalMove, match="closing"):
        tables.start(table, POKER, 3, {}, house.rng, house.now, house.options, house.clocks)
    with pytest.raises(IllegalMove, match="closing"):
        tables.may_start(table, POKER, 2, house.now)
    assert tables.expire(table, POKER, house.now + 1000, house.rng, {}, house.clocks) is None


def test_nothing_is_done_while_somebody_closes() -> None:
    house = house_of("AB")
    house.start("A")
    table = tables.claim(house.table, 2)
    assert table.override == 2
    with pytest.raises(IllegalMove, match="closing"):
        tables.play(table, POKER, 1, Bet(5), house.money(), house.rng, house.now, house.clocks)
    with pytest.raises(IllegalMove, match="closing"):
        tables.expire(table, POKER, house.now + 60, house.rng, house.money(), house.clocks)


def test_the_winner_may_leave_before_he_is_paid() -> None:
    house = closing()
    table = tables.leave(house.table, POKER, 3, house.now, house.clocks).table
    assert table.due == (Due(3, 34),)
    table = tables.sit(table, POKER, Seat(9, 9, "Z", 50), house.now, house.clocks)
    assert table.due == (Due(3, 34),)
    table = tables.finish(tables.claim(table, 1), POKER, house.now, house.clocks)
    assert (table.due, table.override, table.game, table.pot, table.master) == ((), 0, None, 0, 0)
    assert table.last is not None
    assert table.last.players == (None,) * 5


def test_everybody_leaves_before_the_payout() -> None:
    house = closing()
    table = house.table
    for session in (1, 2, 3):
        table = tables.leave(table, POKER, session, house.now, house.clocks, removed=True).table
    assert (table.master, table.due) == (None, (Due(3, 34),))
    table = tables.finish(table, POKER, house.now, house.clocks)
    assert (table.master, table.deadline, table.last) == (None, None, None)
    assert table.pause_until == house.now + 30


def test_only_a_game_that_is_over_is_finished() -> None:
    house = house_of("AB")
    with pytest.raises(IllegalMove, match="no_game"):
        tables.finish(house.table, POKER, house.now, house.clocks)
    house.start("A")
    with pytest.raises(IllegalMove, match="game_running"):
        tables.finish(house.table, POKER, house.now, house.clocks)


def test_a_game_won_by_nobody_is_due_to_nobody() -> None:
    house = house_of("AB")
    house.start("A")
    house.do("A", Fold())
    change = tables.expire(house.table, POKER, house.now + 60, house.rng, house.money(), house.clocks)
    assert change is not None
    assert (change.table.due, change.table.pot) == ((), 20)


def test_no_move_without_a_game() -> None:
    house = house_of("AB")
    with pytest.raises(IllegalMove, match="no_game"):
        house.do("A", Bet(5))
    with pytest.raises(IllegalMove, match="not_seated"):
        house.do("Z", Bet(5))


def test_no_clock_has_run_out() -> None:
    house = house_of("AB")
    assert not house.expire()
    house.now += 179.99
    assert not house.expire()
    house.now += 0.01
    assert house.expire()


@pytest.mark.parametrize("person", [Seat(1, 9, "Z", 1), Seat(9, 1, "Z", 1), Seat(9, 9, "A", 1)])
def test_one_seat_for_a_session_a_user_and_a_name(person: Seat) -> None:
    house = house_of("A")
    with pytest.raises(IllegalMove, match="already_seated"):
        tables.sit(house.table, POKER, person, house.now, house.clocks)


def test_the_log_keeps_its_newest_entries_and_counts_all() -> None:
    house = house_of("A")
    for number in range(40):
        house.chat("A", f"line {number}")
    assert len(house.table.log) == LOG
    assert [entry.number for entry in house.table.log] == list(range(43 - LOG, 43))
    assert house.entries[0] == Entry(1, 1, "A", SatDown(0), 0)


def test_chat_is_cut_and_may_be_empty() -> None:
    house = house_of("A")
    house.chat("A", "")
    assert len(house.entries) == 2
    house.chat("A", "x" * (CHAT + 1))
    assert len(getattr(house.events[-1], "text", "")) == CHAT


def test_a_number_from_the_ledger() -> None:
    house = house_of("AB")
    args = (house.table, POKER, 1, house.money(), house.rng, house.now, house.options, house.clocks)
    assert tables.start(*args).table.number == 1
    assert tables.start(*args, number=77).table.number == 77


def test_a_voided_game_gives_the_privilege_to_somebody_who_is_there() -> None:
    house = closing()
    table = tables.leave(house.table, POKER, 3, house.now, house.clocks).table
    assert table.master == 2
    table = tables.void(table, "", house.now, house.clocks)
    assert (table.master, table.deadline, table.log[-1].event) == (0, house.now + 180, NewMaster(0))
