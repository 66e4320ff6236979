"""The value of five cards (spec/poker.md 15, 18).

Owns the ranking of hands and the order in which a hand is shown; knows no players and no money.

A hand's strength is one number. The ranks of its cards, as a multiset, determine the category and everything that ranks
can decide; at most one suit is added. Both come from tables over all multisets of ranks, built once. Two hands have the
same number only if they share a card (18.4), so hands dealt from one deck are strictly ordered.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.games.poker.model import HAND, Category

Hand = tuple[Card, ...]
"""Five different cards."""

_WHEEL = (Rank.ACE, Rank.EIGHT, Rank.SEVEN, Rank.SIX, Rank.FIVE)
_ADD = (*[0] * Rank.FIVE, 0, 1, 6, 27, 98, 328, 1057, 2498, 5470, 9619)
"""By rank: what a card adds to its hand's key. Found by search: all multisets of five ranks have different sums, and
the greatest sum is small enough for a list, in which a lookup is faster than in a dictionary."""


class _Worth(NamedTuple):
    """What the ranks determine: the category, the ranks compared within it, and the rank whose suit breaks a tie."""

    category: Category
    compared: tuple[Rank, ...] = ()
    suit_of: Rank | None = None
    """The highest suit among the hand's cards of this rank decides; None: no suit counts."""


def _straight_top(ranks: tuple[Rank, ...]) -> Rank | None:
    """Return a straight's top card (for the wheel the eight, A32c), or None if the ranks are not in sequence."""
    if ranks == _WHEEL:
        return Rank.EIGHT
    return ranks[0] if len(set(ranks)) == HAND and ranks[0] - ranks[-1] == HAND - 1 else None


def _one_suit(ranks: tuple[Rank, ...]) -> _Worth:
    """Return the worth of five cards of one suit; `ranks` run from high to low."""
    top = _straight_top(ranks)
    if top == Rank.ACE:
        return _Worth(Category.ROYAL_FLUSH, (), top)
    if top is not None:
        return _Worth(Category.STRAIGHT_FLUSH, (top,), top)
    return _Worth(Category.FLUSH, ranks, ranks[0])


def _mixed(ranks: tuple[Rank, ...]) -> _Worth:
    """Return the worth of five cards not all of one suit; `ranks` run from high to low.

    A pair's second and third side cards never count (A32f). Three, four and a full house need no suit: one deck cannot
    deal the same three twice (A32d).
    """
    counts = Counter(ranks)
    by_count = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    top = _straight_top(ranks)
    match sorted(counts.values(), reverse=True):
        case [4, 1]:
            return _Worth(Category.FOUR, (by_count[0],))
        case [3, 2]:
            return _Worth(Category.FULL_HOUSE, (by_count[0],))
        case [3, 1, 1]:
            return _Worth(Category.THREE, (by_count[0],))
        case [2, 2, 1]:
            return _Worth(Category.TWO_PAIRS, tuple(by_count), by_count[0])
        case [2, 1, 1, 1]:
            return _Worth(Category.PAIR, tuple(by_count[:2]), by_count[1])
        case _ if top is not None:
            return _Worth(Category.STRAIGHT, (top,), top)
        case _:
            return _Worth(Category.HIGH_CARD, ranks, ranks[0])


_Entry = tuple[int, Rank | None, Rank | None]
"""The pattern's lowest strength, the rank whose card's suit is added, the rank whose clubs add one (A32e)."""


def _tables() -> tuple[list[_Entry], dict[int, int], tuple[Category, ...]]:
    """Return the lookup tables by key, entries of mixed suits and lowest strengths of one suit, and the categories.

    Patterns of equal worth share an entry and nothing else is kept, because every session holds these tables.
    """
    patterns = [tuple(reversed(ranks)) for ranks in combinations_with_replacement(Rank, HAND) if len(set(ranks)) > 1]
    mixed = {_key(ranks): _mixed(ranks) for ranks in patterns}
    one_suit = {_key(ranks): _one_suit(ranks) for ranks in patterns if len(set(ranks)) == HAND}
    order = sorted({worth[:2] for table in (mixed, one_suit) for worth in table.values()})
    least = {compared: place * _SUITS for place, compared in enumerate(order)}
    shared = {worth: _entry(worth, least[worth[:2]]) for worth in mixed.values()}
    entries: list[_Entry] = [(0, None, None)] * (max(mixed) + 1)
    for key, worth in mixed.items():
        entries[key] = shared[worth]
    return (
        entries,
        {key: least[worth[:2]] for key, worth in one_suit.items()},
        tuple(category for category, _ in order),
    )


def _key(ranks: tuple[Rank, ...]) -> int:
    return sum(_ADD[rank] for rank in ranks)


def _entry(worth: _Worth, least: int) -> _Entry:
    return (least, None, worth.suit_of) if worth.category == Category.TWO_PAIRS else (least, worth.suit_of, None)


_SUITS = len(Suit)
_MIXED, _ONE_SUIT, _CATEGORIES = _tables()
STRENGTHS: Final = len(_CATEGORIES) * _SUITS
"""Every strength is below this number."""


def strength(hand: Hand) -> int:
    """Return a hand's strength. The higher number wins; only hands that share a card can have the same one.

    Written out card by card with each attribute read once, because a loop over the cards takes a fifth longer.
    """
    a, b, c, d, e = hand
    rank_a = a.rank
    rank_b = b.rank
    rank_c = c.rank
    rank_d = d.rank
    rank_e = e.rank
    key = _ADD[rank_a] + _ADD[rank_b] + _ADD[rank_c] + _ADD[rank_d] + _ADD[rank_e]
    suit = a.suit
    if suit is b.suit and suit is c.suit and suit is d.suit and suit is e.suit:
        return _ONE_SUIT[key] + suit
    least, decisive, paired = _MIXED[key]
    if decisive is rank_a:
        return least + suit
    if decisive is rank_b:
        return least + b.suit
    if decisive is rank_c:
        return least + c.suit
    if decisive is rank_d:
        return least + d.suit
    if decisive is rank_e:
        return least + e.suit
    return least + (paired is not None and Card(paired, Suit.CLUBS) in hand)


def category(hand: Hand) -> Category:
    """Return a hand's category."""
    return _CATEGORIES[strength(hand) // _SUITS]


def is_hand(cards: Sequence[Card]) -> bool:
    """Return whether these are five different cards, which have a category."""
    return len(cards) == len(set(cards)) == HAND


def ranks(hand: Hand) -> tuple[Rank, ...]:
    """Return the ranks that a hand is named after: of a full house three and pair, of a flush the highest card.

    A royal flush has none: there is but one.
    """
    counts = Counter(card.rank for card in hand)
    order = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    match category(hand):
        case Category.ROYAL_FLUSH:
            return ()
        case Category.TWO_PAIRS | Category.FULL_HOUSE:
            return tuple(order[:2])
        case Category.STRAIGHT | Category.STRAIGHT_FLUSH:
            top = _straight_top(tuple(sorted(counts, reverse=True)))
            return () if top is None else (top,)
        case Category.HIGH_CARD | Category.PAIR | Category.THREE | Category.FLUSH | Category.FOUR:
            return (order[0],)


def sort_hand(hand: Hand) -> Hand:
    """Return a hand sorted for display: highest right, ace high, equal ranks by suit, ``+`` rightmost (5.7, A32i)."""
    return tuple(sorted(hand))
