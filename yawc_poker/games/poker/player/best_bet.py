"""The bet that gains most, by what is believed of the others.

Owns the bets that are compared. Nearly equal ones are left to chance, so that a bet tells less of the hand. Pure.
"""

from typing import Final

from yawc_poker.engine.house import SealedChance
from yawc_poker.games.poker.hands import Hand, strength
from yawc_poker.games.poker.model import Bet, Fold, Move
from yawc_poker.games.poker.player import swaps, tables
from yawc_poker.games.poker.player.prospects import after_change, before_change, raise_last
from yawc_poker.games.poker.player.situation import Situation

DRAWS: Final = 150
"""How many draws of three cards are tried to learn what a hand may become."""
_PER: Final = 1024
_NEAR: Final = 0.03
"""Bets that gain less by at most this share of the pot are nearly as good."""

_WEAK: Final = 0.2
"""Hands of this lowest share of all hands are bluffed with."""
_BLUFFS: Final = 4
"""One in so many of them is."""
_FOOLED: Final = 2
"""More opponents than that are not bluffed."""

Valued = tuple[float, Move]


def best_bet(now: Situation, hand: Hand, chance: SealedChance) -> Move:
    """Return a bet that gains most or nearly so, or a pass; now and then a bluff."""
    if _bluffs(now, hand) and chance.below(_BLUFFS) == 0:
        return Bet(min(now.spot.cap, now.spot.pot), see=True)
    found = _before(now, hand, chance) if now.spot.before else _after(now, hand)
    return _mixed([(0.0, Fold()), *found], _NEAR * now.spot.pot, chance)


def _bluffs(now: Situation, hand: Hand) -> bool:
    """Return whether a hand is worth nothing but a bluff: it is first to bet after the change, and that is cheap."""
    spot = now.spot
    is_cheap = 4 * spot.low <= spot.pot <= spot.cap
    is_free = now.is_first and not spot.before and len(now.rivals) <= _FOOLED
    return is_cheap and is_free and tables.rank(strength(hand)) < _WEAK


def _mixed(valued: list[Valued], near: float, chance: SealedChance) -> Move:
    """Return one of the moves close to the best, each the more likely the closer it is."""
    best = max([worth for worth, _ in valued])
    weights = [max(0.0, near - (best - worth)) for worth, _ in valued]
    whole = 0.0
    for weight in weights:
        whole += weight
    dice = chance.below(_PER) / _PER * whole
    for weight, (_, move) in zip(weights, valued, strict=True):
        if dice < weight:
            return move
        dice -= weight
    return max(valued, key=lambda one: one[0])[1]


def _amounts(now: Situation) -> list[int]:
    """Return the bets that are compared: the least, about the pot, twice the pot, the most."""
    low, cap, pot = now.spot.low, now.spot.cap, now.spot.pot
    return sorted({low, *[max(low, min(cap, one)) for one in (pot // 2, pot, 2 * pot, cap)]})


def _after(now: Situation, hand: Hand) -> list[Valued]:
    at, part = tables.place(strength(hand))
    pot, spot, rivals = now.spot.pot, now.spot, now.rivals
    if now.is_last:
        found: list[Valued] = [(after_change(pot, spot.low, spot, rivals, at, part), Bet(spot.low, see=True))]
        for one in _amounts(now)[1:]:
            if 2 * one <= now.cash:
                found.append((raise_last(pot, one, spot, rivals, at, part), Bet(one)))
        return found
    return [(after_change(pot, one, spot, rivals, at, part), Bet(one, see=True)) for one in _amounts(now)]


def _before(now: Situation, hand: Hand, chance: SealedChance) -> list[Valued]:
    chances = _chances(hand, chance)
    return [
        (before_change(now.spot.pot, one, now.spot, now.rivals, chances, now.is_first, now.cash), Bet(one))
        for one in _amounts(now)
    ]


def _chances(hand: Hand, chance: SealedChance) -> list[float]:
    """Return by class the chance of what a hand becomes."""
    numbers = [chance.getrandbits(30) for _ in range(DRAWS)]
    made = swaps.outcomes(hand, swaps.thumb(hand), numbers)
    found = [0.0] * len(tables.CLASSES)
    for one in made:
        found[tables.after(one)] += 1 / len(made)
    return found
