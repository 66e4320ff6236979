"""The move of a house player.

Owns what the levels are. All of them bet by one strategy (`strategy.py`), each action as often as it says there. `hard`
does just that. `normal` misjudges its hand a little. `easy` misjudges it more, and often calls where the strategy
raises or passes.
"""

from functools import cache
from typing import Final, NamedTuple

from yawc_poker.engine.house import Level, SealedChance
from yawc_poker.games.poker.hands import Hand, category, strength
from yawc_poker.games.poker.model import Bet, Category, Fold, Move, Show, Swap, View
from yawc_poker.games.poker.player import swaps, tables
from yawc_poker.games.poker.player.situation import FOLD, LEAST, MOST_RIVALS, Spot, read
from yawc_poker.games.poker.player.strategy import BASE, STRATEGY


class Skill(NamedTuple):
    """What a level can do."""

    draws: int
    """How many draws of three cards are tried for each change that is compared; 0: cards are changed by the thumb."""
    off: int
    """By how many classes a hand is misjudged at most."""
    lazy: int
    """Of 100 raises and passes, how many are calls instead."""


SKILLS: Final[dict[Level, Skill]] = {
    "easy": Skill(draws=0, off=4, lazy=20),
    "normal": Skill(draws=0, off=3, lazy=0),
    "hard": Skill(draws=400, off=0, lazy=0),
}


def choose(view: View, level: Level, chance: SealedChance) -> Move:
    """Return the move of the view's seat, which is on turn."""
    assert view.hand is not None, "a seat on turn has a hand"
    skill = SKILLS[level]
    match view.phase:
        case "swap":
            return Swap(_places(view.hand, read(view).rivals, skill, chance))
        case "showdown":
            return Show()
        case "bet" | "over":
            pass
    spot = read(view)
    if spot.low > spot.high or (spot.rivals and spot.is_ruin):
        return Fold()
    if not spot.rivals:
        return Bet(spot.low, see=spot.stage > 0)
    return spot.move(_action(spot, view.hand, skill, chance))


def _places(hand: Hand, rivals: int, skill: Skill, chance: SealedChance) -> swaps.Places:
    """Return the cards to change; many people like to keep a high card beside a pair."""
    if not skill.draws:
        places = swaps.thumb(hand)
        return places[:-1] if category(hand) == Category.PAIR and chance.below(2) else places
    start = chance.getrandbits(64)
    return swaps.best(hand, skill.draws, start, lambda worth: tables.power(tables.rank(worth), rivals))


def _action(spot: Spot, hand: Hand, skill: Skill, chance: SealedChance) -> str:
    """Return one of the strategy's actions by its chances, as this level has it."""
    at = tables.among(_judged(spot, hand, skill, chance), spot.rivals, MOST_RIVALS, spot.stage == 0)
    taken = "".join([action * int(chances[at], BASE) for action, chances in row(spot.key).items()])
    found = taken[chance.below(len(taken))]
    return LEAST if (found == FOLD and spot.is_free) or chance.below(100) < skill.lazy else found


def _judged(spot: Spot, hand: Hand, skill: Skill, chance: SealedChance) -> int:
    """Return the class of a hand, or one beside it."""
    off = chance.below(2 * skill.off + 1) - skill.off
    if spot.stage:
        return min(max(tables.after(strength(hand)) + off, 0), len(tables.BEATEN) - 1)
    at = tables.before(hand)
    return at if at >= tables.FLUSH_HOPE else min(max(at + off, 0), tables.FLUSH_HOPE - 1)


@cache
def row(key: str) -> dict[str, str]:
    """Return the actions of a spot, with their chances by class; where it never came up, those of a similar one."""
    return STRATEGY.get(key) or STRATEGY[min(STRATEGY, key=lambda other: _unlike(key, other))]


_WEIGHT: Final = (900, 3000, 90, 90, 2, 2, 1)
"""How much each part of a spot's key counts."""


def _unlike(key: str, other: str) -> int:
    return sum([weight * abs(ord(a) - ord(b)) for weight, a, b in zip(_WEIGHT, key, other, strict=True)])
