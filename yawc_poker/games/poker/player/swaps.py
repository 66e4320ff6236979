"""Which cards to change: rules of thumb, and the best of them and their rivals by the hands that may come.

Owns the choice of cards; knows no opponent but by the share of hands that one beats. Pure.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final

from yawc_poker.cards import Rank, deck
from yawc_poker.engine.players import Dice
from yawc_poker.games.poker.hands import Hand, category, strength
from yawc_poker.games.poker.model import HAND, MOST_SWAPPED, Category

DECK: Final = deck(Rank)
Places = tuple[int, ...]
"""Places of cards in a sorted hand, ascending."""


def thumb(hand: Hand) -> Places:
    """Return the cards that most people would change: all that do not belong to what the hand is, or may become."""
    match category(hand):
        case Category.PAIR | Category.TWO_PAIRS | Category.THREE:
            return _single(hand)
        case Category.HIGH_CARD:
            return _hope(hand)
        case _:
            return ()


def _single(hand: Hand) -> Places:
    """Return the places of cards whose rank is there only once."""
    ranks = [card.rank for card in hand]
    return tuple([place for place, rank in enumerate(ranks) if ranks.count(rank) == 1])


def _hope(hand: Hand) -> Places:
    """Return what to change of a hand without a pair: the odd one of a near flush or straight, or the three lowest."""
    return next(_odd_ones(hand), tuple(range(MOST_SWAPPED)))


def _odd_ones(hand: Hand) -> Iterator[Places]:
    """Yield the place of the card that keeps a hand from four of a flush, or from a straight open at both ends."""
    for place in range(HAND):
        rest = (*hand[:place], *hand[place + 1 :])
        if len({card.suit for card in rest}) == 1:
            yield (place,)
    for place in range(HAND):
        if _is_open(sorted({card.rank for at, card in enumerate(hand) if at != place})):
            yield (place,)


def _is_open(ranks: Sequence[int]) -> bool:
    """Return whether two ranks make these four a straight; an ace also stands below the five."""
    return len(ranks) == HAND - 1 and ranks[-1] - ranks[0] == HAND - 2 and ranks[-1] < Rank.ACE


def rivals(hand: Hand) -> tuple[Places, ...]:
    """Return the changes that are worth a comparison, the one by the thumb first; each keeps something."""
    usual = thumb(hand)
    found = {usual: None, **dict.fromkeys(_odd_ones(hand))}
    kind = category(hand)
    if kind == Category.HIGH_CARD:
        found |= dict.fromkeys([(0, 1, 2), (0, 1), *_suited(hand)])
    elif kind in {Category.PAIR, Category.THREE, Category.TWO_PAIRS} and usual:
        found |= dict.fromkeys([usual[:-1]])
    return tuple(found)


def _suited(hand: Hand) -> Iterator[Places]:
    """Yield what is left over beside just three cards of one suit."""
    suits = [card.suit for card in hand]
    places = tuple([place for place, suit in enumerate(suits) if suits.count(suit) < MOST_SWAPPED])
    if len(places) == HAND - MOST_SWAPPED and len({suits[place] for place in set(range(HAND)) - set(places)}) == 1:
        yield places


def outcomes(hand: Hand, places: Places, draws: int, dice: Dice) -> list[int]:
    """Return the strengths that a hand may have after a change: all of them, or so many where three cards come."""
    kept = tuple([card for place, card in enumerate(hand) if place not in places])
    stock = [card for card in DECK if card not in hand]
    if len(places) < MOST_SWAPPED:
        return [strength(kept + more) for more in combinations(stock, len(places))]
    found = []
    for _ in range(draws):
        for at in range(MOST_SWAPPED):
            other = at + dice.below(len(stock) - at)
            stock[at], stock[other] = stock[other], stock[at]
        found.append(strength((*kept, *stock[:MOST_SWAPPED])))
    return found


def best(hand: Hand, draws: int, start: int, worth: Callable[[int], float]) -> Places:
    """Return the change after which the hand is worth most on average; at equal worth the more usual one.

    Where three cards come, all changes meet the same dice, which begin with `start`.
    """
    places: Places = ()
    most = -1.0
    for one in rivals(hand):
        found = outcomes(hand, one, draws, Dice(start))
        total = 0.0
        for made in found:  # no `sum`: since Python 3.12 it rounds otherwise
            total += worth(made)
        if total / len(found) > most:
            places, most = one, total / len(found)
    return places
