"""Spec/poker.md 19, one test per row."""

import pytest
from msgspec.structs import replace

from tests.rules.poker_runs import A_WINS, casino, in_round_3, p4, refusal, started, told
from yawc_poker.cards import cards
from yawc_poker.engine import absence
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import NewMaster, Removed, SatDown, Started
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import (
    Bet,
    Category,
    Fold,
    HandDealt,
    MayBet,
    MayFold,
    MayShow,
    MaySwap,
    PotLost,
    Show,
    ShowdownBegins,
    Shown,
    Swap,
    SwapMissed,
    TakenOut,
    Won,
)


def test_p1_ante() -> None:
    run = started()
    assert run.cash == {"A": 90, "B": 90}
    assert (run.pot, run.game.round, run.current, run.left) == (20, 1, "A", 60)
    assert rules.legal_moves(run.game, 0) == (MayBet(1, 90, see=False), MayFold())
    assert run.hand("A") == cards("7+ 8- 9# Q* Q+")


def test_p2_first_round() -> None:
    run = started()
    run.do("A", Bet(5))
    assert run.view("B").low == 5
    run.do("B", Bet(run.view("B").low))
    assert (run.pot, run.game.previous_bet, run.game.phase, run.current) == (30, 5, "swap", "A")
    assert rules.legal_moves(run.game, 0) == (MaySwap(3),)


def test_p3_swap() -> None:
    run = started(hands="5+ 6+ 7+ 8- K-  5* 6* Q+ Q* Q#  A- 9# 7-")
    run.do("A", Bet(5))
    run.do("B", Bet(5))
    kept = run.hand("A")
    run.do("A", Swap())
    assert run.hand("A") == kept
    run.do("B", Swap((0, 1, 2)))
    assert run.hand("B") == cards("7- 9# Q* Q+ A-")
    assert (run.game.round, run.game.phase, run.current) == (3, "bet", "A")
    assert len(run.game.stock) == 40 - 10 - 3


def test_p4_see() -> None:
    run = p4()
    assert (run.game.phase, run.current, run.game.see) == ("bet", "B", True)
    assert run.view("B").low == 7


def test_p5_showdown() -> None:
    run = p4()
    run.do("B", Bet(7))
    assert (run.game.phase, run.current) == ("showdown", "A")
    assert rules.legal_moves(run.game, 0) == (MayShow(),)
    run.do("A", Show())
    run.do("B", Show())
    assert run.cash == {"A": 78, "B": 122}
    won = run.events[-3]
    assert isinstance(won, Won)
    assert (won.seat, won.amount, won.category, len(won.ranks)) == (1, 44, Category.TWO_PAIRS, 2)
    assert (run.master, run.left, run.table.pause_until - run.now) == ("B", 180, 30)
    assert not run.running
    assert run.table.pot == 0


def test_p5_the_better_hand_wins_wherever_it_sits() -> None:
    run = p4(hands=A_WINS)
    run.do("B", Bet(7))
    run.do("A", Show())
    run.do("B", Show())
    assert run.cash == {"A": 122, "B": 78}


def test_p6_the_last_one_who_has_acted_shows() -> None:
    run = p4()
    run.do("B", Fold())
    assert (run.game.phase, run.current, run.active) == ("showdown", "A", "A")
    run.do("A", Show())
    assert run.cash == {"A": 100 - 22 + 37, "B": 85}


def test_p7_nobody_else_at_the_table() -> None:
    run = p4()
    run.leave("B")
    assert run.cash == {"A": 100 - 22 + 37, "B": 85}
    assert Won(0, 37) in run.events
    assert ShowdownBegins() not in run.events
    assert run.master == "A"


def test_p8_the_last_one_who_has_not_acted_bets_first() -> None:
    run = started()
    run.do("A", Fold())
    assert (run.master, run.current, run.game.phase) == ("B", "B", "bet")
    run.do("B", Bet(1))
    assert (run.game.phase, run.game.round) == ("showdown", 1)
    run.do("B", Show())
    assert run.cash == {"A": 90, "B": 90 - 1 + 21}
    assert run.master == "A"


def test_p9_nobody_left() -> None:
    run = started()
    run.do("A", Fold())
    run.wait(60)
    assert TakenOut(1, "time") in run.events
    assert PotLost(20) in run.events
    assert (run.system, run.cash, run.master) == (20, {"A": 90, "B": 90}, "A")


def test_p10_limits() -> None:
    run = started("ABC")
    run.do("A", Bet(50))
    assert (run.current, run.view("B").low, run.view("B").high) == ("B", 50, 90)


def test_p11_taken_out_at_once() -> None:
    run = started("ABC", B=40)
    run.do("A", Bet(50))
    assert TakenOut(1, "max_below_min") in run.events
    assert (run.current, run.active, run.cash["B"]) == ("C", "AC", 30)


