"""Spec/poker.md 19, one test a row; then what the other sections say about the flow."""

import pytest
from msgspec.structs import replace

from tests.rules.house import House
from yawc_poker.cards import cards
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import (
    Chat,
    DealtBy,
    Left,
    NewMaster,
    Notice,
    Removed,
    SatDown,
    Sealed,
    Started,
    Voided,
    void,
)
from yawc_poker.games import POKER
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import (
    Bet,
    BetMade,
    Category,
    Event,
    Fold,
    MayBet,
    MayFold,
    MayShow,
    MaySwap,
    Passed,
    PotLost,
    Show,
    ShowdownBegins,
    Shown,
    Swap,
    SwapMissed,
    Swapped,
    TakenOut,
    Won,
)

A_WINS = "A+ A* K+ K* 5-  Q+ Q* 9# 8- 7+  10+ 10* 6# 5+ 7-"
B_WINS = "Q+ Q* 9# 8- 7+  A+ A* K+ K* 5-  10+ 10* 6# 5+ 7-"


def casino(names: str = "AB", hands: str = B_WINS, **cash: int) -> House:
    house = House(first=hands)
    for name in names:
        house.sit(name, cash.get(name, 100))
    return house


def started(names: str = "AB", hands: str = B_WINS, **cash: int) -> House:
    house = casino(names, hands, **cash)
    house.start(names[0])
    return house


def in_round_3(names: str = "AB", hands: str = B_WINS, bet: int = 5) -> House:
    house = started(names, hands)
    for name in names:
        house.do(name, Bet(bet))
    for name in names:
        house.do(name, Swap())
    assert (house.game.round, house.game.phase) == (3, "bet")
    return house


def p4(hands: str = B_WINS) -> House:
    house = in_round_3(hands=hands)
    house.do("A", Bet(7, see=True))
    return house


def told(house: House) -> list[Event | Notice]:
    """All that was told, but for seals and words."""
    return [event for event in house.events if not isinstance(event, Sealed | DealtBy)]


def refusal(house: House, name: str, move: Bet | Fold | Swap | Show) -> IllegalMove:
    before = house.table
    with pytest.raises(IllegalMove) as caught:
        house.do(name, move)
    assert house.table == before
    return caught.value


def test_p1_ante() -> None:
    house = started()
    assert house.cash == {"A": 90, "B": 90}
    assert (house.pot, house.game.round, house.current, house.left) == (20, 1, "A", 60)
    assert rules.legal_moves(house.game, 0) == (MayBet(1, 90, see=False), MayFold())
    assert house.hand("A") == cards("7+ 8- 9# Q* Q+")


def test_p2_first_round() -> None:
    house = started()
    house.do("A", Bet(5))
    assert house.view("B").low == 5
    house.do("B", Bet(house.view("B").low))
    assert (house.pot, house.game.previous_bet, house.game.phase, house.current) == (30, 5, "swap", "A")
    assert rules.legal_moves(house.game, 0) == (MaySwap(3),)


def test_p3_swap() -> None:
    house = started(hands="5+ 6+ 7+ 8- K-  5* 6* Q+ Q* Q#  A- 9# 7-")
    house.do("A", Bet(5))
    house.do("B", Bet(5))
    kept = house.hand("A")
    house.do("A", Swap())
    assert house.hand("A") == kept
    house.do("B", Swap((0, 1, 2)))
    assert house.hand("B") == cards("7- 9# Q* Q+ A-")
    assert (house.game.round, house.game.phase, house.current) == (3, "bet", "A")
    assert len(house.game.stock) == 40 - 10 - 3


def test_p4_see() -> None:
    house = p4()
    assert (house.game.phase, house.current, house.game.see) == ("bet", "B", True)
    assert house.view("B").low == 7


def test_p5_showdown() -> None:
    house = p4()
    house.do("B", Bet(7))
    assert (house.game.phase, house.current) == ("showdown", "A")
    assert rules.legal_moves(house.game, 0) == (MayShow(),)
    house.do("A", Show())
    house.do("B", Show())
    assert house.cash == {"A": 78, "B": 122}
    assert house.events[-3] == Won(1, 44, Category.TWO_PAIRS)
    assert (house.master, house.left, house.table.pause_until - house.now) == ("B", 180, 30)
    assert not house.running
    assert house.table.pot == 0


