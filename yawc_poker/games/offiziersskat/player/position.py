"""What both players know of a round, as numbers; and the worlds that this leaves possible.

Owns the numbering. A *number* is a card: cards of one colour follow each other from the highest, so that of two of them
the smaller number is the better card; the trumps are colour 0. A *slot* is where a card lies: 0 to 7 the open cards of
side 0, 8 to 15 the covered ones below them, 16 to 31 the same of side 1. Side 0 is the seat on turn. A set of slots is
an integer of 32 bits.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import factorial
from typing import Final, NamedTuple

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.engine.house import SealedChance
from yawc_poker.engine.players import Dice, rolled
from yawc_poker.games.offiziersskat.model import PLACES, PlayerView, View
from yawc_poker.tricks import eyes

COLOUR: Final = 11
"""Numbers of a colour: the trumps are at most eleven cards."""
COLOURS: Final = 5
"""The trumps and four suits at most."""
SLOTS: Final = 4 * PLACES
EMPTY: Final = -1
"""Stands for a number where no card lies."""
_OTHER = 2 * PLACES
"""The first slot of side 1."""
_JACKS = tuple(Card(Rank.JACK, suit) for suit in reversed(Suit))
_RANKS = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.NINE, Rank.EIGHT, Rank.SEVEN)


class Position(NamedTuple):
    """What both players know."""

    slots: tuple[int, ...]
    """The number in each slot; `EMPTY` also where a covered card lies. A card that side 1 has led lies there still."""
    covered: tuple[int, ...]
    """The slots of the covered cards."""
    unseen: tuple[int, ...]
    """The numbers of the covered cards, ascending; nobody knows which one lies where."""
    led: int | None
    """The slot from which side 1 has led; None: side 0 leads."""
    ahead: int
    """Eyes of side 0 in the tricks of this round, minus those of side 1."""
    eyes: tuple[int, ...]
    """What each number counts."""

    @property
    def tricks(self) -> int:
        """The number of tricks that are not complete yet."""
        return (len(self.covered) + sum(number != EMPTY for number in self.slots)) // 2


def order(trump: Suit | None) -> dict[int, Card]:
    """Return the cards by their numbers in a round with this trump; None: Grand."""
    suits = [[Card(rank, suit) for rank in _RANKS] for suit in Suit if suit != trump]
    trumps = [*_JACKS, *(Card(rank, trump) for rank in _RANKS if trump is not None)]
    return {COLOUR * at + rank: card for at, cards in enumerate([trumps, *suits]) for rank, card in enumerate(cards)}


def counts(cards: dict[int, Card]) -> tuple[int, ...]:
    """Return the eyes of each number."""
    return tuple(eyes([cards[number]] if number in cards else []) for number in range(COLOURS * COLOUR))


def position(view: View, cards: dict[int, Card]) -> Position:
    """Return what a view shows, the cards numbered like this; raise `ValueError` if its seat is not on turn."""
    if view.seat is None or view.seat != view.current:
        raise ValueError("this seat is not on turn")
    mine, other = view.players[view.seat], view.players[1 - view.seat]
    numbers = {card: number for number, card in cards.items()}
    slots = [*_slots(mine, numbers), *_slots(other, numbers)]
    led = _led(other) if view.round.trick else None
    if led is not None:
        slots[led] = numbers[view.round.trick[0]]
    return Position(
        slots=tuple(slots),
        covered=(*_covered(mine, 0), *_covered(other, _OTHER)),
        unseen=tuple(sorted(numbers[card] for card in view.unseen)),
        led=led,
        ahead=mine.eyes - other.eyes,
        eyes=counts(cards),
    )


def _slots(player: PlayerView, numbers: dict[Card, int]) -> list[int]:
    opened = [EMPTY if place.open is None else numbers[place.open] for place in player.places]
    return [*opened, *[EMPTY] * PLACES]


def _covered(player: PlayerView, first: int) -> list[int]:
    return [first + PLACES + at for at, place in enumerate(player.places) if place.covered]


def _led(player: PlayerView) -> int:
    """Return a slot for the card that this player, side 1, has led: where a covered card lies bare, or any free one."""
    bare = [(not place.covered, at) for at, place in enumerate(player.places) if place.open is None]
    return _OTHER + min(bare)[1]


# --- worlds -----------------------------------------------------------------------------------------------------------


def worlds(known: Position, most: int, chance: SealedChance) -> Iterator[tuple[int, ...]]:
    """Return what may lie in each slot: every possible world if there are at most `most`, else that many samples."""
    every = factorial(len(known.unseen)) <= most
    orders = permutations(known.unseen) if every else _turned(known.unseen, most, rolled(chance))
    return (_filled(known, numbers) for numbers in orders)


def _turned(numbers: Sequence[int], most: int, dice: Dice) -> Iterator[Sequence[int]]:
    """Yield orders of the numbers: one by chance, then the same turned by one until each has been at every place.

    So each card lies in each slot equally often, and fewer worlds tell as much.
    """
    order = list(numbers)
    for at in range(most):
        turn = at % len(order)
        if turn == 0:
            dice.shuffle(order)
        yield order[turn:] + order[:turn]


def _filled(known: Position, numbers: Sequence[int]) -> tuple[int, ...]:
    slots = list(known.slots)
    for slot, number in zip(known.covered, numbers, strict=True):
        slots[slot] = number
    return tuple(slots)