def test_p12_master_without_the_ante() -> None:
    run = started("ABC", A=9)
    assert (run.active, run.master, run.current, run.pot) == ("BC", "B", "B", 20)
    assert run.view("A").hand is None
    events = [event for event in told(run) if not isinstance(event, HandDealt)]
    assert events == [SatDown(0), SatDown(1), SatDown(2), Started(0), NewMaster(1)]


def test_p13_nobody_can_bet() -> None:
    run = started("ABC", A=10, B=10, C=10)
    assert told(run)[-4:] == [*(TakenOut(seat, "max_below_min") for seat in range(3)), PotLost(30)]
    assert run.master == "A"  # the master all the while, as far as anybody was told
    assert (run.system, run.running, run.cash) == (30, False, {"A": 0, "B": 0, "C": 0})


def test_p14_only_one_pays() -> None:
    run = started("ABC", B=5, C=5)
    assert (run.active, run.current, run.game.phase) == ("A", "A", "bet")
    run.do("A", Bet(3))
    assert run.game.phase == "showdown"
    run.do("A", Show())
    assert run.cash == {"A": 100, "B": 5, "C": 5}


def test_p15_swap_missed() -> None:
    run = started("ABC")
    for name in "ABC":
        run.do(name, Bet(1))
    run.do("A", Swap())
    before = run.hand("B")
    run.wait(60)
    assert (run.current, run.active, run.hand("B")) == ("C", "ABC", before)
    assert SwapMissed(1) in run.events


def test_p16_four_cards_refused() -> None:
    run = started()
    run.do("A", Bet(1))
    run.do("B", Bet(1))
    error = refusal(run, "A", Swap((0, 1, 2, 3)))
    assert (error.reason, error.values) == ("too_many_cards", {"most": 3})
    run.do("A", Swap((1, 2, 3)))
    assert run.current == "B"


def test_p17_nobody_pays_up() -> None:
    run = in_round_3("ABC")
    run.do("A", Bet(5))
    run.do("B", Bet(9, see=True))
    run.do("C", Bet(9))
    assert (run.game.phase, run.current) == ("showdown", "A")
    assert run.cash == {"A": 80, "B": 76, "C": 76}


def test_p18_see_needs_a_bet_in_time() -> None:
    run = in_round_3("ABC")
    run.wait(60)
    assert (run.game.see, run.active, run.current, run.game.round) == (False, "BC", "B", 3)
    run.do("B", Bet(5))
    run.do("C", Bet(5))
    assert (run.game.phase, run.game.round) == ("bet", 4)


def test_p19_the_request_stands() -> None:
    run = in_round_3("ABC")
    run.do("A", Bet(5, see=True))
    run.leave("A")
    assert (run.master, run.current) == ("B", "B")
    run.do("B", Bet(5))
    run.do("C", Bet(5))
    assert (run.game.phase, run.active, run.current) == ("showdown", "BC", "B")


def test_p20_shown_by_the_clock() -> None:
    run = p4(hands=A_WINS)
    run.do("B", Bet(7))
    run.wait(60)
    (shown,) = [event for event in run.events if isinstance(event, Shown) and event.auto]
    assert (shown.seat, shown.category) == (0, Category.TWO_PAIRS)
    assert run.view("B").opponents[0].cards == run.hand("A")
    run.do("B", Show())
    assert run.cash["A"] == 122


def test_p21_the_last_of_a_showdown() -> None:
    alone = p4()
    alone.do("B", Bet(7))
    alone.leave("A")
    assert not alone.running
    assert Won(1, 44) in alone.events
    watched = p4()
    watched.sit("C")
    watched.do("B", Bet(7))
    watched.leave("A")
    assert (watched.running, watched.current, watched.game.phase) == (True, "B", "showdown")
    watched.do("B", Show())
    assert watched.cash["B"] == 100 - 22 + 44


def test_p22_newcomer_looks_on() -> None:
    run = in_round_3()
    run.sit("D")
    view = run.view("D")
    assert (view.hand, view.pot, view.low) == (None, run.pot, 0)
    assert [(other.seat, other.active, other.cards) for other in view.opponents] == [(0, True, None), (1, True, None)]
    assert refusal(run, "D", Bet(5)).reason == "not_your_turn"
    run.leave("A")
    run.do("B", Bet(5))
    run.do("B", Show())
    run.wait(30)
    run.start(str(run.master))
    assert run.active == "BD"


def test_p23_the_privilege_comes_back() -> None:
    run = started()
    run.do("A", Fold())
    assert run.master == "B"
    run.do("B", Bet(1))
    run.do("B", Show())
    assert run.master == "A"


