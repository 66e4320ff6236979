"""What five cards are worth (spec/poker.md 15, 18).

Owns the order of hands and how a hand is sorted for the eye; knows no players and no money.

A hand's strength is one number. The ranks of its cards, as a multiset, say the category and everything that ranks can
decide; at most one suit is added. Both come from a table over all multisets of ranks, built once. Equal numbers are
possible only for hands that share a card (18.4), so hands dealt from one deck are in a strict order.
"""

from collections import Counter
from itertools import combinations_with_replacement
from typing import NamedTuple

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.games.poker.model import HAND, Category

Hand = tuple[Card, ...]
"""Five different cards."""

_WHEEL = (Rank.ACE, Rank.EIGHT, Rank.SEVEN, Rank.SIX, Rank.FIVE)
_ADD = tuple(1 << 3 * (number - Rank.FIVE) if number >= Rank.FIVE else 0 for number in range(Rank.ACE + 1))
"""By rank: what a card adds to the key of its hand's ranks; three bits count the cards of one rank."""


class _Worth(NamedTuple):
    """What ranks alone say: the category, what is compared in it, and whose suit breaks a tie."""

    category: Category
    compared: tuple[Rank, ...] = ()
    suit_of: Rank | None = None
    """The greatest suit among the hand's cards of this rank decides; None: no suit does."""


def _straight_top(ranks: tuple[Rank, ...]) -> Rank | None:
    """Give the top card of a straight, the eight for the wheel (A32c); None if these are not in sequence."""
    if ranks == _WHEEL:
        return Rank.EIGHT
    return ranks[0] if len(set(ranks)) == HAND and ranks[0] - ranks[-1] == HAND - 1 else None


def _one_suit(ranks: tuple[Rank, ...]) -> _Worth:
    """Judge five cards of one suit; ranks from high to low."""
    top = _straight_top(ranks)
    if top == Rank.ACE:
        return _Worth(Category.ROYAL_FLUSH, (), top)
    if top is not None:
        return _Worth(Category.STRAIGHT_FLUSH, (top,), top)
    return _Worth(Category.FLUSH, ranks, ranks[0])


def _mixed(ranks: tuple[Rank, ...]) -> _Worth:
    """Judge five cards not all of one suit; ranks from high to low.

    A pair's second and third side cards never count (A32f). Three, four and a full house need no suit: one deck has a
    rank's three cards only once (A32d).
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


def _key(ranks: tuple[Rank, ...]) -> int:
    return sum(_ADD[rank] for rank in ranks)


_PATTERNS = [tuple(reversed(ranks)) for ranks in combinations_with_replacement(Rank, HAND) if len(set(ranks)) > 1]
_MIXED = {_key(ranks): _mixed(ranks) for ranks in _PATTERNS}
_ONE_SUIT = {_key(ranks): _one_suit(ranks) for ranks in _PATTERNS if len(set(ranks)) == HAND}
_ORDER = sorted({worth[:2] for table in (_MIXED, _ONE_SUIT) for worth in table.values()})
_PLACE = {compared: place for place, compared in enumerate(_ORDER)}
_SUITS = len(Suit)

_Entry = tuple[int, Rank | None, bool]
"""The least strength of the pattern, the rank whose suit is added, and whether only its clubs count (A32e)."""


def _entries(table: dict[int, _Worth]) -> dict[int, _Entry]:
    return {
        key: (_PLACE[worth[:2]] * _SUITS, worth.suit_of, worth.category == Category.TWO_PAIRS)
        for key, worth in table.items()
    }


_MIXED_ENTRIES = _entries(_MIXED)
_ONE_SUIT_ENTRIES = _entries(_ONE_SUIT)


def strength(hand: Hand) -> int:
    """Give a hand's strength: the greater number wins, equal ones are of hands that share a card."""
    a, b, c, d, e = hand
    key = _ADD[a.rank] + _ADD[b.rank] + _ADD[c.rank] + _ADD[d.rank] + _ADD[e.rank]
    suit = a.suit
    if suit == b.suit == c.suit == d.suit == e.suit:
        return _ONE_SUIT_ENTRIES[key][0] + suit
    least, rank, clubs_only = _MIXED_ENTRIES[key]
    if rank is None:
        return least
    best = max([card.suit for card in hand if card.rank == rank])
    return least + (best == Suit.CLUBS if clubs_only else best)


def category(hand: Hand) -> Category:
    """Name the kind of a hand."""
    return _ORDER[strength(hand) // _SUITS][0]


def sort_hand(hand: Hand) -> Hand:
    """Sort for the eye: highest right, the ace always high, equal ranks by suit with ``+`` rightmost (5.7, A32i)."""
    return tuple(sorted(hand))
