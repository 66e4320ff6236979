"""The cards as bits, by the order of each kind of game.

Owns the numbers of the cards and what follows from the order alone. Never knows a player.

A card has a number from 0 to 47, a hand is an integer with a bit for each of its cards. Two equal cards have the
numbers 2k and 2k + 1. Plain suits come first, then the trumps, each from the lowest to the highest. So of two cards of
one colour, and of a trump and a plain card, the one with the greater number // 2 is the better one.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.games.doppelkopf.model import Kind
from yawc_poker.games.doppelkopf.trumps import FOX, JACK_OF_CLUBS, QUEEN_OF_CLUBS, TEN_OF_HEARTS, order_of
from yawc_poker.tricks import TrickOrder, eyes

ALL: Final = (1 << 48) - 1


class Deck(NamedTuple):
    """The 48 cards in the order of a kind of game; tuples are by number, integers are sets of cards."""

    kind: Kind
    cards: tuple[Card, ...]
    number: dict[Card, int]
    """The lower number of each card."""
    eyes: tuple[int, ...]
    colour: tuple[int, ...]
    """All cards of the same colour."""
    above: tuple[int, ...]
    """All cards with a greater number that are not equal."""
    trumps: int
    suits: tuple[int, ...]
    """The plain suits."""
    tens: int
    """All tens."""
    fat: int
    """Trumps that are worth eyes and take few tricks: ace, ten and king of the trump suit."""
    throw: tuple[int, ...]
    """Sets of equal trumps, the least valuable first."""
    give: tuple[int, ...]
    """Sets of equal trumps, in the order in which they are given to a partner, or take a trick that is safe."""
    ruff: tuple[int, ...]
    """Sets of equal trumps, in the order in which they take a trick that may be taken again."""
    plain_throw: tuple[int, ...]
    """Sets of plain cards, those with the fewest eyes first."""
    plain_give: tuple[int, ...]
    """Sets of plain cards, in the order in which they are given to a partner."""
    foxes: int
    """Both aces of diamonds, where they are trumps and count; else none."""
    charlies: int
    """Both jacks of clubs, where they count."""
    queens: int
    """Both queens of clubs."""


def deck_of(kind: Kind) -> Deck:
    """Return the deck of a kind of game."""
    return _DECKS[kind]


def numbers(cards: int) -> list[int]:
    """Return the numbers of a set of cards, ascending."""
    found = []
    while cards:
        low = cards & -cards
        found.append(low.bit_length() - 1)
        cards ^= low
    return found


def pair(number: int) -> int:
    """Return the set of a card and its equal."""
    return 3 << (number & ~1)


def taking(deck: Deck, trick: Sequence[int]) -> int:
    """Return the index of the card that takes a trick."""
    able, best = deck.colour[trick[0]] | deck.trumps, 0
    for at, card in enumerate(trick):
        if able >> card & 1 and deck.above[trick[best]] >> card & 1:
            best = at
    return best


def _deck(kind: Kind) -> Deck:
    order = order_of(kind)
    low = (*_plain(order), *reversed(order.trumps))
    cards = tuple(card for card in low for _ in range(2))
    trumps = _set(card in order.trumps for card in cards)
    suits = tuple(held for suit in Suit if (held := _set(card.suit == suit for card in cards) & ~trumps))
    is_suited = kind not in {"queens", "jacks", "aces"}
    counts = kind in {"normal", "wedding"}
    return Deck(
        kind=kind,
        cards=cards,
        number={card: at for at, card in reversed(tuple(enumerate(cards)))},
        eyes=tuple(eyes((card,)) for card in cards),
        colour=tuple(_colour(1 << at, trumps, suits) for at in range(48)),
        above=tuple(ALL & -(4 << (at & ~1)) for at in range(48)),
        trumps=trumps,
        suits=suits,
        tens=_set(card.rank == Rank.TEN for card in cards),
        fat=trumps & _set(eyes((card,)) >= 4 and card != TEN_OF_HEARTS for card in cards) if is_suited else 0,
        throw=_sorted(order, cards, lambda at, card: 2 * eyes((card,)) + at + 12 * (card == TEN_OF_HEARTS)),
        give=_sorted(order, cards, _stays),
        ruff=_sorted(order, cards, _ruffs),
        plain_throw=_by_rank(cards, trumps, (Rank.NINE, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.TEN, Rank.ACE)),
        plain_give=_by_rank(cards, trumps, (Rank.TEN, Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.NINE)),
        foxes=_set(card == FOX for card in cards) if counts else 0,
        charlies=_set(card == JACK_OF_CLUBS for card in cards) if counts else 0,
        queens=_set(card == QUEEN_OF_CLUBS for card in cards),
    )


def _plain(order: TrickOrder) -> list[Card]:
    low = [Card(rank, suit) for suit in Suit for rank in reversed(order.ranks)]
    return [card for card in low if card not in order.trumps]


def _set(belongs: Iterable[bool]) -> int:
    """Return the set of the numbers at which something holds."""
    return sum(1 << at for at, holds in enumerate(belongs) if holds)


def _colour(card: int, trumps: int, suits: Iterable[int]) -> int:
    return next(colour for colour in (trumps, *suits) if colour & card)


def _stays(at: int, card: Card) -> int:
    """Return a number that is lower for a trump that is rather given to a partner than kept."""
    return 11 * at - 10 * eyes((card,)) - 15 * (card == FOX) + 100 * (card == TEN_OF_HEARTS)


def _ruffs(at: int, card: Card) -> int:
    """Return a number that is lower for a trump that rather takes a trick which others may take again."""
    return 2 * at + (6 * eyes((card,)) if card.rank in {Rank.ACE, Rank.TEN, Rank.KING} else 0)


def _sorted(order: TrickOrder, cards: tuple[Card, ...], worth: Callable[[int, Card], int]) -> tuple[int, ...]:
    """Return a set of each trump and its equal, those of the least worth first; `worth` gets its place from below."""
    low = tuple(reversed(order.trumps))
    places = sorted(range(len(low)), key=lambda at: worth(at, low[at]))
    return tuple(_set(card == low[at] for card in cards) for at in places)


def _by_rank(cards: tuple[Card, ...], trumps: int, ranks: Iterable[Rank]) -> tuple[int, ...]:
    sets = (_set(card.rank == rank for card in cards) & ~trumps for rank in ranks)
    return tuple(held for held in sets if held)


_KINDS: Final[tuple[Kind, ...]] = ("normal", "queens", "jacks", "clubs", "spades", "hearts", "diamonds", "aces")
_DECKS: Final[dict[Kind, Deck]] = {kind: _deck(kind) for kind in _KINDS}
_DECKS["wedding"] = _DECKS["normal"]
