"""The flow of a game of poker and of its table, beyond the rows of spec/poker.md 19."""

import pytest
from msgspec.structs import replace

from tests.rules.poker_runs import casino, in_round_3, p4, refusal, started, told
from yawc_poker.engine.events import Chat, Left, NewMaster, Started, Voided
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import void
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import (
    Bet,
    BetMade,
    Fold,
    HandDealt,
    NextRound,
    Passed,
    PotLost,
    Show,
    ShowdownBegins,
    Swap,
    Swapped,
    TakenOut,
    Won,
)

# --- a game -----------------------------------------------------------------------------------------------------------


def test_bets_go_on_from_the_last_one_across_rounds() -> None:
    run = in_round_3(bet=5)
    assert run.view("A").low == 5
    run.do("A", Bet(8))
    run.do("B", Bet(20))
    assert (run.game.round, run.view("A").low) == (4, 20)


@pytest.mark.parametrize("move", [Swap(), Show(), Bet(5, see=True)])
def test_not_in_round_1(move: Bet | Swap | Show) -> None:
    assert refusal(started(), "A", move).reason == "not_now"


@pytest.mark.parametrize("move", [Bet(5), Fold(), Show()])
def test_not_while_swapping(move: Bet | Fold | Show) -> None:
    run = started()
    run.do("A", Bet(5))
    run.do("B", Bet(5))
    assert refusal(run, "A", move).reason == "not_now"


@pytest.mark.parametrize("move", [Bet(7), Fold(), Swap()])
def test_not_in_the_showdown(move: Bet | Fold | Swap) -> None:
    run = p4()
    run.do("B", Bet(7))
    assert refusal(run, "A", move).reason == "not_now"


@pytest.mark.parametrize("places", [(5,), (-1,), (0, 0)])
def test_no_such_card(places: tuple[int, ...]) -> None:
    run = started()
    run.do("A", Bet(5))
    run.do("B", Bet(5))
    assert refusal(run, "A", Swap(places)).reason == "no_such_card"


def test_master_on_the_second_seat_begins_every_round() -> None:
    run = casino("ABC")
    run.wait(180)
    run.start("B")
    order = []
    for move in (Bet(5), Swap(), Bet(5)):
        for _ in range(3):
            order.append(run.current)
            run.do(str(run.current), move)
    assert "".join(map(str, order)) == "BCA" * 3


def test_master_leaves_out_of_turn() -> None:
    run = started("ABC")
    run.do("A", Bet(5))
    run.wait(10)
    run.leave("A")
    assert (run.master, run.current, run.left) == ("B", "B", 50)
    run.do("B", Bet(5))
    run.do("C", Bet(5))
    assert (run.game.phase, run.current) == ("swap", "B")


def test_a_player_leaves_before_their_turn() -> None:
    run = started("ABC")
    run.leave("B")
    run.do("A", Bet(5))
    assert run.current == "C"


def test_the_last_to_act_leaves_and_the_round_ends() -> None:
    run = started("ABC")
    run.do("A", Bet(5))
    run.do("B", Bet(5))
    run.leave("C")
    assert (run.game.phase, run.current) == ("swap", "A")


def test_the_last_watcher_leaves_and_the_last_player_wins() -> None:
    run = started("ABC")
    run.do("A", Fold())
    run.do("B", Fold())
    run.leave("A")
    assert (run.running, run.current) == (True, "C")
    run.leave("B")
    assert not run.running
    assert Won(2, 30) in run.events


def test_the_last_player_leaves_and_the_system_gets_the_pot() -> None:
    run = started("ABC")
    run.do("A", Fold())
    run.do("B", Fold())
    run.leave("C")
    assert (run.system, run.master, told(run)[-2:]) == (30, "A", [PotLost(30), NewMaster(0)])


def test_the_last_player_finishes_the_swap_turn() -> None:
    run = started("ABC")
    for name in "ABC":
        run.do(name, Bet(1))
    run.sit("D")
    run.leave("A")
    run.leave("C")
    assert (run.game.phase, run.current) == ("swap", "B")
    run.do("B", Swap((0,)))
    assert (run.game.phase, run.current) == ("showdown", "B")
    assert [event.seat for event in run.events if isinstance(event, Swapped)] == [1]


def test_a_chain_of_players_who_cannot_bet() -> None:
    run = started("ABCD", B=10, C=15, hands="A+ A* K+ K* 5-")
    run.do("A", Bet(6))
    assert [event for event in run.events if isinstance(event, TakenOut)] == [
        TakenOut(1, "max_below_min"),
        TakenOut(2, "max_below_min"),
    ]
    assert (run.current, run.active) == ("D", "AD")


def test_limits_are_fixed_when_the_turn_begins_and_never_exceed_the_cash() -> None:
    run = started(A=50)
    run.give("A", 100)
    assert refusal(run, "A", Bet(41)).values == {"low": 1, "high": 40}
    run.give("A", -130)
    assert refusal(run, "A", Bet(11)).values == {"low": 1, "high": 10}
    run.do("A", Bet(10))
    assert run.cash["A"] == 0


