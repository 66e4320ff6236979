"""Mau-Mau's stock, its clock and players who leave, by example (spec/maumau.md 6 to 9)."""

import pytest
from msgspec.structs import replace

from tests.engine.words import start
from tests.rules.maumau_states import RNG, do, hand, table
from yawc_poker.cards import Suit, card, cards, deck
from yawc_poker.engine import kept, sealing
from yawc_poker.engine import table as tables
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.replay import replay
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.game import MAUMAU, RULES
from yawc_poker.games.maumau.model import (
    RANKS,
    Event,
    Forfeited,
    GaveUp,
    Lost,
    Options,
    PlayCard,
    Played,
    Player,
    Reshuffled,
    RoundOver,
    Scored,
    State,
    Take,
    Took,
    Wished,
    Won,
)
from yawc_poker.games.maumau.progress import shuffled
from yawc_poker.games.maumau.standing import losers, winners

CLOCKS = Clocks()

# --- the stock --------------------------------------------------------------------------------------------------------


def test_a_new_stock_after_the_turn_that_emptied_it() -> None:
    state = replace(table("K- 10#", "8* 10-", stock="Q#"), pile=cards("A- K+ 9+"))
    step = rules.play(state, 0, Take(1), RNG)
    assert step.events == (Took(0, 1, penalty=False, cards=cards("Q#")), Reshuffled(card("9+")))
    assert sorted(step.state.stock) == sorted(cards("A- K+"))
    assert step.state.pile == cards("9+")
    assert step.state.course[-1].card == card("9+")


def test_a_new_stock_while_cards_are_being_taken() -> None:
    state = replace(table("8-", "9- 10#", stock="8*"), pile=cards("A- K+ 7+"), penalty=4, current=1)
    step = rules.play(state, 1, Take(4), RNG)
    assert step.events == (Reshuffled(card("7+")), Took(1, 3, penalty=True, cards=step.state.players[1].hand[2:]))
    assert (step.state.current, step.state.stock, step.state.penalty) == (1, (), 0)


def test_the_cards_taken_are_known_until_the_next_move() -> None:
    state = do(replace(table("K- 10#", "8* 10-"), penalty=2), 0, Take(2))
    assert rules.view(state, 0).taken == cards("8+ 8-")
    assert rules.view(state, 1).taken == rules.view(state, None).taken == ()
    state = do(state, 0, "8+")
    assert rules.view(state, 0).taken == ()
    state = do(do(state, 1, "8*"), 0, PlayCard(card("8-")))
    assert rules.view(state, 0).taken == ()


def test_nothing_left_anywhere() -> None:
    step = rules.play(table("K- 10#", "8* 10-", stock=""), 0, Take(1), RNG)
    assert step.events == (Took(0, 0, penalty=False, cards=()),)
    assert step.state.current == 1


def test_the_seed_decides_every_shuffle() -> None:
    state = table("8-", "9-")
    first, after = shuffled(state, deck(RANKS))
    assert shuffled(state, deck(RANKS))[0] == first
    assert shuffled(after, deck(RANKS))[0] != first
    assert shuffled(replace(state, seed="1"), deck(RANKS))[0] != first
    assert sorted(first) == sorted(deck(RANKS))


# --- the clock, and people who go -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "forced"), [("J* 8+ 9-", "8+"), ("J* K-", "J*"), ("J* J+", "J*"), ("K- A#", None)], ids=str
)
def test_the_clock_makes_the_forced_move(held: str, forced: str | None) -> None:
    state = rules.timeout(table(held, "8*"), RNG).state
    if forced is None:
        assert hand(state, 0) == f"{held} 8+"
    else:
        assert state.pile[-1] == card(forced)


def test_a_move_of_the_clock_is_told_as_the_clocks() -> None:
    lays = rules.timeout(table("8+ 9-", "8*"), RNG).events
    assert lays[0] == Played(0, card("8+"), by_clock=True, left=1)
    taken = rules.timeout(replace(table("K-", "8*"), penalty=2), RNG)
    assert taken.events == (Took(0, 2, penalty=True, by_clock=True, cards=taken.state.players[0].hand[1:]),)
    wishes = rules.timeout(do(table("J# 8-", "8*"), 0, "J#"), RNG).events
    assert wishes == (Wished(0, Suit.HEARTS, by_clock=True),)
    assert rules.play(table("8+ 9-", "8*"), 0, PlayCard(card("8+")), RNG).events[0] == Played(0, card("8+"), left=1)


def test_the_clock_wishes_the_jacks_own_suit() -> None:
    state = rules.timeout(do(table("J# 8-", "8*"), 0, "J#"), RNG).state
    assert (state.suit, state.current) == (Suit.HEARTS, 1)


def test_a_leavers_cards_go_under_the_stock() -> None:
    state = do(table("7+ 8-", "K- 9-", "10- Q+", stock="8+"), 0, "7+")
    gone = rules.leave(state, 1).state
    assert tuple(reversed(gone.stock)) == cards("8+ 9- K-")
    assert (gone.current, gone.penalty) == (2, 2)
    assert gone.players[1] == Player(None, (), (19,), forfeited=True)
    assert [player.cards for player in rules.view(gone, 0).players] == [1, 0, 2]


