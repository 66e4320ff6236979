"""Rules of thumb: which of the cards that fit looks best, from what everybody at the table may count. Pure.

Owns the form of the weights; `weights` has the numbers. A card's value is a base by its rank, plus so much for each
card of the hand that could follow it, less so much for each unseen card that fits on it.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from yawc_poker.games.maumau.model import RANKS
from yawc_poker.games.maumau.player.bits import ACES, CARD, JACKS, ON_CARD, PLAIN, SEVENS, SUITS

MOST: Final = 4
"""Phases count cards up to so many; one more makes no difference."""
PHASES: Final = MOST * MOST
"""The next player holds one, two, three or more cards; after the move so many are left to the mover."""
AT: Final = tuple(
    [
        tuple([MOST * (max(1, min(next_, MOST)) - 1) + max(1, min(left, MOST)) - 1 for left in range(33)])
        for next_ in range(33)
    ]
)
"""The phase by the number of cards that the next player holds, and of those left to the mover."""


class Weights(NamedTuple):
    """The weights of one phase."""

    ranks: tuple[int, ...]
    """The base of each rank, in the order of `RANKS`."""
    follow: int
    """For each card left in the hand that fits on the card."""
    deny: int
    """Against each unseen card that fits on it."""
    follow_ace: int
    deny_ace: int
    """The same two for an ace, after which a player of two is on turn again."""
    wish_held: int
    """For each card of the wished suit in the hand."""
    wish_ace: int
    """For its ace."""
    wish_unseen: int
    """Against each unseen card of the suit."""
    jacks: int
    """For a jack: for each other one in the hand."""
    sevens: int
    """For a seven: for each other one in the hand."""
    unseen_sevens: int
    """Against a seven: for each unseen one."""


class Row(NamedTuple):
    """The weights of one phase, spread out for speed."""

    cards: dict[int, tuple[int, int, int, int]]
    """By bit: base, weight of a follower, weight of an unseen card, and the cards that fit on it."""
    wish: tuple[int, int, int]
    """For each card of a suit in the hand, for its ace, and against each unseen one."""
    special: tuple[int, int, int]
    """For jacks and sevens, as in `Weights`."""


def rows(weights: Iterable[Weights]) -> tuple[Row, ...]:
    """Return the rows of all phases."""
    return tuple([_row(one) for one in weights])


def _row(weights: Weights) -> Row:
    wish = weights.wish_held, weights.wish_ace, weights.wish_unseen
    special = weights.jacks, weights.sevens, weights.unseen_sevens
    return Row({bit: _card(weights, bit) for bit in CARD}, wish, special)


def _card(weights: Weights, bit: int) -> tuple[int, int, int, int]:
    base = weights.ranks[RANKS.index(CARD[bit].rank)]
    if bit & JACKS:
        return base, 0, 0, 0
    if bit & ACES:
        return base, weights.follow_ace, weights.deny_ace, ON_CARD[bit]
    return base, weights.follow, weights.deny, ON_CARD[bit]


def best_card(row: Row, legal: int, hand: int, unseen: int) -> int:
    """Return the best of the cards that may be laid."""
    cards, best, most = row.cards, 0, -(1 << 60)
    while legal:
        card = legal & -legal
        legal ^= card
        base, follow, deny, fits = cards[card]
        value = base + follow * ((hand ^ card) & fits).bit_count() - deny * (unseen & fits).bit_count()
        if card & _SPECIAL:
            value += _special(row, card, hand ^ card, unseen)
        if value > most:
            best, most = card, value
    return best


def _special(row: Row, card: int, rest: int, unseen: int) -> int:
    jacks, sevens, unseen_sevens = row.special
    if card & JACKS:
        return jacks * (rest & JACKS).bit_count()
    return sevens * (rest & SEVENS).bit_count() - unseen_sevens * (unseen & SEVENS).bit_count()


def best_suit(row: Row, hand: int, unseen: int) -> int:
    """Return the number of the best suit to wish for."""
    for_held, for_ace, against = row.wish
    best, most = 0, -(1 << 60)
    for suit, bits in enumerate(_WISHES):
        held = hand & bits
        value = for_held * held.bit_count() - against * (unseen & bits).bit_count()
        if held & ACES:
            value += for_ace
        if value > most:
            best, most = suit, value
    return best


_SPECIAL: Final = JACKS | SEVENS
_WISHES: Final = tuple([bits & PLAIN for bits in SUITS])
