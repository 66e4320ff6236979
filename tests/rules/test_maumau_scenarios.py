"""Mau-Mau's rules by example (spec/maumau.md 4 to 9); cards as in poker: + clubs, * spades, # hearts, - diamonds."""

from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.stacked import dealing
from tests.protocols.maumau_example import DEALING, DECK
from yawc_poker.cards import Suit, card, cards, deck
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import (
    RANKS,
    Finish,
    Forfeited,
    GaveUp,
    Lost,
    MayFinish,
    MayPlay,
    MayTake,
    MayWish,
    Move,
    Options,
    PlayCard,
    Played,
    Player,
    Reshuffled,
    RoundBegins,
    RoundOver,
    Scored,
    Skipped,
    State,
    Take,
    Took,
    Wish,
    Wished,
    Won,
)
from yawc_poker.games.maumau.progress import points, shuffled
from yawc_poker.games.maumau.standing import losers, winners

RNG = Random(0)
Event = object


def table(*hands: str, top: str = "9+", stock: str = "8+ 8- 9-", rounds: int = 1) -> State:
    """Return a state within a round, with place 0 on turn. `stock` begins with its next card."""
    players = tuple(Player(seat, cards(hand)) for seat, hand in enumerate(hands))
    return State(
        options=Options(rounds=rounds),
        seed="0",
        players=players,
        watchers=(),
        master=0,
        seats=tuple(range(len(players))),
        round=1,
        current=0,
        stock=tuple(reversed(cards(stock))),
        pile=(card(top),),
        fresh_stock=False,
    )


def do(state: State, seat: int, *moves: Move | str) -> State:
    for move in moves:
        state = rules.play(state, seat, PlayCard(card(move)) if isinstance(move, str) else move, RNG).state
    return state


def events(state: State, seat: int, move: Move) -> list[Event]:
    return list(rules.play(state, seat, move, RNG).events)


def refused(state: State, seat: int, move: Move | str) -> str:
    with pytest.raises(IllegalMove) as refusal:
        do(state, seat, move)
    return refusal.value.reason


def hand(state: State, place: int) -> str:
    return " ".join(str(one) for one in state.players[place].hand)


# --- the start of a round ---------------------------------------------------------------------------------------------


def test_the_deal_of_the_worked_example() -> None:
    step = rules.deal({0: 0, 1: 0}, 0, DEALING, Options())
    state = step.state
    assert (hand(state, 0), hand(state, 1)) == ("7* 8- 10* Q- K+ A* 10-", "7# 7+ J* Q# J+ J#")
    assert state.pile == cards("9#")
    assert tuple(reversed(state.stock)) == DECK[14:]
    assert step.events == (RoundBegins(0, 1, 4, card("9#")),)
    assert step.payments == ()


def test_five_players_leave_no_stock() -> None:
    state = rules.deal(dict.fromkeys(range(5), 0), 0, dealing(rules, Random(1)), Options()).state
    assert state.stock == ()
    assert sum(len(player.hand) for player in state.players) == 31


def test_the_card_turned_up_has_no_effect() -> None:
    for seed in range(200):
        state = rules.deal({0: 0, 1: 0, 2: 0}, 0, dealing(rules, Random(seed)), Options()).state
        assert (state.current, state.penalty, state.suit, state.must_wish) == (0, 0, None, False)


# --- laying and taking ------------------------------------------------------------------------------------------------


def test_suit_or_value_fits() -> None:
    state = table("8+ 9- K- 10#", "8* 10-")
    assert rules.legal_moves(state, 0) == (MayPlay(cards("8+ 9-")),)
    assert refused(state, 0, "K-") == "does_not_fit"
    assert refused(state, 0, "A+") == "not_held"
    assert refused(state, 1, "8*") == "not_your_turn"
    assert refused(state, 0, Take(1)) == "must_play"
    assert refused(state, 0, Wish(Suit.CLUBS)) == "no_wish"
    assert refused(state, 0, Finish()) == "other_cards"


def test_nothing_fits_and_the_card_taken_does_not_either() -> None:
    state = table("K- 10#", "8* 10-", stock="Q#")
    assert rules.legal_moves(state, 0) == (MayTake(1),)
    assert refused(state, 0, Take(2)) == "wrong_count"
    state = do(state, 0, Take(1))
    assert (state.current, hand(state, 0)) == (1, "K- 10# Q#")


def test_a_card_taken_that_fits_must_be_laid() -> None:
    state = do(table("K- 10#", "8* 10-", stock="Q+ 8-"), 0, Take(1))
    assert (state.current, rules.legal_moves(state, 0)) == (0, (MayPlay(cards("Q+")),))
    assert refused(state, 0, Take(1)) == "must_play"
    assert refused(state, 0, "K-") == "drawn_card"
    assert do(state, 0, "Q+").current == 1