def test_leaving_out_of_turn_changes_nobodys_turn() -> None:
    state = table("8+ 8-", "K- 9-", "10- Q+")
    gone = rules.leave(state, 1).state
    assert (gone.current, gone.turn) == (state.current, state.turn)
    assert [step.kind for step in gone.course[-1:]] == ["leave"]
    assert do(gone, 0, "8+").current == 2


def test_a_wish_that_was_due_goes_with_the_leaver() -> None:
    gone = rules.leave(do(table("J* 8-", "K*", "9-"), 0, "J*"), 0).state
    assert (gone.must_wish, gone.suit, gone.current) == (False, None, 1)


def test_the_last_one_left_ends_the_game() -> None:
    step = rules.leave(table("8+ 8-", "K- 9-", rounds=4), 0)
    assert step.state.phase == "over"
    assert step.events == (Forfeited(0, 16), Scored(1, 19, 19), GaveUp(1))
    assert [player.total for player in step.state.players] == [16, 19]
    assert [one.kind for one in step.state.course] == ["leave", "result"]
    assert losers(step.state.players) == step.state.players[:1]
    assert winners(step.state.players) == step.state.players[1:]


def test_leaving_a_running_game_loses_it_whatever_the_points() -> None:
    gone = rules.leave(table("8+", "9- 7-", "10- Q+"), 1)
    assert gone.events == (Forfeited(1, 16),)
    step = rules.play(gone.state, 0, PlayCard(card("8+")), RNG)
    assert step.events[1:] == (RoundOver(0, 1), Scored(0, 0, 0), Scored(2, 20, 20), Lost(2, 20), Won(0, 0))
    assert losers(step.state.players) == step.state.players[1:]
    assert [one.forfeited for one in rules.view(step.state, 0).players] == [False, True, False]


@pytest.mark.parametrize("count", [2, 3])
def test_the_hand_of_a_round_dealt_after_a_seat_was_kept_costs_nobody_anything(count: int) -> None:
    """The next round is dealt before the rules are told who has left during the one before."""
    played: Table[State, Event] = tables.empty(RULES)
    for seat in range(count):
        played = tables.sit(played, RULES, Seat(10 + seat, 1 + seat, f"P{seat}", 0), 0.0, CLOCKS)
    played = start(played, RULES, 10, {}, RNG, 0.0, Options(rounds=4), CLOCKS).table
    played = tables.leave(played, RULES, 11, 0.0, CLOCKS, removed=True, keeps=MAUMAU.keeps).table
    stand_in = Seat(99, HOUSE_USERS.start, "Ada**", 0, program="normal 1")
    played = tables.sit(played, RULES, stand_in, 0.0, CLOCKS)
    while (game := present(played)).round == 1:
        assert kept.given_up(played, RULES, MAUMAU.keeps, 0.0, CLOCKS) is None
        change = tables.expire(played, RULES, played.deadline or 0.0, RNG, {}, CLOCKS)
        assert change is not None
        played = change.table
    change = kept.given_up(played, RULES, MAUMAU.keeps, 0.0, CLOCKS)
    assert change is not None
    left = present(change.table)
    assert [one.total for one in left.players] == [one.total for one in game.players]
    assert [one.forfeited for one in left.players] == [place == 1 for place in range(count)]
    assert (left.phase == "over") == (count == 2)
    book = change.table.transcript
    assert book is not None
    assert book.deck is not None
    *_, (_, step) = replay(RULES, sealing.dealing(book.deck, book.words), book.actions)
    assert step.state == left


def test_of_those_who_stay_who_has_the_most_points_loses_whatever_a_leaver_has() -> None:
    stayed, left = [Player(0, (), (60, 90)), Player(1, (), (10, 20))], Player(None, (), (15, 0), forfeited=True)
    for leaver in (left, replace(left, points=(200,))):
        assert losers([*stayed, leaver]) == (stayed[0], leaver)
        assert winners([*stayed, leaver]) == (stayed[1],)
        assert losers([*stayed[:1], leaver]) == (leaver,), "who is left alone has won"


def present(played: Table[State, Event]) -> State:
    assert played.game is not None
    return played.game


def test_leaving_a_finished_game_does_not_lose_it() -> None:
    over = do(table("8+", "8*", "9*"), 0, "8+")
    gone = rules.leave(over, 0).state
    assert [one.total for one in losers(gone.players)] == [9]
    assert [one.total for one in winners(gone.players)] == [0]


def test_the_masters_privilege_passes_on() -> None:
    state = table("8+ 8-", "K- 9-", "10- Q+")
    assert rules.leave(state, 0).state.master == 1
    assert rules.leave(replace(state, master=2), 2).state.master == 0


def test_a_newcomer_looks_on_from_a_seat_that_became_free() -> None:
    state = rules.join(rules.leave(table("8+ 8-", "K- 9-", "10- Q+"), 1).state, 1, 0).state
    seen = rules.view(state, 1)
    assert (seen.place, seen.hand, seen.choices) == (None, None, ())
    assert rules.leave(state, 1).state.watchers == ()
