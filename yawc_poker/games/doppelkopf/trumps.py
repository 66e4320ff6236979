"""The order of the cards in each kind of game (spec/doppelkopf.md 3), and what follows from it alone. Pure."""

from collections.abc import Sequence
from typing import Final

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.games.doppelkopf.model import SOLOS, Kind, Solo
from yawc_poker.tricks import TrickOrder, ordered

TEN_OF_HEARTS: Final = Card(Rank.TEN, Suit.HEARTS)
QUEEN_OF_CLUBS: Final = Card(Rank.QUEEN, Suit.CLUBS)
JACK_OF_CLUBS: Final = Card(Rank.JACK, Suit.CLUBS)
"""Charlie, who may take the last trick."""
FOX: Final = Card(Rank.ACE, Suit.DIAMONDS)

_DOWN = tuple(sorted(Suit, reverse=True))
_QUEENS = tuple(Card(Rank.QUEEN, suit) for suit in _DOWN)
_JACKS = tuple(Card(Rank.JACK, suit) for suit in _DOWN)
_ALL = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.NINE)


def _without(*ranks: Rank) -> tuple[Rank, ...]:
    return tuple(rank for rank in _ALL if rank not in ranks)


def _suited(suit: Suit) -> TrickOrder:
    return ordered((TEN_OF_HEARTS, *_QUEENS, *_JACKS), suit, _without(Rank.QUEEN, Rank.JACK))


_ORDERS: Final[dict[Kind, TrickOrder]] = {
    "normal": _suited(Suit.DIAMONDS),
    "wedding": _suited(Suit.DIAMONDS),
    "queens": ordered(_QUEENS, None, _without(Rank.QUEEN)),
    "jacks": ordered(_JACKS, None, _without(Rank.JACK)),
    "clubs": _suited(Suit.CLUBS),
    "spades": _suited(Suit.SPADES),
    "hearts": _suited(Suit.HEARTS),
    "diamonds": _suited(Suit.DIAMONDS),
    "aces": ordered((), None, _ALL),
}


def order_of(kind: Kind) -> TrickOrder:
    """Return the order of the cards in this kind of game."""
    return _ORDERS[kind]


def longest_solo(hand: Sequence[Card]) -> Solo:
    """Return the solo in which a hand has the most trumps; of several the first in the manual's order."""
    return max(SOLOS, key=lambda kind: sum(card in _ORDERS[kind].trumps for card in hand))
