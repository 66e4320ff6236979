"""How people play: what each of five characters would answer to a bet, by the class of their hand.

Owns the chances of each answer. `normal` is one of these characters; `hard` asks which of them its opponents may be.
Pure, and without sums or powers of floating-point numbers that would differ between machines or versions.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from yawc_poker.games.poker.player.tables import BEATEN, CLASSES, HOPED, TWO_PAIRS_AFTER, TWO_PAIRS_BEFORE


class Spot(NamedTuple):
    """What somebody on turn has to answer to."""

    before: bool
    """The cards are not changed yet."""
    pot: int
    low: int
    """The least that they may bet."""
    cap: int
    """The most that anybody may bet."""
    others: int
    """The number of their opponents."""


class Answer(NamedTuple):
    """The chances of a bet: the least, more, and the most; the rest of the chances is a pass."""

    call: float
    more: float
    most: float

    @property
    def stays(self) -> float:
        """The chance of any bet."""
        return self.call + self.more + self.most


Character = Callable[[Spot, int], Answer]
"""The answer with a hand of this class."""

_NEVER: Final = Answer(0.03, 0.01, 0.01)
_CHEAP: Final = 10
"""A bet is cheap if so many times as much is in the pot."""


def power(value: float, times: int) -> float:
    """Return a value multiplied with itself, as all machines round it."""
    found = 1.0
    for _ in range(times):
        found *= value
    return found


def price(spot: Spot) -> float:
    """Return the share of hands won from which on a bet pays, if no other follows."""
    return spot.low / (spot.pot + spot.low)


def hope(spot: Spot, at: int) -> float:
    """Return the chance of a class against one hand of which nothing is known."""
    return (HOPED if spot.before else BEATEN)[at]


def caller(spot: Spot, at: int) -> Answer:
    """Return the answer of somebody who always pays and hardly ever raises."""
    return Answer(0.95, 0.03, 0.02)


def maniac(spot: Spot, at: int) -> Answer:
    """Return the answer of somebody who bets as much as possible with anything."""
    return Answer(0.03, 0.03, 0.92)


def rock(spot: Spot, at: int) -> Answer:
    """Return the answer of somebody who pays for two pairs or better only, unless it is cheap."""
    if at >= (TWO_PAIRS_BEFORE if spot.before else TWO_PAIRS_AFTER):
        return Answer(0.25, 0.2, 0.55)
    return Answer(0.7, 0.01, 0.01) if spot.low * _CHEAP <= spot.pot else _NEVER


def counter(spot: Spot, at: int) -> Answer:
    """Return the answer of somebody who compares the price with the chance against unknown hands."""
    chance = power(hope(spot, at), spot.others)
    if chance < price(spot):
        return _NEVER
    return Answer(0.75, 0.15, 0.08) if chance > 0.6 else Answer(0.93, 0.02, 0.01)


def sensible(spot: Spot, at: int) -> Answer:
    """Return the answer of somebody who also thinks of what a bet says of the hand behind it."""
    chance = respectful(spot, hope(spot, at))
    if chance < due(spot):
        return Answer(0.04, 0.02, 0.03)
    if chance > 0.85:
        return Answer(0.15, 0.5, 0.35)
    if chance > 0.65:
        return Answer(0.4, 0.5, 0.08)
    return Answer(0.8, 0.15, 0.02) if chance > 0.5 else Answer(0.91, 0.04, 0.02)


def respectful(spot: Spot, hope: float) -> float:
    """Return the chance against hands one of which is the better the more was bet on it."""
    odds = spot.low / spot.pot if spot.pot else 0.0
    least = 0.6 * odds / (1 + odds) if spot.low > 1 else 0.0
    best = (hope - least) / (1 - least) if hope > least else 0.0
    return best * power(hope, spot.others - 1)


def due(spot: Spot) -> float:
    """Return the chance from which on to stay: before the change another bet will follow."""
    return 1.6 * spot.low / (spot.pot + 2.6 * spot.low) if spot.before else price(spot)


CHARACTERS: Final[tuple[tuple[float, Character], ...]] = (
    (0.22, caller),
    (0.04, maniac),
    (0.22, rock),
    (0.20, counter),
    (0.32, sensible),
)
"""How frequent they are taken to be."""


def raised(spot: Spot) -> int:
    """Return a bet of more than the least: some three quarters of the pot."""
    return min(spot.cap, max(2 * spot.low, 3 * spot.pot // 4))


def is_most(spot: Spot, amount: int) -> bool:
    """Return whether a bet is about the most."""
    return 4 * amount >= 3 * spot.cap


def likelihood(answer: Answer, spot: Spot, amount: int) -> float:
    """Return the chance of this bet."""
    if is_most(spot, spot.low):
        return answer.stays
    if amount == spot.low:
        return answer.call
    return answer.most if is_most(spot, amount) else answer.more


def answers(spot: Spot, character: Character) -> list[Answer]:
    """Return a character's answers by class."""
    return [character(spot, at) for at in CLASSES]
