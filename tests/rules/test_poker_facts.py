"""The facts of spec/poker.md 18, by enumerating all hands."""

from collections import Counter, defaultdict
from itertools import combinations
from math import comb

import pytest

from yawc_poker.cards import Rank, card, deck
from yawc_poker.games.poker.hands import Hand, category, strength
from yawc_poker.games.poker.model import Category

pytestmark = pytest.mark.xdist_group("poker_facts")

DECK = deck(Rank)
BITS = tuple(1 << place for place in range(len(DECK)))
SUITS = 4

CATEGORIES = {
    Category.ROYAL_FLUSH: (4, 4),
    Category.STRAIGHT_FLUSH: (24, 24),
    Category.FOUR: (360, 10),
    Category.FULL_HOUSE: (2_160, 10),
    Category.FLUSH: (980, 980),
    Category.STRAIGHT: (7_140, 28),
    Category.THREE: (23_040, 10),
    Category.TWO_PAIRS: (51_840, 720),
    Category.PAIR: (322_560, 280),
    Category.HIGH_CARD: (249_900, 980),
}
"""By category: hands, classes of equal strength."""


@pytest.fixture(scope="module")
def classes() -> dict[int, list[int]]:
    """All hands, as masks of cards, by strength."""
    found: dict[int, list[int]] = defaultdict(list)
    for hand, bits in zip(combinations(DECK, 5), combinations(BITS, 5), strict=True):
        found[strength(hand)].append(sum(bits))
    return found


def some_hand(mask: int) -> Hand:
    return tuple(card for card, bit in zip(DECK, BITS, strict=True) if mask & bit)


def any_two_share_a_card(masks: list[int]) -> bool:
    """Return whether there is a rank of which any two of these hands share a card."""
    for rank in range(len(Rank)):
        held = {mask >> rank * SUITS & 0b1111 for mask in masks}
        if all(one & other for one in held for other in held):
            return True
    return False


def test_the_deck_serves_five_players_who_all_swap_three() -> None:
    assert len(DECK) == len(set(DECK)) == 40 == 5 * 5 + 5 * 3


def test_there_are_as_many_hands_and_classes_in_every_category_as_proved(classes: dict[int, list[int]]) -> None:
    hands: Counter[Category] = Counter()
    kinds: Counter[Category] = Counter()
    for masks in classes.values():
        name = category(some_hand(masks[0]))
        hands[name] += len(masks)
        kinds[name] += 1
    assert {name: (hands[name], kinds[name]) for name in Category} == CATEGORIES
    assert hands.total() == comb(40, 5) == 658_008
    assert kinds.total() == 3_046


def test_a_better_category_is_always_stronger(classes: dict[int, list[int]]) -> None:
    ascending = [category(some_hand(classes[number][0])) for number in sorted(classes)]
    assert ascending == sorted(ascending)


def test_no_two_disjoint_hands_are_equal(classes: dict[int, list[int]]) -> None:
    assert [number for number, masks in classes.items() if not any_two_share_a_card(masks)] == []


def test_the_proof_of_disjointness_sees_disjoint_hands() -> None:
    pair, other = (1 << 0 | 1 << 4), (1 << 1 | 1 << 5)
    assert not any_two_share_a_card([pair, other])
    assert any_two_share_a_card([pair, pair | 1 << 8])


def test_the_wheel_is_counted_as_a_straight(classes: dict[int, list[int]]) -> None:
    wheel = {card(text).rank for text in ("A+", "8+", "7+", "6+", "5+")}
    straight = Counter(
        category(some_hand(mask))
        for masks in classes.values()
        if category(some_hand(masks[0])) in {Category.STRAIGHT, Category.STRAIGHT_FLUSH}
        for mask in masks
        if {held.rank for held in some_hand(mask)} == wheel
    )
    assert straight == {Category.STRAIGHT: 1_020, Category.STRAIGHT_FLUSH: 4}
