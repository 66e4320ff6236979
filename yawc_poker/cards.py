"""Cards: suits, ranks, decks.

Owns the definition of a card for all games, but not its worth in one of them. Values only.

The suits are in the German order (Kreuz, Pik, Herz, Karo), which is also the order of the signs ``+ * # -`` in poker
(spec/poker.md 1.1, 15): `Suit.CLUBS`, the highest, is ``+``.
"""

from collections.abc import Iterable
from enum import IntEnum

import msgspec


class Suit(IntEnum):
    """A suit; a greater number is a higher suit."""

    DIAMONDS = 0
    HEARTS = 1
    SPADES = 2
    CLUBS = 3


class Rank(IntEnum):
    """A rank, ace high; games with another order define their own."""

    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14


SIGNS = "-#*+"
"""The sign of each suit, by its number."""
SYMBOLS = "♦♥♠♣"
"""The symbol of each suit, by its number: how a caller may have them shown. A card's text is never written so."""

_LETTERS: dict[int, str] = {Rank.ACE: "A", Rank.KING: "K", Rank.QUEEN: "Q", Rank.JACK: "J"}
_TEXTS = [[f"{_LETTERS.get(rank, rank)}{sign}" for sign in SIGNS] for rank in range(max(Rank) + 1)]
"""Text by rank and suit, precomputed because every hand is written at every move."""
_RANKS = {_LETTERS.get(rank, str(int(rank))): rank for rank in Rank}


class Card(msgspec.Struct, frozen=True, order=True, array_like=True, gc=False):
    """A card. Cards compare by rank, then by suit."""

    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        """Return rank and sign: ``A+``, ``10*``."""
        return _TEXTS[self.rank][self.suit]


def card(text: str) -> Card:
    """Return the card with this rank and sign; raise `KeyError` or `ValueError` if there is none."""
    return Card(_RANKS[text[:-1].upper()], Suit(SIGNS.index(text[-1])))


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards in a text, separated by white space: ``cards("A+ 10* 5-")``."""
    return tuple(card(word) for word in text.split())


def written(hand: Iterable[Card]) -> str:
    """Return cards as a text that `cards` can read."""
    return " ".join([_TEXTS[one.rank][one.suit] for one in hand])


def deck(ranks: Iterable[Rank]) -> tuple[Card, ...]:
    """Return one card of each of these ranks in each suit, in a fixed order."""
    return tuple(Card(rank, suit) for rank in ranks for suit in Suit)