def test_p5_the_better_hand_wins_wherever_it_sits() -> None:
    house = p4(hands=A_WINS)
    house.do("B", Bet(7))
    house.do("A", Show())
    house.do("B", Show())
    assert house.cash == {"A": 122, "B": 78}


def test_p6_the_last_one_who_has_acted_shows() -> None:
    house = p4()
    house.do("B", Fold())
    assert (house.game.phase, house.current, house.active) == ("showdown", "A", "A")
    house.do("A", Show())
    assert house.cash == {"A": 100 - 22 + 37, "B": 85}


def test_p7_nobody_else_at_the_table() -> None:
    house = p4()
    house.leave("B")
    assert house.cash == {"A": 100 - 22 + 37, "B": 85}
    assert Won(0, 37) in house.events
    assert ShowdownBegins() not in house.events
    assert house.master == "A"


def test_p8_the_last_one_who_has_not_acted_bets_first() -> None:
    house = started()
    house.do("A", Fold())
    assert (house.master, house.current, house.game.phase) == ("B", "B", "bet")
    house.do("B", Bet(1))
    assert (house.game.phase, house.game.round) == ("showdown", 1)
    house.do("B", Show())
    assert house.cash == {"A": 90, "B": 90 - 1 + 21}
    assert house.master == "A"


def test_p9_nobody_left() -> None:
    house = started()
    house.do("A", Fold())
    house.wait(60)
    assert TakenOut(1, "time") in house.events
    assert PotLost(20) in house.events
    assert (house.system, house.cash, house.master) == (20, {"A": 90, "B": 90}, "A")


def test_p10_limits() -> None:
    house = started("ABC")
    house.do("A", Bet(50))
    assert (house.current, house.view("B").low, house.view("B").high) == ("B", 50, 90)


def test_p11_taken_out_at_once() -> None:
    house = started("ABC", B=40)
    house.do("A", Bet(50))
    assert TakenOut(1, "max_below_min") in house.events
    assert (house.current, house.active, house.cash["B"]) == ("C", "AC", 30)


def test_p12_master_without_the_ante() -> None:
    house = started("ABC", A=9)
    assert (house.active, house.master, house.current, house.pot) == ("BC", "B", "B", 20)
    assert house.view("A").hand is None
    assert told(house) == [SatDown(0), SatDown(1), SatDown(2), Started(0), NewMaster(1)]


def test_p13_nobody_can_bet() -> None:
    house = started("ABC", A=10, B=10, C=10)
    assert told(house)[-4:] == [*(TakenOut(seat, "max_below_min") for seat in range(3)), PotLost(30)]
    assert house.master == "A"  # who was master all the while, as far as anybody was told
    assert (house.system, house.running, house.cash) == (30, False, {"A": 0, "B": 0, "C": 0})


def test_p14_only_one_pays() -> None:
    house = started("ABC", B=5, C=5)
    assert (house.active, house.current, house.game.phase) == ("A", "A", "bet")
    house.do("A", Bet(3))
    assert house.game.phase == "showdown"
    house.do("A", Show())
    assert house.cash == {"A": 100, "B": 5, "C": 5}


def test_p15_swap_missed() -> None:
    house = started("ABC")
    for name in "ABC":
        house.do(name, Bet(1))
    house.do("A", Swap())
    before = house.hand("B")
    house.wait(60)
    assert (house.current, house.active, house.hand("B")) == ("C", "ABC", before)
    assert SwapMissed(1) in house.events


def test_p16_four_cards_refused() -> None:
    house = started()
    house.do("A", Bet(1))
    house.do("B", Bet(1))
    error = refusal(house, "A", Swap((0, 1, 2, 3)))
    assert (error.reason, error.values) == ("too_many_cards", {"most": 3})
    house.do("A", Swap((1, 2, 3)))
    assert house.current == "B"


def test_p17_nobody_pays_up() -> None:
    house = in_round_3("ABC")
    house.do("A", Bet(5))
    house.do("B", Bet(9, see=True))
    house.do("C", Bet(9))
    assert (house.game.phase, house.current) == ("showdown", "A")
    assert house.cash == {"A": 80, "B": 76, "C": 76}


def test_p18_see_needs_a_bet_in_time() -> None:
    house = in_round_3("ABC")
    house.wait(60)
    assert (house.game.see, house.active, house.current, house.game.round) == (False, "BC", "B", 3)
    house.do("B", Bet(5))
    house.do("C", Bet(5))
    assert (house.game.phase, house.game.round) == ("bet", 4)