def test_p23_unless_somebody_sat_down() -> None:
    run = started()
    run.do("A", Fold())
    run.sit("C")
    run.do("B", Bet(1))
    run.do("B", Show())
    assert run.master == "C"


def test_p23_every_pass_is_told_also_to_the_last_one_left() -> None:
    run = started()
    run.leave("A")
    assert (run.running, run.master) == (False, "B")
    assert [event for event in run.events if isinstance(event, NewMaster)] == [NewMaster(1)]


@pytest.mark.parametrize("how", ["sleeps", "has no line", "is a house player"])
def test_the_next_active_player_is_the_master_whoever_that_is(how: str) -> None:
    run = started("ABC")
    second = run.table.seats[1]
    assert second is not None
    if how == "sleeps":
        second = replace(second, missed=2)
    elif how == "has no line":
        second = replace(second, held=5000.0)
    else:
        second = replace(second, program="easy 1")
    run.table = replace(run.table, seats=(run.table.seats[0], second, *run.table.seats[2:]))
    run.do("A", Fold())
    assert (run.master, run.current, run.events[-1]) == ("B", "B", NewMaster(1))
    run.do("B", Bet(1))
    run.do("C", Bet(1))
    assert (run.game.phase, run.master, run.current) == ("swap", "B", "B"), "and begins each round"


def test_who_has_folded_is_never_announced_as_the_master_of_the_game() -> None:
    run = started("ABC")
    run.do("A", Fold())
    told = run.events.count(NewMaster(1))
    run.table = absence.hold(run.table, run.session("B"), run.now, run.now + 50, run.clocks)
    assert (run.master, run.events.count(NewMaster(1)), told) == ("B", 1, 1)
    run.do("B", Fold())
    assert (run.master, run.current) == ("C", "C")


def test_p24_pause() -> None:
    run = started()
    run.leave("B")
    run.sit("B")
    for gone, left in ((12, 18), (0.3, 18), (16.7, 1)):
        run.wait(gone)
        with pytest.raises(IllegalMove) as caught:
            run.start("A")
        assert (caught.value.reason, caught.value.values) == ("pause", {"seconds": left})
    run.wait(1)
    run.start("A")
    assert run.running


def test_p25_alone() -> None:
    run = casino("A")
    with pytest.raises(IllegalMove, match="alone"):
        run.start("A")


def test_p26_the_masters_clock() -> None:
    run = casino("AB")
    run.wait(179)
    assert run.master == "A"
    run.wait(1)
    assert (run.master, run.left, told(run)[-1]) == ("B", 180, NewMaster(1))
    run.wait(180)
    assert run.master == "A"
    run.leave("B")
    said = len(run.events)
    run.wait(180)
    assert (run.master, run.left, len(run.events)) == ("A", 180, said)


def test_p27_the_greatest_bet() -> None:
    for cash, active in ((209, "AC"), (210, "ABC")):
        run = started("ABC", A=300, B=cash, C=500)
        run.do("A", Bet(200))
        assert run.active == active
    assert (run.view("B").low, run.view("B").high) == (200, 200)
    run.do("B", Bet(200))
    assert run.cash["B"] == 0


def test_p28_dropped_connection() -> None:
    run = started("ABC")
    run.do("A", Bet(5))
    run.wait(20)
    run.leave("B", removed=True)
    assert Removed(1) in run.events
    assert (run.current, run.left, run.pot, run.cash["B"]) == ("C", 60, 35, 90)


def test_all_gone_at_one_moment_nobody_wins() -> None:
    run = started("ABC")
    run.do("A", Bet(5))
    assert tables.abandon(run.table, run.rules, [0, 1], run.now, run.clocks) is None, "C is there"
    change = tables.abandon(run.table, run.rules, [0, 1, 2], run.now, run.clocks)
    assert change is not None
    run._change(change)
    assert (run.running, run.system, run.replayed) == (False, 35, 1)
    assert PotLost(35) in run.events
    assert not any(isinstance(event, ShowdownBegins | Won) for event in run.events)
    assert tables.abandon(run.table, run.rules, [0, 1, 2], run.now, run.clocks) is None, "no game"


def test_p29_last_round() -> None:
    run = in_round_3()
    run.set_game(round=32699)
    run.do("A", Bet(5))
    run.do("B", Bet(5))
    assert (run.game.phase, run.game.round) == ("showdown", 32699)


@pytest.mark.parametrize("amount", [0, -1, 91, 10**9])
def test_p30_bet_out_of_range(amount: int) -> None:
    run = started()
    run.wait(10)
    error = refusal(run, "A", Bet(amount))
    assert (error.reason, error.values, run.left) == ("bet_out_of_range", {"low": 1, "high": 90}, 50)
