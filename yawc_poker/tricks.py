"""Card tricks: trumps, following suit, and the card that takes a trick.

Owns what every game of tricks has in common, as functions of an order of cards. Never knows a score, and of players
their number only. Values only.

All trumps are one colour: a card that is a trump does not belong to its suit. Of two equal cards the one played first
is the better one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from yawc_poker.cards import Card, Rank, Suit

_EYES: dict[int, int] = {Rank.ACE: 11, Rank.TEN: 10, Rank.KING: 4, Rank.QUEEN: 3, Rank.JACK: 2}


class TrickOrder(msgspec.Struct, frozen=True):
    """Which cards are trumps, and which card beats which."""

    trumps: tuple[Card, ...]
    """The highest first."""
    ranks: tuple[Rank, ...]
    """The ranks of a plain suit, the highest first."""


class Trick(msgspec.Struct, frozen=True, array_like=True):
    """A trick, complete or as far as it has been played. Players are numbered from 0, clockwise."""

    leader: int
    """Who plays the first card."""
    cards: tuple[Card, ...]
    """In the order in which they were played."""
    taker: int
    """Who takes it, or would if no better card followed; without cards the leader."""

    def by_player(self, players: int) -> dict[int, Card]:
        """Return the card of each of so many players who has played one, the leader's first."""
        return {(self.leader + at) % players: card for at, card in enumerate(self.cards)}


def ordered(tops: Iterable[Card], suit: Suit | None, ranks: Sequence[Rank]) -> TrickOrder:
    """Return the order in which `tops` are the highest trumps, followed by those cards of `suit` not among them."""
    highest = tuple(tops)
    rest = () if suit is None else tuple(Card(rank, suit) for rank in ranks)
    return TrickOrder((*highest, *(card for card in rest if card not in highest)), tuple(ranks))


def eyes(cards: Iterable[Card]) -> int:
    """Return what cards count: ace 11, ten 10, king 4, queen 3, jack 2, all others 0."""
    return sum(_EYES.get(card.rank, 0) for card in cards)


def colour(order: TrickOrder, card: Card) -> Suit | None:
    """Return the suit that a card follows and leads; None for a trump."""
    return None if card in order.trumps else card.suit


def strength(order: TrickOrder, card: Card) -> int:
    """Return a number that is higher for a better card of the same colour, and equal for equal cards only."""
    if card in order.trumps:
        return -order.trumps.index(card)
    return -order.ranks.index(card.rank)


def playable(order: TrickOrder, hand: Sequence[Card], led: Card | None) -> tuple[Card, ...]:
    """Return the cards of a hand that may be played, in its order.

    All may lead (`led` None); otherwise those of the colour led, and where there are none, all.
    """
    if led is None:
        return tuple(hand)
    wanted = colour(order, led)
    return tuple(card for card in hand if colour(order, card) == wanted) or tuple(hand)


def beats(order: TrickOrder, card: Card, earlier: Card) -> bool:
    """Return whether a card takes the trick from the card that led so far."""
    own, other = colour(order, card), colour(order, earlier)
    if own == other:
        return strength(order, card) > strength(order, earlier)
    return own is None


def taker(order: TrickOrder, cards: Sequence[Card]) -> int:
    """Return the index of the card that takes a trick; raise `ValueError` where there is none."""
    if not cards:
        raise ValueError("nobody takes a trick without cards")
    best = 0
    for index, card in enumerate(cards):
        if beats(order, card, cards[best]):
            best = index
    return best


def played(order: TrickOrder, leader: int, cards: tuple[Card, ...], players: int) -> Trick:
    """Return the trick of so many players in which these cards were played."""
    return Trick(leader, cards, (leader + taker(order, cards)) % players if cards else leader)


def arranged(order: TrickOrder, hand: Iterable[Card]) -> tuple[Card, ...]:
    """Return a hand sorted for the eye: trumps first, then the suits from clubs to diamonds, each from the top."""

    def key(card: Card) -> tuple[int, int]:
        suit = colour(order, card)
        return (-len(Suit) if suit is None else -suit, -strength(order, card))

    return tuple(sorted(hand, key=key))


def cheapest(order: TrickOrder, choice: Iterable[Card]) -> Card:
    """Return the card with the fewest eyes, of these the lowest: plain before trump, then by strength and suit."""

    def key(card: Card) -> tuple[int, bool, int, int]:
        return eyes((card,)), colour(order, card) is None, strength(order, card), card.suit

    return min(choice, key=key)
