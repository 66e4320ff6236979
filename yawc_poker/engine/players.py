"""What the programs of all games think with: quick chance, deals of the unseen cards, and the search over them. Pure.

Owns how unseen cards are dealt, how deals are weighed by what was said and done, and how candidates are compared. A
game says which card may lie where (`Plan`), how a player's word depends on their hand (`Lean`), how well a world agrees
with what was done, and what a candidate is worth in a world.

Cards are numbers, and a set of cards is an integer with a bit for each. A world is whatever a game makes of a deal.
Whatever is added up is whole numbers, or added one by one: `sum` of others rounds differently from Python 3.12 on.
"""

from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from typing import Final, NamedTuple, TypeVar

from yawc_poker.engine.game import ItemT
from yawc_poker.engine.house import SealedChance

WorldT = TypeVar("WorldT")

_WORD: Final = (1 << 64) - 1
_PARTS: Final = 1 << 24
"""Parts into which a chance between 0 and 1 is divided."""
_TRIES: Final = 24
"""Attempts at a deal before cards may lie where they cannot."""
FEWEST: Final = 12
"""Worlds before the first candidate is dropped."""
PAUSE: Final = 4
"""After the worlds so far, at least a share of one in so many is played before the next look at who is behind."""
CLEAR: Final = 5
"""A candidate is dropped if its mean is behind by the root of so many standard errors."""


class Dice:
    """A quick generator of numbers (Knuth's multiplier, 64 bits, of which the upper ones are used).

    The sealed chance of a choice gives its first number (`rolled`): a hash for each card would cost more than to play a
    world out.
    """

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        self.state = state

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1; small limits come out even enough."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & _WORD
        return ((self.state >> 33) * limit) >> 31

    def shuffle(self, items: MutableSequence[ItemT]) -> None:
        """Shuffle items in place."""
        below = self.below
        for last in range(len(items) - 1, 0, -1):
            other = below(last + 1)
            items[last], items[other] = items[other], items[last]


def rolled(chance: SealedChance) -> Dice:
    """Return dice that begin with a number of the sealed chance."""
    return Dice(chance.getrandbits(64))


# --- deals ------------------------------------------------------------------------------------------------------------


class Lean(NamedTuple):
    """What a player has said of their own hand, which is likelier with some cards than with others."""

    worths: Sequence[int]
    """By card."""
    chances: Sequence[float]
    """How likely it was said, by the worth of the whole hand; the last one: or more."""
    known: int
    """The worth of the cards that the player is known to have held."""

    def chance(self, hidden: int) -> float:
        """Return how likely it was said if the hidden cards have this worth."""
        return self.chances[min(self.known + hidden, len(self.chances) - 1)]


class Plan(NamedTuple):
    """What is known of the hidden cards."""

    cards: tuple[int, ...]
    """Their numbers: as many as there are positions, or more, of which the rest lies anywhere else."""
    places: tuple[int, ...]
    """Whose card lies at each position."""
    may: tuple[int, ...]
    """The cards that may lie at each position; those with the fewest first."""
    leans: Mapping[int, Lean] = {}
    """What players have said, by place."""
    swaps: int = 0
    """Attempts to swap two cards after the deal, by which deals become as likely as they should be."""


def dealt(plan: Plan, dice: Dice) -> list[int]:
    """Return the hidden cards, by position; the rest of them comes last, shuffled."""
    cards = _fitting(plan, dice)
    if plan.swaps and plan.may:
        _swap(plan, cards, dice)
    return cards


def _fitting(plan: Plan, dice: Dice) -> list[int]:
    """Return the cards as chance has them, but each where it may lie; if there is no way to be found, anywhere."""
    cards: list[int] = []
    for _ in range(_TRIES):
        cards = list(plan.cards)
        dice.shuffle(cards)
        for at, may in enumerate(plan.may):
            if not may >> cards[at] & 1:
                other = next((other for other in range(at + 1, len(cards)) if may >> cards[other] & 1), at)
                if other == at:
                    break
                cards[at], cards[other] = cards[other], cards[at]
        else:
            return cards
    return cards


def _swap(plan: Plan, cards: list[int], dice: Dice) -> None:
    """Swap cards of different players by chance, as the rule of Metropolis accepts it.

    Where somebody has said something, one of the cards is always theirs.
    """
    may, places, leans, count = plan.may, plan.places, plan.leans, len(plan.may)
    firsts = [at for at, place in enumerate(places) if place in leans] or range(count)
    worths = {
        place: sum([lean.worths[card] for card, other in zip(cards, places, strict=False) if other == place])
        for place, lean in leans.items()
    }
    for _ in range(plan.swaps):
        first, second = firsts[dice.below(len(firsts))], dice.below(count)
        one, other, here, there = cards[first], cards[second], places[first], places[second]
        if here == there or not may[first] >> other & may[second] >> one & 1:
            continue
        if here in leans or there in leans:
            changed, ratio = dict(worths), 1.0
            for place, gone, come in ((here, one, other), (there, other, one)):
                if place in leans:
                    lean = leans[place]
                    changed[place] += lean.worths[come] - lean.worths[gone]
                    ratio *= lean.chance(changed[place]) / lean.chance(worths[place])
            if ratio < 1 and dice.below(_PARTS) >= ratio * _PARTS:
                continue
            worths = changed
        cards[first], cards[second] = other, one