def test_p19_the_request_stands() -> None:
    house = in_round_3("ABC")
    house.do("A", Bet(5, see=True))
    house.leave("A")
    assert (house.master, house.current) == ("B", "B")
    house.do("B", Bet(5))
    house.do("C", Bet(5))
    assert (house.game.phase, house.active, house.current) == ("showdown", "BC", "B")


def test_p20_shown_by_the_clock() -> None:
    house = p4(hands=A_WINS)
    house.do("B", Bet(7))
    house.wait(60)
    assert Shown(0, Category.TWO_PAIRS, auto=True) in house.events
    assert house.view("B").opponents[0].cards == house.hand("A")
    house.do("B", Show())
    assert house.cash["A"] == 122


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
    house = in_round_3()
    house.sit("D")
    view = house.view("D")
    assert (view.hand, view.pot, view.low) == (None, house.pot, 0)
    assert [(other.seat, other.active, other.cards) for other in view.opponents] == [(0, True, None), (1, True, None)]
    assert refusal(house, "D", Bet(5)).reason == "not_your_turn"
    house.leave("A")
    house.do("B", Bet(5))
    house.do("B", Show())
    house.wait(30)
    house.start(str(house.master))
    assert house.active == "BD"


def test_p23_the_privilege_comes_back() -> None:
    house = started()
    house.do("A", Fold())
    assert house.master == "B"
    house.do("B", Bet(1))
    house.do("B", Show())
    assert house.master == "A"


def test_p23_unless_somebody_sat_down() -> None:
    house = started()
    house.do("A", Fold())
    house.sit("C")
    house.do("B", Bet(1))
    house.do("B", Show())
    assert house.master == "C"


def test_who_is_master_already_is_not_told_of_as_the_new_one() -> None:
    house = started()
    house.leave("B")
    assert house.master == "A"
    assert NewMaster(0) not in house.events
    house = started("ABC")
    house.leave("C")
    house.do("A", Fold())
    house.leave("B")  # nobody is active any more; the privilege went to B by the fold, and comes back
    assert house.master == "A"
    assert [event for event in house.events if isinstance(event, NewMaster)] == [NewMaster(1), NewMaster(0)]


def test_p24_pause() -> None:
    house = started()
    house.leave("B")
    house.sit("B")
    for gone, left in ((12, 18), (0.3, 18), (16.7, 1)):
        house.wait(gone)
        with pytest.raises(IllegalMove) as caught:
            house.start("A")
        assert (caught.value.reason, caught.value.values) == ("pause", {"seconds": left})
    house.wait(1)
    house.start("A")
    assert house.running


def test_p25_alone() -> None:
    house = casino("A")
    with pytest.raises(IllegalMove, match="alone"):
        house.start("A")


def test_p26_the_masters_clock() -> None:
    house = casino("AB")
    house.wait(179)
    assert house.master == "A"
    house.wait(1)
    assert (house.master, house.left, told(house)[-1]) == ("B", 180, NewMaster(1))
    house.wait(180)
    assert house.master == "A"
    house.leave("B")
    said = len(house.events)
    house.wait(180)
    assert (house.master, house.left, len(house.events)) == ("A", 180, said)


def test_p27_the_greatest_bet() -> None:
    for cash, active in ((209, "AC"), (210, "ABC")):
        house = started("ABC", A=300, B=cash, C=500)
        house.do("A", Bet(200))
        assert house.active == active
    assert (house.view("B").low, house.view("B").high) == (200, 200)
    house.do("B", Bet(200))
    assert house.cash["B"] == 0


def test_p28_dropped_connection() -> None:
    house = started("ABC")
    house.do("A", Bet(5))
    house.wait(20)
    house.leave("B", removed=True)
    assert Removed(1) in house.events
    assert (house.current, house.left, house.pot, house.cash["B"]) == ("C", 60, 35, 90)


def test_p29_last_round() -> None:
    house = in_round_3()
    house.set_game(round=32699)
    house.do("A", Bet(5))
    house.do("B", Bet(5))
    assert (house.game.phase, house.game.round) == ("showdown", 32699)


@pytest.mark.parametrize("amount", [0, -1, 91, 10**9])
def test_p30_bet_out_of_range(amount: int) -> None:
    house = started()
    house.wait(10)
    error = refusal(house, "A", Bet(amount))
    assert (error.reason, error.values, house.left) == ("bet_out_of_range", {"low": 1, "high": 90}, 50)


