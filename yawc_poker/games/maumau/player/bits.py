"""Cards as bits: a hand is one integer, and so are the cards that fit. Pure.

Owns the tables only. A card's bit is its suit times eight plus its place among `RANKS`.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from yawc_poker.cards import Card, Rank, Suit, deck
from yawc_poker.games.maumau.model import RANKS
from yawc_poker.games.maumau.progress import points

BIT: Final = {card: 1 << (card.suit * len(RANKS) + RANKS.index(card.rank)) for card in deck(RANKS)}
CARD: Final = {bit: card for card, bit in BIT.items()}
ALL: Final = sum(CARD)


def mask(cards: Iterable[Card]) -> int:
    """Return the bits of cards."""
    return sum([BIT[card] for card in cards])


SEVENS: Final = mask(card for card in BIT if card.rank == Rank.SEVEN)
JACKS: Final = mask(card for card in BIT if card.rank == Rank.JACK)
ACES: Final = mask(card for card in BIT if card.rank == Rank.ACE)
PLAIN: Final = ALL ^ JACKS
SUITS: Final = tuple([mask(card for card in BIT if card.suit == suit) for suit in Suit])
"""By suit, jacks included."""
ON_SUIT: Final = tuple([bits | JACKS for bits in SUITS])
"""The cards that fit when a suit is demanded."""
ON_CARD: Final = {
    bit: mask(one for one in BIT if one.suit == card.suit or one.rank == card.rank) | JACKS
    for bit, card in CARD.items()
}
"""The cards that fit on a card, itself among them."""
_POINTS: Final = [
    points([CARD[1 << place] for place in range(len(RANKS)) if held >> place & 1]) for held in range(1 << len(RANKS))
]
"""The points of each possible part of a hand in one suit; a card's points do not depend on its suit."""


def worth(hand: int) -> int:
    """Return the points of a hand."""
    return _POINTS[hand & 255] + _POINTS[hand >> 8 & 255] + _POINTS[hand >> 16 & 255] + _POINTS[hand >> 24]


def split(hand: int) -> Iterator[int]:
    """Yield the bits of a hand, lowest first."""
    while hand:
        low = hand & -hand
        yield low
        hand ^= low


def distinct(cards: int) -> list[int]:
    """Return the cards that differ in what they do: all jacks do the same."""
    return [*split(cards & PLAIN), *list(split(cards & JACKS))[:1]]


def fitting(top: int, suit: Suit | None) -> int:
    """Return the cards that fit on the pile, open sevens aside."""
    return ON_CARD[top] if suit is None else ON_SUIT[suit]