def test_a_hand_with_a_jack_never_takes_one() -> None:
    assert refused(table("J- 10#", "8*"), 0, Take(1)) == "must_play"


# --- sevens -----------------------------------------------------------------------------------------------------------


def test_the_longest_chain_of_sevens() -> None:
    state = table("7+ 8-", "7* 8-", "7# 8-", "7- 9-", stock="8+ 9* 10# 10- Q+ Q- Q# K+ K-")
    for seat, seven in enumerate(("7+", "7*", "7#", "7-")):
        assert state.penalty == 2 * seat
        state = do(state, seat, seven)
    assert rules.legal_moves(state, 0) == (MayTake(8),)
    step = rules.play(state, 0, Take(8), RNG)
    assert step.events == (Took(0, 8, penalty=True),)
    assert (step.state.current, step.state.penalty) == (0, 0)


def test_a_seven_must_be_answered_with_a_seven() -> None:
    state = do(table("7+ 8-", "7* J- 9+"), 0, "7+")
    assert rules.legal_moves(state, 1) == (MayPlay(cards("7*")),)
    assert refused(state, 1, "J-") == "play_seven"
    assert refused(state, 1, Take(2)) == "play_seven"


def test_without_a_seven_one_takes_and_then_has_an_ordinary_turn() -> None:
    state = do(table("7+ 8-", "J- 9-", stock="8* K+ 10#"), 0, "7+")
    assert refused(state, 1, "J-") == "take_first"
    assert refused(state, 1, Finish()) == "take_first"
    assert refused(state, 1, Take(1)) == "wrong_count"
    state = do(state, 1, Take(2))
    assert (state.current, hand(state, 1)) == (1, "J- 9- 8* K+")
    assert rules.legal_moves(state, 1) == (MayPlay(cards("J- K+")),)


def test_jacks_only_must_take_first() -> None:
    state = do(table("7+ 8-", "J- J+"), 0, "7+")
    assert rules.legal_moves(state, 1) == (MayTake(2),)
    assert refused(state, 1, Finish()) == "take_first"


def test_a_seven_that_was_taken_for_is_an_ordinary_card() -> None:
    state = do(table("7+ 8-", "9- 10#", stock="7* 8*"), 0, "7+")
    state = do(state, 1, Take(2))
    assert do(state, 1, "7*").penalty == 2


# --- aces and jacks ---------------------------------------------------------------------------------------------------


def test_an_ace_skips_the_next() -> None:
    state = table("A+ 8-", "8*", "9*")
    assert Skipped(1) in events(state, 0, PlayCard(card("A+")))
    assert do(state, 0, "A+").current == 2


def test_an_ace_between_two_gives_another_turn() -> None:
    state = do(table("A+ A- 8-", "8*"), 0, "A+")
    assert state.current == 0
    assert do(state, 0, "A-").current == 0


def test_a_wish_outlasts_players_who_cannot_follow() -> None:
    state = do(table("J* 8-", "9* K-", "8# 9-", stock="10+ 10-"), 0, "J*")
    assert rules.legal_moves(state, 0) == (MayWish(),)
    assert refused(state, 0, "8-") == "must_wish"
    state = do(state, 0, Wish(Suit.HEARTS))
    assert refused(state, 1, "9*") == "does_not_fit"
    state = do(state, 1, Take(1))
    assert (state.current, state.suit) == (2, Suit.HEARTS)
    assert do(state, 2, "8#").suit is None


def test_a_jack_fulfils_the_wish_and_the_next_jack_wishes_again() -> None:
    state = do(table("J* 8-", "J+ K-", "J# 9- 9#"), 0, "J*", Wish(Suit.HEARTS))
    state = do(state, 1, "J+")
    assert (state.current, state.suit, state.open_wish, state.must_wish) == (2, Suit.HEARTS, False, False)
    assert rules.legal_moves(state, 2) == (MayPlay(cards("J# 9#")),)
    state = do(state, 2, "J#")
    assert (state.current, state.must_wish) == (2, True)


# --- the end of a round -----------------------------------------------------------------------------------------------


def test_all_jacks_at_once_or_one() -> None:
    state = table("J* J+", "K- A-")
    assert rules.legal_moves(state, 0) == (MayPlay(cards("J* J+")), MayFinish())
    assert do(state, 0, "J*").must_wish
    over = rules.play(state, 0, Finish(), RNG)
    assert over.state.phase == "over"
    assert [player.points for player in over.state.players] == [(0,), (21,)]
    assert over.events[1:] == (RoundOver(0, 1), Scored(0, 0, 0), Scored(1, 21, 21), Lost(1, 21), Won(0, 0))
    assert over.state.pile == cards("9+ J* J+")