# --- the course of a game --------------------------------------------------------------------------------------------


def test_bets_go_on_from_the_last_one_across_rounds() -> None:
    house = in_round_3(bet=5)
    assert house.view("A").low == 5
    house.do("A", Bet(8))
    house.do("B", Bet(20))
    assert (house.game.round, house.view("A").low) == (4, 20)


@pytest.mark.parametrize("move", [Swap(), Show(), Bet(5, see=True)])
def test_not_in_round_1(move: Bet | Swap | Show) -> None:
    assert refusal(started(), "A", move).reason == "not_now"


@pytest.mark.parametrize("move", [Bet(5), Fold(), Show()])
def test_not_while_swapping(move: Bet | Fold | Show) -> None:
    house = started()
    house.do("A", Bet(5))
    house.do("B", Bet(5))
    assert refusal(house, "A", move).reason == "not_now"


@pytest.mark.parametrize("move", [Bet(7), Fold(), Swap()])
def test_not_in_the_showdown(move: Bet | Fold | Swap) -> None:
    house = p4()
    house.do("B", Bet(7))
    assert refusal(house, "A", move).reason == "not_now"


@pytest.mark.parametrize("places", [(5,), (-1,), (0, 0)])
def test_no_such_card(places: tuple[int, ...]) -> None:
    house = started()
    house.do("A", Bet(5))
    house.do("B", Bet(5))
    assert refusal(house, "A", Swap(places)).reason == "no_such_card"


def test_master_on_the_second_seat_begins_every_round() -> None:
    house = casino("ABC")
    house.wait(180)
    house.start("B")
    order = []
    for move in (Bet(5), Swap(), Bet(5)):
        for _ in range(3):
            order.append(house.current)
            house.do(str(house.current), move)
    assert "".join(map(str, order)) == "BCA" * 3


def test_master_leaves_when_it_is_not_his_turn() -> None:
    house = started("ABC")
    house.do("A", Bet(5))
    house.wait(10)
    house.leave("A")
    assert (house.master, house.current, house.left) == ("B", "B", 50)
    house.do("B", Bet(5))
    house.do("C", Bet(5))
    assert (house.game.phase, house.current) == ("swap", "B")


def test_a_player_leaves_before_his_turn() -> None:
    house = started("ABC")
    house.leave("B")
    house.do("A", Bet(5))
    assert house.current == "C"


def test_the_last_to_act_leaves_and_the_round_ends() -> None:
    house = started("ABC")
    house.do("A", Bet(5))
    house.do("B", Bet(5))
    house.leave("C")
    assert (house.game.phase, house.current) == ("swap", "A")


def test_the_last_watcher_leaves_and_the_last_player_wins() -> None:
    house = started("ABC")
    house.do("A", Fold())
    house.do("B", Fold())
    house.leave("A")
    assert (house.running, house.current) == (True, "C")
    house.leave("B")
    assert not house.running
    assert Won(2, 30) in house.events


def test_the_last_player_leaves_and_the_system_gets_the_pot() -> None:
    house = started("ABC")
    house.do("A", Fold())
    house.do("B", Fold())
    house.leave("C")
    assert (house.system, house.master, told(house)[-2:]) == (30, "A", [PotLost(30), NewMaster(0)])


def test_the_last_one_finishes_his_swap_turn() -> None:
    house = started("ABC")
    for name in "ABC":
        house.do(name, Bet(1))
    house.sit("D")
    house.leave("A")
    house.leave("C")
    assert (house.game.phase, house.current) == ("swap", "B")
    house.do("B", Swap((0,)))
    assert (house.game.phase, house.current) == ("showdown", "B")
    assert Swapped(1) in house.events


def test_a_chain_of_players_who_cannot_bet() -> None:
    house = started("ABCD", B=10, C=15, hands="A+ A* K+ K* 5-")
    house.do("A", Bet(6))
    assert [event for event in house.events if isinstance(event, TakenOut)] == [
        TakenOut(1, "max_below_min"),
        TakenOut(2, "max_below_min"),
    ]
    assert (house.current, house.active) == ("D", "AD")


def test_limits_are_those_of_the_beginning_of_the_turn_and_never_above_ones_cash() -> None:
    house = started(A=50)
    house.give("A", 100)
    assert refusal(house, "A", Bet(41)).values == {"low": 1, "high": 40}
    house.give("A", -130)
    assert refusal(house, "A", Bet(11)).values == {"low": 1, "high": 10}
    house.do("A", Bet(10))
    assert house.cash["A"] == 0


