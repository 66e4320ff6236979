"""Tricks, clocks and leaving (spec/offiziersskat.md 4; O5, O6, O11 to O14)."""

from random import Random

import msgspec
import pytest

from tests.engine.stacked import dealing
from tests.rules.offiziersskat.run import (
    CASH,
    MATCH,
    RNG,
    after_round,
    at_points,
    begun,
    do,
    events,
    laid,
    offered,
    refused,
    with_places,
)
from yawc_poker.cards import Suit, card, cards
from yawc_poker.config import Config
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.offiziersskat.model import (
    Forfeited,
    MayPlay,
    PlayCard,
    Played,
    State,
    TrickTaken,
    Won,
)
from yawc_poker.tricks import Trick

ANYTHING = "7+ 8+ 9+ 7* 8* 9* 7# 8#"


# --- 4.1 who opens ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gained", [0, 60, 120])
def test_o5_the_rounds_are_opened_in_turn_whoever_won(gained: int) -> None:
    state = begun()
    assert (state.current, state.round.opener) == (0, 0)
    for number in (2, 3, 4):
        state = after_round(state, gained)
        assert (state.round.number, state.round.opener, state.current) == (number, (number - 1) % 2, (number - 1) % 2)


@pytest.mark.parametrize("master", [0, 1])
def test_whoever_starts_the_match_opens_it_in_whichever_seat(master: int) -> None:
    """The person opens the first round, not the house: only a person starts a match."""
    usual = OFFIZIERSSKAT.options(Config())
    state = rules.deal(CASH, master, dealing(rules, Random(1)), usual).state
    assert (state.current, state.round.opener) == (master, master)
    state = after_round(state, 60)
    assert (state.round.number, state.round.opener) == (2, 1 - master)


def test_matches_of_before_are_opened_by_the_first_seat() -> None:
    """Their options say nothing of it, and they are proven by what they were played by."""
    former = rules.read_options('{"target":21}')
    assert rules.deal(CASH, 1, dealing(rules, Random(1)), former).state.current == 0


# --- 4.2 to 4.4 what may be played ------------------------------------------------------------------------------------


def test_the_leader_plays_any_open_card() -> None:
    state = begun("A+ J* 7# 10- 9- 8- K+ Q#")
    assert rules.legal_moves(state, 0) == (MayPlay(cards("A+ J* 7# 10- 9- 8- K+ Q#")),)
    assert rules.legal_moves(state, 1) == ()
    assert refused(state, 1, "7+") == ("not_your_turn", {})


def test_the_second_player_follows_suit() -> None:
    state = do(begun("A#", "10# 7+ K# J# 9+ 8+ 7- 8-", trump=Suit.CLUBS), 0, "A#")
    assert offered(state, 1) == cards("10# K#")
    assert refused(state, 1, "7+") == ("must_follow", {"suit": int(Suit.HEARTS)})
    assert refused(state, 1, "A*") == ("not_held", {})
    assert refused(state, 0, "A#") == ("not_your_turn", {})


def test_without_the_colour_any_open_card_may_be_played() -> None:
    state = do(begun("A#", "J+ 9- 7+ 8+ 9+ 7* 8* 9*", trump=Suit.DIAMONDS), 0, "A#")
    assert offered(state, 1) == cards("J+ 9- 7+ 8+ 9+ 7* 8* 9*"), "neither trumping nor beating is a duty"


def test_a_higher_card_need_not_be_played() -> None:
    state = do(begun("K#", "10# 7#", trump=Suit.CLUBS), 0, "K#")
    assert offered(state, 1)[:2] == cards("10# 7#")


def test_o6_a_covered_card_does_not_oblige() -> None:
    state = do(begun("A#", ANYTHING.replace("7# 8#", "7- 8-"), covered=("", "10# K#"), trump=Suit.CLUBS), 0, "A#")
    assert offered(state, 1) == cards("7+ 8+ 9+ 7* 8* 9* 7- 8-")


def test_o11_a_jack_must_follow_a_trump() -> None:
    state = do(begun("A*", "J- 7# 8# 9# 7+ 8+ 9+ 7-", trump=Suit.SPADES), 0, "A*")
    assert offered(state, 1) == cards("J-")
    assert refused(state, 1, "7#") == ("must_follow_trump", {})


def test_o11_a_card_of_the_trump_suit_must_follow_a_jack() -> None:
    state = do(begun("J+", "7* 7# 8# 9# 7+ 8+ 9+ 7-", trump=Suit.SPADES), 0, "J+")
    assert offered(state, 1) == cards("7*")


def test_o12_only_jacks_follow_a_jack_in_grand() -> None:
    state = do(begun("J+", "A+ J- 10+ K+ J# A# 7* 7-"), 0, "J+")
    assert offered(state, 1) == cards("J- J#")
    assert refused(state, 1, "A+") == ("must_follow_trump", {})
    without = do(begun("J+", "A+ 10+ K+ Q+ A# 7* 7- 8-"), 0, "J+")
    assert offered(without, 1) == cards("A+ 10+ K+ Q+ A# 7* 7- 8-")


def test_o13_a_jack_does_not_follow_its_suit() -> None:
    state = do(begun("A#", "J# 7# 8+ 9+ 7+ 7- 8- 9-", trump=Suit.SPADES), 0, "A#")
    assert offered(state, 1) == cards("7#")
    free = do(begun("A#", "J# 7* 8+ 9+ 7+ 7- 8- 9-", trump=Suit.SPADES), 0, "A#")
    assert offered(free, 1) == cards("J# 7* 8+ 9+ 7+ 7- 8- 9-")


