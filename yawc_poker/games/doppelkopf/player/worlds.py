"""Worlds: hands of the others that agree with all that a place knows.

Owns the sampling. A world is a list of four hands, sets of cards by place. Its chance is a number that the sealed
chance of the move gives once: a hash for each card would cost more than to play the round out.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from yawc_poker.engine.house import SealedChance
from yawc_poker.games.doppelkopf.model import SEATS
from yawc_poker.games.doppelkopf.player.decks import numbers
from yawc_poker.games.doppelkopf.player.knowledge import PLACES, Known

World = list[int]
_TRIES: Final = 24
"""Attempts at a world before suits that somebody did not follow are forgotten."""


class Dice:
    """A quick generator of numbers (Knuth's multiplier, 64 bits, of which the upper ones are used)."""

    def __init__(self, chance: SealedChance) -> None:
        self._state = chance.getrandbits(64)

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1; small limits come out even enough."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        return ((self._state >> 33) * limit) >> 31


class Plan(NamedTuple):
    """How the hidden cards are dealt, in this order."""

    me: int
    hand: int
    room: tuple[int, ...]
    """How many hidden cards each place holds."""
    owed: tuple[int, ...]
    """Places that hold a queen of clubs each."""
    queens: tuple[int, ...]
    """Hidden queens of clubs."""
    bound: tuple[tuple[int, tuple[int, ...]], ...]
    """Cards that not all may hold, with the places that may; those with the fewest places first."""
    free: tuple[int, ...]
    """Cards that anybody may hold."""
    barred: tuple[int, ...]


def plan(known: Known) -> Plan:
    """Return how to deal what a place does not know."""
    room = tuple(0 if place == known.me else known.held[place] for place in PLACES)
    there = tuple(place for place in PLACES if room[place])
    is_special = not known.game.is_solo
    queens = known.hidden & known.deck.queens if is_special else 0
    rest = [(number, _may_hold(known, there, number)) for number in numbers(known.hidden ^ queens)]
    bound = sorted((one for one in rest if len(one[1]) < len(there)), key=lambda one: len(one[1]))
    return Plan(
        me=known.me,
        hand=known.hand,
        room=room,
        owed=tuple(place for place in there if known.owed[place]),
        queens=tuple(numbers(queens)),
        bound=tuple(bound),
        free=tuple(number for number, places in rest if len(places) == len(there)),
        barred=known.barred,
    )


def _may_hold(known: Known, there: Sequence[int], number: int) -> tuple[int, ...]:
    return tuple(place for place in there if not known.barred[place] >> number & 1)


def deal(plan: Plan, dice: Dice) -> World:
    """Return a world by chance."""
    for _ in range(_TRIES):
        world = _attempt(plan, dice)
        if world:
            return world
    return _relaxed(plan, dice)


def _attempt(plan: Plan, dice: Dice) -> World:
    """Return a world, or nothing where the order of chance leaves a card without a place."""
    world, room = [0] * SEATS, list(plan.room)
    world[plan.me] = plan.hand
    if not _deal_queens(plan, dice, world, room):
        return []
    for number, places in plan.bound:
        place = _pick(places, room, dice)
        if place < 0:
            return []
        world[place] |= 1 << number
        room[place] -= 1
    _deal_rest(plan.free, dice, world, room)
    return world


def _deal_queens(plan: Plan, dice: Dice, world: World, room: list[int]) -> bool:
    """Deal the queens of clubs: to those who owe one, then to others who have none."""
    owed = list(plan.owed)
    for number in plan.queens:
        bit = 1 << number
        able = [place for place in PLACES if room[place] and not plan.barred[place] & bit]
        fresh = [place for place in able if not world[place]]
        place = owed.pop(0) if owed else _pick(fresh or able, room, dice)
        if place < 0 or not room[place]:
            return False
        world[place] |= bit
        room[place] -= 1
    return True


def _pick(places: Sequence[int], room: Sequence[int], dice: Dice) -> int:
    """Return one of the places, each as likely as it has room; -1 where none has."""
    total = sum([room[place] for place in places])
    if not total:
        return -1
    at = dice.below(total)
    for place in places:
        at -= room[place]
        if at < 0:
            return place
    return -1


def _deal_rest(free: Sequence[int], dice: Dice, world: World, room: Sequence[int]) -> None:
    """Deal cards that anybody may hold: Fisher-Yates, of which each place takes as many as it has room for."""
    cards, last, below = list(free), len(free), dice.below
    for place in PLACES:
        held = 0
        for _ in range(room[place]):
            at = below(last)
            last -= 1
            held |= 1 << cards[at]
            cards[at] = cards[last]
        world[place] |= held


def _relaxed(plan: Plan, dice: Dice) -> World:
    """Return a world that only agrees with the numbers of cards: there is always one."""
    world = [0] * SEATS
    world[plan.me] = plan.hand
    _deal_rest((*plan.queens, *(one[0] for one in plan.bound), *plan.free), dice, world, plan.room)
    return world
