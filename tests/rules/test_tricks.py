"""Card tricks by example, and what holds for every order of cards (`tricks`)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.cards import Card, Rank, Suit, card, cards, deck
from yawc_poker.tricks import TrickOrder, arranged, beats, colour, eyes, ordered, playable, strength, taker

RANKS = (Rank.SEVEN, Rank.EIGHT, Rank.NINE, Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE)
PLAIN = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.NINE, Rank.EIGHT, Rank.SEVEN)
JACKS = cards("J+ J* J# J-")
GRAND = ordered(JACKS, None, PLAIN)
SPADES = ordered(JACKS, Suit.SPADES, PLAIN)

a_card = st.sampled_from(deck(RANKS))
orders = st.builds(lambda suit: ordered(JACKS, suit, PLAIN), st.sampled_from((None, *Suit)))
hands = st.lists(a_card, min_size=1, max_size=12)


def test_trumps_of_a_suit_stand_below_the_jacks() -> None:
    assert SPADES.trumps == cards("J+ J* J# J- A* 10* K* Q* 9* 8* 7*")
    assert GRAND.trumps == JACKS
    assert ordered(cards("10#"), Suit.HEARTS, (Rank.ACE, Rank.TEN, Rank.KING)).trumps == cards("10# A# K#")


def test_a_trump_does_not_belong_to_its_suit() -> None:
    hand = cards("J* A+ 7#")
    assert playable(GRAND, hand, card("9*")) == hand
    assert playable(GRAND, hand, card("J#")) == cards("J*")
    assert playable(SPADES, hand, card("7*")) == cards("J*")


def test_nobody_has_to_trump() -> None:
    assert playable(SPADES, cards("J* 7# A*"), card("9+")) == cards("J* 7# A*")


@pytest.mark.parametrize(
    ("order", "trick", "best"),
    [
        (GRAND, "7+ A* A# A-", 0),
        (GRAND, "7+ 8+ A+ 10+", 2),
        (GRAND, "7+ A+ J- J#", 3),
        (SPADES, "A+ 7* 10+ 8*", 3),
        (SPADES, "A+ A+", 0),
        (SPADES, "A+ J* J* 7*", 1),
    ],
)
def test_who_takes_the_trick(order: TrickOrder, trick: str, best: int) -> None:
    assert taker(order, cards(trick)) == best


def test_no_cards_are_no_trick() -> None:
    with pytest.raises(ValueError, match="without cards"):
        taker(GRAND, ())


def test_eyes() -> None:
    assert [eyes(cards(one)) for one in ("A+", "10*", "K-", "Q#", "J+", "9+", "7-")] == [11, 10, 4, 3, 2, 0, 0]
    assert eyes(deck(RANKS)) == 120


def test_a_hand_is_arranged_by_trumps_then_suits() -> None:
    assert arranged(SPADES, cards("7- A- 9+ A+ 7* J- J+")) == cards("J+ J- 7* A+ 9+ A- 7-")


@given(orders, hands, st.none() | a_card)
def test_something_may_always_be_played_and_it_follows_if_it_can(
    order: TrickOrder, hand: list[Card], led: Card | None
) -> None:
    allowed = playable(order, hand, led)
    assert allowed
    assert set(allowed) <= set(hand)
    following = [one for one in hand if led is None or colour(order, one) == colour(order, led)]
    assert list(allowed) == (following or hand)


@given(orders, hands)
def test_nothing_beats_the_card_that_takes_the_trick(order: TrickOrder, trick: list[Card]) -> None:
    best = taker(order, trick)
    assert not any(beats(order, one, trick[best]) for one in trick)
    assert all(
        beats(order, trick[best], one) or one == trick[best] or not _comparable(order, one, trick[best])
        for one in trick
    )
    assert trick.index(trick[best]) == best, "the first of two equal cards"
    assert colour(order, trick[best]) in {None, colour(order, trick[0])}


def _comparable(order: TrickOrder, one: Card, other: Card) -> bool:
    return colour(order, one) == colour(order, other) or None in {colour(order, one), colour(order, other)}


@given(orders, a_card, a_card, a_card)
def test_what_beats_is_an_order(order: TrickOrder, one: Card, two: Card, three: Card) -> None:
    assert not (beats(order, one, two) and beats(order, two, one))
    if beats(order, one, two) and beats(order, two, three):
        assert beats(order, one, three)
    if colour(order, one) == colour(order, two):
        assert (strength(order, one) == strength(order, two)) == (one == two)


@given(orders, hands)
def test_arranging_keeps_the_cards_and_does_not_depend_on_their_order(order: TrickOrder, hand: list[Card]) -> None:
    assert sorted(arranged(order, hand)) == sorted(hand)
    assert arranged(order, hand) == arranged(order, hand[::-1])