def steps_up(middle: int) -> tuple[float, ...]:
    """Return chances by worth: one half at `middle`, twice the odds for each worth more."""
    return tuple([(1 << worth) / ((1 << worth) + (1 << middle)) for worth in range(2 * middle)])


# --- worlds -----------------------------------------------------------------------------------------------------------


def likely(
    draw: Callable[[], WorldT], weigh: Callable[[WorldT], float], dice: Dice, count: int, tries: int
) -> list[WorldT]:
    """Return `count` worlds, chosen among `tries` times as many by their weights.

    Each is chosen as often as its weight asks for, by equal steps from a start by chance. They come in any order.
    """
    worlds = [draw() for _ in range(count * tries)]
    if tries == 1:
        return worlds
    totals, total = [], 0.0
    for world in worlds:
        total += weigh(world)
        totals.append(total)
    step = total / count
    mark = step * (dice.below(_PARTS) / _PARTS)
    chosen: list[WorldT] = []
    for world, reached in zip(worlds, totals, strict=True):
        while mark < reached and len(chosen) < count:
            chosen.append(world)
            mark += step
    dice.shuffle(chosen)
    return chosen or worlds[:count]


# --- the search -------------------------------------------------------------------------------------------------------


def best(
    rivals: Sequence[ItemT],
    worlds: Iterable[WorldT],
    worths: Callable[[WorldT, Sequence[int]], Sequence[Sequence[int]]],
    ahead: int = 0,
    fewest: int = FEWEST,
) -> ItemT:
    """Return the rival with the best mean over the worlds, in all of which those who are left meet.

    `worths` returns what the rivals at some indexes are worth in a world, in whole numbers: for each the worth by every
    answer of the other side, or one number. The other side does not know the world either, so its answer is the one
    that is best for it on average, not one for each world.

    The first rival is the one that rules of thumb prefer: another one must be worth more by `ahead`. Who is clearly
    behind after the `fewest` worlds, or later, is dropped.
    """
    gains = _played(len(rivals), worlds, worths, ahead, fewest)
    return rivals[max(gains, key=lambda at: sum(_answered(gains[at])))]


def compared(
    rivals: int,
    worlds: Iterable[WorldT],
    worths: Callable[[WorldT, Sequence[int]], Sequence[Sequence[int]]],
) -> tuple[tuple[int, ...], ...]:
    """Return what each of so many rivals is worth in each world, by the answer of the other side, as in `best`.

    None of them is dropped.
    """
    return tuple([tuple(_answered(gains)) for gains in _played(rivals, worlds, worths, 0, None).values()])


def _played(
    rivals: int,
    worlds: Iterable[WorldT],
    worths: Callable[[WorldT, Sequence[int]], Sequence[Sequence[int]]],
    ahead: int,
    fewest: int | None,
) -> dict[int, list[Sequence[int]]]:
    """Return the worths of the rivals that are left, by world; with `fewest` None all of them are."""
    gains: dict[int, list[Sequence[int]]] = {at: [] for at in range(rivals)}
    look = fewest
    for seen, world in enumerate(worlds, 1):
        left = list(gains)
        for at, gained in zip(left, worths(world, left), strict=True):
            gains[at].append([one + ahead for one in gained] if ahead and at == 0 else gained)
        if seen == look:
            look += max(PAUSE, seen // PAUSE)
            _drop(gains)
            if len(gains) == 1:
                break
    return gains


def _answered(gains: Sequence[Sequence[int]]) -> Sequence[int]:
    """Return the worths by the answer that is best for the other side."""
    return min(zip(*gains, strict=True), key=sum, default=())


def _drop(gains: dict[int, list[Sequence[int]]]) -> None:
    """Drop the rivals that are clearly behind the best."""
    answered = {at: _answered(gained) for at, gained in gains.items()}
    leader = max(gains, key=lambda at: sum(answered[at]))
    for at in [at for at in gains if at != leader and _is_behind(answered[at], answered[leader])]:
        del gains[at]


def _is_behind(gained: Sequence[int], leading: Sequence[int]) -> bool:
    """Return whether the mean difference is many standard errors from zero, in whole numbers."""
    behind = [one - other for one, other in zip(leading, gained, strict=True)]
    count, total, squares = len(behind), sum(behind), sum([one * one for one in behind])
    return total * total * count > CLEAR * (count * squares - total * total)
