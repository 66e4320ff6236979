"""Spec/poker.md 15 and A32, by examples."""

import random
from itertools import combinations, pairwise

import pytest

from yawc_poker.cards import Card, Rank, Suit, cards, deck
from yawc_poker.games.poker.hands import Hand, category, sort_hand, strength
from yawc_poker.games.poker.model import Category


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("A+ K+ Q+ J+ 10+", Category.ROYAL_FLUSH),
        ("10- J- Q- K- A-", Category.ROYAL_FLUSH),
        ("K+ Q+ J+ 10+ 9+", Category.STRAIGHT_FLUSH),
        ("9# 8# 7# 6# 5#", Category.STRAIGHT_FLUSH),
        ("A* 8* 7* 6* 5*", Category.STRAIGHT_FLUSH),
        ("7+ 7* 7# 7- A+", Category.FOUR),
        ("5+ 5* 5# K- K+", Category.FULL_HOUSE),
        ("A+ Q+ 9+ 7+ 5+", Category.FLUSH),
        ("K+ A+ 5+ 6+ 7+", Category.FLUSH),
        ("A+ K+ Q+ J+ 10-", Category.STRAIGHT),
        ("A+ 8* 7# 6- 5+", Category.STRAIGHT),
        ("Q+ Q* Q# 5- A+", Category.THREE),
        ("Q+ Q* 5# 5- A+", Category.TWO_PAIRS),
        ("Q+ Q* 5# 6- A+", Category.PAIR),
        ("A+ Q* 9# 7- 5+", Category.HIGH_CARD),
        ("K+ A* 5# 6- 7+", Category.HIGH_CARD),  # no other wrap-around
        ("Q+ K* A# 5- 6+", Category.HIGH_CARD),
    ],
)
def test_categories(hand: str, name: Category) -> None:
    assert category(cards(hand)) == name


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # royal flush: suit
        ("A+ K+ Q+ J+ 10+", "A* K* Q* J* 10*"),
        ("A* K* Q* J* 10*", "A# K# Q# J# 10#"),
        ("A# K# Q# J# 10#", "A- K- Q- J- 10-"),
        ("A- K- Q- J- 10-", "K+ Q+ J+ 10+ 9+"),
        # straight flush: top card, then suit; the wheel is the lowest and its top is the eight
        ("K- Q- J- 10- 9-", "Q+ J+ 10+ 9+ 8+"),
        ("9+ 8+ 7+ 6+ 5+", "9- 8- 7- 6- 5-"),
        ("9- 8- 7- 6- 5-", "A+ 8+ 7+ 6+ 5+"),
        ("A# 8# 7# 6# 5#", "A- 8- 7- 6- 5-"),
        ("A- 8- 7- 6- 5-", "A+ A* A# A- K+"),
        # four
        ("6+ 6* 6# 6- 5+", "5+ 5* 5# 5- A+"),
        ("5+ 5* 5# 5- 6+", "A+ A* A# K- K+"),
        # full house: the three, whatever the pair; above a flush
        ("6+ 6* 6# 5- 5+", "5- 5* 5# A- A+"),
        ("5- 5* 5# 6- 6+", "A+ K+ Q+ J+ 9+"),
        # flush: cards from high to low, then suit
        ("A- K- Q- J- 9-", "A+ K+ Q+ J+ 8+"),
        ("A- 10- 9- 8- 7-", "A+ 10+ 9+ 8+ 6+"),
        ("A+ 10+ 9+ 8+ 7+", "A* 10* 9* 8* 7*"),
        ("10- 8- 7- 6- 5-", "A+ K+ Q+ J+ 10*"),
        # straight: top card, then the suit of the top card; of the wheel the eight, not the ace
        ("9- 8- 7- 6- 5+", "A+ 8+ 7+ 6+ 5-"),
        ("A- K+ Q+ J+ 10+", "K+ Q* J* 10* 9*"),
        ("A+ K- Q- J- 10-", "A* K+ Q+ J+ 10+"),
        ("8+ A- 7- 6- 5-", "8* A+ 7+ 6+ 5+"),
        ("8* A- 7+ 6- 5-", "8# A+ 7* 6+ 5+"),
        ("A- 8- 7- 6+ 5-", "A+ A* A# K- Q+"),
        # three: its rank only
        ("6+ 6* 6# 5- 7+", "5- 5* 5# A- K+"),
        # two pairs: higher, lower, fifth card, then the holder of the + of the higher pair
        ("K- K# 5- 5# 6-", "Q+ Q* J+ J* A+"),
        ("K- K# 7- 7# 5-", "K+ K* 6+ 6* A+"),
        ("K- K# 7- 7# 9-", "K+ K* 7+ 7* 8+"),
        ("K- K+ 7- 7# 9-", "K* K# 7+ 7* 9+"),
        ("6- 6# 5- 5# 7-", "A+ A* K+ Q+ J*"),
        # one pair: pair, highest side card, its suit; nothing else
        ("K- K# 7- 6# 5-", "Q+ Q* A+ K+ J*"),
        ("K- K# A- 6# 5-", "K+ K* Q+ J+ 10*"),
        ("K- K# A+ 6# 5-", "K+ K* A* Q+ J*"),
        ("K- K# A# 6# 5-", "K+ K* A- Q+ J*"),
        ("5- 5# 8- 7- 6#", "A+ K+ Q+ J+ 9*"),
        # high card: cards from high to low, then the suit of the highest
        ("A- K- Q- J- 9#", "A+ K+ Q+ J+ 8*"),
        ("A- J- 9- 8# 6-", "A+ J+ 9+ 8* 5+"),
        ("A+ K- Q- J- 9-", "A* K+ Q+ J+ 9+"),
        ("A# K- Q- J- 9-", "A- K+ Q+ J+ 9+"),
    ],
)
def test_comparison(better: str, worse: str) -> None:
    assert strength(cards(better)) > strength(cards(worse))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A+ A* K+ 9* 7#", "A# A- K+ 8* 6#"),
        ("Q+ Q* Q# 5- A+", "Q+ Q* Q- 6- K+"),
        ("Q+ Q* Q# Q- A+", "Q+ Q* Q# Q- 5+"),
        ("K* K# 7+ 7* 9+", "K* K- 7- 7# 9-"),
        ("A+ K- Q- J- 9-", "A+ K* Q* J# 9#"),
    ],
)
def test_overlapping_hands_may_be_equal(one: str, other: str) -> None:
    assert strength(cards(one)) == strength(cards(other))


