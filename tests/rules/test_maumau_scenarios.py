"""Mau-Mau's rules by example (spec/maumau.md 4 to 7); cards as in poker: + clubs, * spades, # hearts, - diamonds."""

from random import Random

import pytest

from tests.engine.stacked import dealing
from tests.protocols.maumau_example import DEALING, DECK
from tests.rules.maumau_states import RNG, do, events, hand, refused, table
from yawc_poker.cards import Suit, card, cards, deck
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import (
    RANKS,
    Finish,
    HandDealt,
    Lost,
    MayFinish,
    MayPlay,
    MayTake,
    MayWish,
    Options,
    PlayCard,
    Player,
    RoundBegins,
    RoundOver,
    Scored,
    Skipped,
    Take,
    Took,
    Wish,
    Won,
)
from yawc_poker.games.maumau.progress import points
from yawc_poker.games.maumau.standing import losers, winners

# --- the start of a round ---------------------------------------------------------------------------------------------


def test_the_deal_of_the_worked_example() -> None:
    step = rules.deal({0: 0, 1: 0}, 0, DEALING, Options())
    state = step.state
    assert (hand(state, 0), hand(state, 1)) == ("7* 8- 10* Q- K+ A* 10-", "7# 7+ J* Q# J+ J#")
    assert state.pile == cards("9#")
    assert tuple(reversed(state.stock)) == DECK[14:]
    hands = [HandDealt(seat, len(player.hand), player.hand) for seat, player in enumerate(state.players)]
    assert step.events == (RoundBegins(0, 1, 4, card("9#")), *hands)
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
    assert step.events == (Took(0, 8, penalty=True, cards=step.state.players[0].hand[1:]),)
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