# --- 4.5, 4.6 who takes the trick -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trump", "led", "other", "taker", "eyes"),
    [
        (Suit.CLUBS, "10#", "A#", 1, 21),
        (Suit.CLUBS, "A#", "10#", 0, 21),
        (Suit.CLUBS, "Q#", "9#", 0, 3),
        (Suit.CLUBS, "7#", "8#", 1, 0),
        (Suit.CLUBS, "A#", "7+", 1, 11),
        (Suit.CLUBS, "A#", "J-", 1, 13),
        (Suit.CLUBS, "7#", "A-", 0, 11),
        (Suit.CLUBS, "A+", "J-", 1, 13),
        (Suit.CLUBS, "J*", "J+", 1, 4),
        (Suit.CLUBS, "J#", "J-", 0, 4),
        (Suit.CLUBS, "J-", "A+", 0, 13),
        (None, "A+", "J-", 1, 13),
        (None, "7+", "A*", 0, 11),
    ],
)
def test_who_takes_a_trick_and_what_it_counts(trump: Suit | None, led: str, other: str, taker: int, eyes: int) -> None:
    state = do(with_places(begun(trump=trump), f"{led} 8*", f"{other} 9*"), 0, led)
    assert events(state, 1, other) == [Played(1, card(other)), TrickTaken(taker, 1, eyes, (None, None))]
    state = do(state, 1, other)
    assert (state.current, state.round.leader, state.round.trick) == (taker, taker, ())
    assert [one.eyes for one in rules.view(state, None).players] == [eyes * (taker == 0), eyes * (taker == 1)]
    assert state.round.tricks == (Trick(0, cards(f"{led} {other}"), taker),)


def test_the_second_card_is_seat_0s_where_seat_1_leads() -> None:
    state = laid(with_places(begun(trump=Suit.CLUBS), "7# 10- 9*", "A# A- 8*"), "7# A# A- 10-")
    assert [(trick.leader, trick.taker) for trick in state.round.tricks] == [(0, 1), (1, 1)]
    assert rules.view(state, 0).players[1].eyes == 32
    assert rules.view(state, 0).last == Trick(1, cards("A- 10-"), 1)


def test_a_view_has_the_last_trick_of_the_round_before() -> None:
    state = after_round(begun(), 60)
    view = rules.view(state, 1)
    assert (view.round.tricks, view.last) == ((), Trick(0, cards("7- 7#"), 0))
    assert [one.total for one in view.players] == [1, 1]


# --- the clock --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opened", "trump", "cheapest"),
    [
        ("A# 9+ 7- 8*", Suit.HEARTS, "7-"),
        ("A# 9+ 7- 8*", Suit.DIAMONDS, "8*"),
        ("9# 9+ 9* J+", Suit.CLUBS, "9#"),
        ("J- J+ Q#", Suit.CLUBS, "J-"),
        ("A# 10# K#", Suit.HEARTS, "K#"),
    ],
)
def test_the_clock_plays_the_cheapest_card(opened: str, trump: Suit, cheapest: str) -> None:
    state = with_places(begun(trump=trump), opened, "7+")
    step = rules.timeout(state, RNG)
    assert step.events == (Played(0, card(cheapest), by_clock=True),)


def test_the_clock_follows_suit() -> None:
    state = do(begun("K#", "A# 10# 7+ 8+ 9+ 7* 8* 9*", trump=Suit.CLUBS), 0, "K#")
    assert rules.timeout(state, RNG).events[0] == Played(1, card("10#"), by_clock=True)


# --- leaving ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_leaving_loses_the_match_whatever_the_points_are(seat: int) -> None:
    state = at_points(begun(), 20 if seat == 0 else 3, 20 if seat == 1 else 3)
    step = rules.leave(state, seat)
    assert step.events == (Forfeited(seat), Won(1 - seat, 3, forfeited=True))
    after = step.state
    assert (rules.is_over(after), rules.to_move(after), after.master) == (True, None, 1 - seat)
    assert (rules.won(after), rules.payouts(after)) == ((1 - seat,), {1 - seat: 1})
    assert rules.points(after) == {seat: 20, 1 - seat: 3}
    assert rules.view(after, None).forfeiter == seat
    assert [one.gone for one in rules.view(after, None).players] == [seat == 0, seat == 1]


def over() -> State:
    return rules.leave(begun(), 0).state


def test_nothing_is_played_once_the_match_is_over() -> None:
    with pytest.raises(IllegalMove) as refusal:
        rules.play(over(), 1, PlayCard(card("7+")), RNG)
    assert refusal.value.reason == "game_over"
    with pytest.raises(IllegalMove):
        rules.timeout(over(), RNG)


def test_leaving_after_the_match_changes_neither_winner_nor_points() -> None:
    state = after_round(at_points(begun(), 20, 0), 120)
    assert rules.won(state) == (0,)
    gone = rules.leave(rules.leave(state, 0).state, 1)
    assert gone.events == ()
    assert (rules.won(gone.state), rules.points(gone.state)) == ((0,), {0: 24, 1: 0})
    assert gone.state.forfeiter is None


def test_somebody_who_takes_a_free_seat_is_a_watcher() -> None:
    state = rules.join(over(), 0, 100).state
    assert not rules.view(state, 0).is_player
    assert rules.view(state, 1).is_player
    assert rules.leave(state, 0).state == over()


# --- O14 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["GiveUp", "Undo", "Hint", "Save", "GoOn"])
def test_o14_the_only_move_is_a_card(kind: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        rules.read_move(f'{{"type":"{kind}"}}')
    move = PlayCard(card("10#"))
    assert rules.read_move(msgspec.json.encode(move).decode()) == move


def test_options_are_read() -> None:
    assert rules.read_options("{}") == MATCH
    with pytest.raises(msgspec.DecodeError):
        rules.read_options('{"target":22}')