def by_the_book(hand: Hand) -> tuple[int, ...]:
    """Return what section 15 compares of a hand, in order: slowly and without the tables."""
    held = sorted(hand, reverse=True)
    ranks = [int(card.rank) for card in held]
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    sizes = [size for size, _ in groups]
    by_size = [rank for _, rank in groups]
    flush = len({card.suit for card in hand}) == 1
    wheel = ranks == [14, 8, 7, 6, 5]
    straight = wheel or (len(groups) == 5 and ranks[0] - ranks[4] == 4)
    top = held[1] if wheel else held[0]
    if straight and flush:
        return (10, top.suit) if top.rank == 14 else (9, top.rank, top.suit)
    if sizes in ([4, 1], [3, 2]):
        return (8 if sizes[0] == 4 else 7, by_size[0])
    if flush:
        return (6, *ranks, top.suit)
    if straight:
        return (5, top.rank, top.suit)
    if sizes[0] == 3:
        return (4, by_size[0])
    if sizes == [2, 2, 1]:
        return (3, *by_size, Card(Rank(by_size[0]), Suit.CLUBS) in hand)
    if sizes[0] == 2:
        side = next(card for card in held if card.rank != by_size[0])
        return (2, by_size[0], side.rank, side.suit)
    return (1, *ranks, top.suit)


def test_the_tables_agree_with_the_book() -> None:
    rng = random.Random(77)
    cards_of = deck(Rank)
    for _ in range(20_000):
        dealt = rng.sample(cards_of, 10)
        one, other = tuple(dealt[:5]), tuple(dealt[5:])
        assert (strength(one) > strength(other)) == (by_the_book(one) > by_the_book(other)), (one, other)
        assert category(one) == by_the_book(one)[0]


def test_the_tables_agree_with_the_book_where_hands_are_alike() -> None:
    """With few ranks: pairs, threes, full houses and fours; both measures order the hands alike."""
    few = deck((Rank.FIVE, Rank.SIX, Rank.SEVEN, Rank.EIGHT, Rank.ACE))
    hands = list(combinations(few, 5))
    strengths = {strength(hand): by_the_book(hand) for hand in hands}
    assert all(by_the_book(hand) == strengths[strength(hand)] for hand in hands)
    assert [strengths[number] for number in sorted(strengths)] == sorted(strengths.values())


def test_the_order_of_the_cards_does_not_matter() -> None:
    rng = random.Random(5)
    for _ in range(300):
        hand = rng.sample(deck(Rank), 5)
        assert strength(tuple(hand)) == strength(tuple(reversed(hand))) == strength(sort_hand(tuple(hand)))


@pytest.mark.parametrize(
    ("dealt", "shown"),
    [
        ("A+ 5- 8* 6# 7+", "5- 6# 7+ 8* A+"),
        ("K+ K- K# K* 5+", "5+ K- K# K* K+"),
        ("J- 10+ A# Q* K-", "10+ J- Q* K- A#"),
    ],
)
def test_hands_are_sorted_with_the_highest_card_right(dealt: str, shown: str) -> None:
    assert sort_hand(cards(dealt)) == cards(shown)


def test_the_wheel_is_the_lowest_straight_of_all() -> None:
    tops = ["A+ 8+ 7+ 6+ 5-", "9- 8- 7- 6- 5#", "10- 9- 8- 7- 6#", "J- 10- 9- 8- 7#", "A- K- Q- J- 10#"]
    values = [strength(cards(hand)) for hand in tops]
    assert all(low < high for low, high in pairwise(values))