def test_money_from_outside_counts_at_the_next_turn() -> None:
    house = started(B=10)
    house.give("B", 50)
    house.do("A", Bet(5))
    assert (house.current, house.view("B").high) == ("B", 50)


def test_the_shown_cards_of_a_leaver_vanish() -> None:
    house = p4()
    house.sit("C")
    house.do("B", Bet(7))
    house.do("A", Show())
    assert house.view("C").opponents[0].cards is not None
    house.do("B", Show())
    view = house.view("C")
    assert [other.cards for other in view.opponents] == [house.hand("A"), house.hand("B")]
    assert not any(other.active for other in view.opponents)
    house.leave("A")
    assert [other.seat for other in house.view("C").opponents] == [1]
    house.sit("D")
    assert house.view("D").hand is None


def test_own_cards_stay_open_after_a_game_without_a_showdown_and_others_hidden() -> None:
    house = started()
    house.leave("B")
    assert house.view("A").hand == house.hand("A")
    assert house.view(None).opponents[0].cards is None


def test_who_folds_has_no_hand_any_more() -> None:
    house = started("ABC")
    house.do("A", Fold())
    assert house.view("A").hand is None
    assert Passed(0) in house.events
    assert not house.view("B").opponents[0].active


def test_leave_and_come_back_during_a_game() -> None:
    house = started("ABC")
    house.leave("B")
    house.sit("B")
    assert (house.active, house.game.watchers) == ("AC", (1,))
    assert refusal(house, "B", Bet(5)).reason == "not_your_turn"


# --- the table -------------------------------------------------------------------------------------------------------


def test_first_free_seat_and_a_full_table() -> None:
    house = casino("ABCDE")
    with pytest.raises(IllegalMove, match="table_full"):
        house.sit("F")
    with pytest.raises(IllegalMove, match="already_seated"):
        house.sit("C")
    house.leave("B")
    house.sit("F")
    assert house.people() == list("AFCDE")


def test_only_the_master_starts_and_only_once() -> None:
    house = casino()
    with pytest.raises(IllegalMove, match="not_master"):
        house.start("B")
    house.start("A")
    with pytest.raises(IllegalMove, match="game_running"):
        house.start("A")
    with pytest.raises(IllegalMove, match="not_seated"):
        house.start("Z")


def test_alone_is_said_before_the_pause() -> None:
    house = started()
    house.leave("B")
    with pytest.raises(IllegalMove, match="alone"):
        house.start("A")


def test_the_master_leaves_between_games() -> None:
    house = casino("ABC")
    house.wait(100)
    house.leave("A")
    assert (house.master, house.left, house.events[-2:]) == ("B", 180, [Left(0), NewMaster(1)])
    house.leave("C")
    assert house.master == "B"
    house.leave("B")
    assert (house.table.master, house.table.deadline, house.table.last) == (None, None, None)
    house.sit("D")
    assert (house.master, house.left) == ("D", 180)


def test_the_log_keeps_names_of_those_who_left() -> None:
    house = started("ABC")
    house.chat("B", "hello")
    house.leave("B")
    chat, gone = house.entries[-2:]
    assert (chat.event, chat.name) == (Chat(1, "hello"), "B")
    assert (gone.event, gone.name, gone.session) == (Left(1), "B", chat.session)
    assert house.table.log[-1].number == house.table.logged == len(house.entries)


def test_events_are_told_in_the_order_of_play() -> None:
    house = started()
    house.do("A", Bet(5))
    house.do("B", Fold())
    assert told(house)[2:] == [Started(0), BetMade(0, 5, False), Passed(1), ShowdownBegins()]


def test_a_move_after_the_minute_is_too_late() -> None:
    house = started()
    house.now += 60
    assert refusal(house, "A", Bet(5)).reason == "too_late"
    assert house.expire()
    assert house.active == "B"


def test_a_voided_game_has_no_winner() -> None:
    house = started()
    table = void(house.table, "recovered", house.now, house.clocks)
    assert (table.game, table.last, table.pot, table.log[-1].event) == (None, None, 0, Voided("recovered"))
    assert (table.master, table.deadline) == (0, house.now + 180)
    assert replace(table, master=None).seats == house.table.seats
    assert not POKER.is_over(house.game)
