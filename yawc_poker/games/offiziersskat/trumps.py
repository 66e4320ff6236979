"""The trump of each round of Offiziersskat, and the order of the cards under it (spec/offiziersskat.md 3). Pure."""

from typing import Final

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.engine.sealing import permutation
from yawc_poker.games.offiziersskat.model import CARDS
from yawc_poker.tricks import TrickOrder, ordered

JACKS: Final = tuple(Card(Rank.JACK, suit) for suit in sorted(Suit, reverse=True))
"""The highest trumps in every round, from the top."""
_RANKS: Final = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.NINE, Rank.EIGHT, Rank.SEVEN)
_ORDERS: Final[dict[Suit | None, TrickOrder]] = {trump: ordered(JACKS, trump, _RANKS) for trump in (None, *Suit)}


def order_of(trump: Suit | None) -> TrickOrder:
    """Return the order of the cards in a round; None is Grand."""
    return _ORDERS[trump]


def drawn_trump(seed: str, number: int) -> Suit | None:
    """Return the trump of a round: the suit of a card drawn from a whole deck, or Grand for a jack (O4).

    The seed determines the draw. The deck drawn from is not the one dealt, so the trump tells nothing about the cards.
    """
    card = CARDS[permutation(f"{seed} trump {number}", len(CARDS))[0] - 1]
    return None if card.rank == Rank.JACK else card.suit