def test_money_from_outside_counts_at_the_next_turn() -> None:
    run = started(B=10)
    run.give("B", 50)
    run.do("A", Bet(5))
    assert (run.current, run.view("B").high) == ("B", 50)


def test_the_shown_cards_of_a_leaver_vanish() -> None:
    run = p4()
    run.sit("C")
    run.do("B", Bet(7))
    run.do("A", Show())
    assert run.view("C").opponents[0].cards is not None
    run.do("B", Show())
    view = run.view("C")
    assert [other.cards for other in view.opponents] == [run.hand("A"), run.hand("B")]
    assert not any(other.active for other in view.opponents)
    run.leave("A")
    assert [other.seat for other in run.view("C").opponents] == [1]
    run.sit("D")
    assert run.view("D").hand is None


def test_own_cards_stay_open_after_a_game_without_a_showdown_and_others_hidden() -> None:
    run = started()
    run.leave("B")
    assert run.view("A").hand == run.hand("A")
    assert run.view(None).opponents[0].cards is None


def test_a_folded_player_has_no_hand() -> None:
    run = started("ABC")
    run.do("A", Fold())
    assert run.view("A").hand is None
    assert Passed(0) in run.events
    assert not run.view("B").opponents[0].active


def test_leave_and_come_back_during_a_game() -> None:
    run = started("ABC")
    run.leave("B")
    run.sit("B")
    assert (run.active, run.game.watchers) == ("AC", (1,))
    assert refusal(run, "B", Bet(5)).reason == "not_your_turn"


def test_the_present_master_is_not_announced_as_a_new_one() -> None:
    run = started()
    run.leave("B")
    assert run.master == "A"
    assert NewMaster(0) not in run.events
    run = started("ABC")
    run.leave("C")
    run.do("A", Fold())
    run.leave("B")  # nobody is active any more; the fold passed the privilege to B, and it comes back
    assert run.master == "A"
    assert [event for event in run.events if isinstance(event, NewMaster)] == [NewMaster(1), NewMaster(0)]


# --- the table -------------------------------------------------------------------------------------------------------


def test_first_free_seat_and_a_full_table() -> None:
    run = casino("ABCDE")
    with pytest.raises(IllegalMove, match="table_full"):
        run.sit("F")
    with pytest.raises(IllegalMove, match="already_seated"):
        run.sit("C")
    run.leave("B")
    run.sit("F")
    assert run.people() == list("AFCDE")


def test_only_the_master_starts_and_only_once() -> None:
    run = casino()
    with pytest.raises(IllegalMove, match="not_master"):
        run.start("B")
    run.start("A")
    with pytest.raises(IllegalMove, match="game_running"):
        run.start("A")
    with pytest.raises(IllegalMove, match="not_seated"):
        run.start("Z")


def test_alone_is_said_before_the_pause() -> None:
    run = started()
    run.leave("B")
    with pytest.raises(IllegalMove, match="alone"):
        run.start("A")


def test_the_master_leaves_between_games() -> None:
    run = casino("ABC")
    run.wait(100)
    run.leave("A")
    assert (run.master, run.left, run.events[-2:]) == ("B", 180, [Left(0), NewMaster(1)])
    run.leave("C")
    assert run.master == "B"
    run.leave("B")
    assert (run.table.master, run.table.deadline, run.table.last) == (None, None, None)
    run.sit("D")
    assert (run.master, run.left) == ("D", 180)


def test_the_log_keeps_names_of_those_who_left() -> None:
    run = started("ABC")
    run.chat("B", "hello")
    run.leave("B")
    chat, gone = run.entries[-2:]
    assert (chat.event, chat.name) == (Chat(1, "hello"), "B")
    assert (gone.event, gone.name, gone.session) == (Left(1), "B", chat.session)
    assert run.table.log[-1].number == run.table.logged == len(run.entries)


def test_events_are_told_in_the_order_of_play() -> None:
    run = started()
    run.do("A", Bet(5))
    run.do("B", Fold())
    assert [event for event in told(run)[2:] if not isinstance(event, HandDealt | NextRound)] == [
        Started(0),
        BetMade(0, 5, False),
        Passed(1),
        ShowdownBegins(),
    ]


def test_a_move_after_the_minute_is_too_late() -> None:
    run = started()
    run.now += 60
    assert refusal(run, "A", Bet(5)).reason == "too_late"
    assert run.expire()
    assert run.active == "B"


def test_a_voided_game_has_no_winner() -> None:
    run = started()
    table = void(run.table, "recovered", run.now, run.clocks)
    assert (table.game, table.last, table.pot, table.log[-1].event) == (None, None, 0, Voided("recovered"))
    assert (table.master, table.deadline) == (0, run.now + 180)
    assert replace(table, master=None).seats == run.table.seats
    assert not POKER.is_over(run.game)