@pytest.mark.parametrize("last", ["7+", "A+", "J-"])
def test_the_last_card_has_no_effect(last: str) -> None:
    state = do(table(last, "8*", "9*"), 0, last)
    assert (state.phase, state.penalty, state.must_wish) == ("over", 0, False)
    assert [player.total for player in state.players] == [0, 8, 9]


def test_points() -> None:
    assert points(deck(RANKS)) == 340
    assert points(cards("7+ 8+ 9+ 10+ J+ Q+ K+ A+")) == 7 + 8 + 9 + 10 + 20 + 10 + 10 + 11


def test_the_next_round_begins_with_the_next_player() -> None:
    state = do(table("8+", "8*", "9*", rounds=2), 0, "8+")
    assert (state.round, state.current, state.phase) == (2, 1, "play")
    assert [len(player.hand) for player in state.players] == [6, 7, 6]
    assert [player.points for player in state.players] == [(0,), (8,), (9,)]


def test_all_with_the_most_points_lose() -> None:
    step = rules.play(table("8+", "9*", "9-"), 0, PlayCard(card("8+")), RNG)
    assert step.events[-3:] == (Lost(1, 9), Lost(2, 9), Won(0, 0))


def test_where_all_have_the_same_points_all_lose() -> None:
    players = [Player(seat, points=(9,)) for seat in range(3)]
    assert (losers(players), winners(players)) == (tuple(players), ())


# --- the stock --------------------------------------------------------------------------------------------------------


def test_a_new_stock_after_the_turn_that_emptied_it() -> None:
    state = replace(table("K- 10#", "8* 10-", stock="Q#"), pile=cards("A- K+ 9+"))
    step = rules.play(state, 0, Take(1), RNG)
    assert step.events == (Took(0, 1, penalty=False), Reshuffled(card("9+")))
    assert sorted(step.state.stock) == sorted(cards("A- K+"))
    assert step.state.pile == cards("9+")
    assert step.state.course[-1].card == card("9+")


def test_a_new_stock_while_cards_are_being_taken() -> None:
    state = replace(table("8-", "9- 10#", stock="8*"), pile=cards("A- K+ 7+"), penalty=4, current=1)
    step = rules.play(state, 1, Take(4), RNG)
    assert step.events == (Reshuffled(card("7+")), Took(1, 3, penalty=True))
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
    assert step.events == (Took(0, 0, penalty=False),)
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
    assert lays[0] == Played(0, card("8+"), by_clock=True)
    takes = rules.timeout(replace(table("K-", "8*"), penalty=2), RNG).events
    assert takes == (Took(0, 2, penalty=True, by_clock=True),)
    wishes = rules.timeout(do(table("J# 8-", "8*"), 0, "J#"), RNG).events
    assert wishes == (Wished(0, Suit.HEARTS, by_clock=True),)
    assert rules.play(table("8+ 9-", "8*"), 0, PlayCard(card("8+")), RNG).events[0] == Played(0, card("8+"))


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
    assert step.events == (Forfeited(0), Scored(1, 19, 19), GaveUp(1))
    assert [player.total for player in step.state.players] == [16, 19]
    assert [one.kind for one in step.state.course] == ["leave", "result"]
    assert losers(step.state.players) == step.state.players[:1]
    assert winners(step.state.players) == step.state.players[1:]


def test_leaving_a_running_game_loses_it_whatever_the_points() -> None:
    gone = rules.leave(table("8+", "9- 7-", "10- Q+"), 1)
    assert gone.events == (Forfeited(1),)
    step = rules.play(gone.state, 0, PlayCard(card("8+")), RNG)
    assert step.events[1:] == (RoundOver(0, 1), Scored(0, 0, 0), Scored(2, 20, 20), Won(0, 0))
    assert losers(step.state.players) == (step.state.players[1],)
    assert [one.forfeited for one in rules.view(step.state, 0).players] == [False, True, False]


def test_leaving_a_finished_game_does_not_lose_it() -> None:
    over = do(table("8+", "8*", "9*"), 0, "8+")
    gone = rules.leave(over, 0).state
    assert [one.total for one in losers(gone.players)] == [9]
    assert [one.total for one in winners(gone.players)] == [0]


def test_the_masters_privilege_passes_on() -> None:
    state = table("8+ 8-", "K- 9-", "10- Q+")
    assert rules.master(rules.leave(state, 0).state) == 1
    assert rules.master(rules.leave(replace(state, master=2), 2).state) == 0


def test_a_newcomer_looks_on_from_a_seat_that_became_free() -> None:
    state = rules.join(rules.leave(table("8+ 8-", "K- 9-", "10- Q+"), 1).state, 1, 0).state
    seen = rules.view(state, 1)
    assert (seen.place, seen.hand, seen.choices) == (None, None, ())
    assert rules.leave(state, 1).state.watchers == ()
