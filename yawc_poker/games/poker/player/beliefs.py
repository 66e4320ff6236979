"""What is believed of the others: by character and class of hand, from their bets alone.

Owns the weights. How many cards somebody changed is secret and is never used. Pure.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.games.poker.model import PastBet
from yawc_poker.games.poker.player.characters import CHARACTERS, Spot, answers, likelihood
from yawc_poker.games.poker.player.tables import BECOMES, CLASSES, SHARES

Weights = list[list[float]]
"""By character, then by class; all of them add up to 1, or to the chance that the player is still there."""

START: Final[Weights] = [[frequent * share for share in SHARES] for frequent, _ in CHARACTERS]
"""Before any bet."""


def changed(weights: Weights) -> Weights:
    """Return the weights by the classes after the change."""
    return [_changed(row) for row in weights]


def _changed(row: Sequence[float]) -> list[float]:
    found = [0.0] * len(CLASSES)
    for weight, chances in zip(row, BECOMES, strict=True):
        for at, chance in enumerate(chances):
            if chance:
                found[at] += weight * chance
    return found


def seen(weights: Weights, spot: Spot, amount: int) -> Weights:
    """Return the weights after a bet."""
    found = []
    for row, (_, character) in zip(weights, CHARACTERS, strict=True):
        chances = [likelihood(answer, spot, amount) for answer in answers(spot, character)]
        found.append([weight * chance for weight, chance in zip(row, chances, strict=True)])
    whole = total(found)
    return [[weight / whole for weight in row] for row in found]


def total(weights: Weights) -> float:
    """Return all weights together, added one by one."""
    found = 0.0
    for row in weights:
        for weight in row:
            found += weight
    return found


def by_class(weights: Weights) -> list[float]:
    """Return the weight of each class, whatever the character."""
    found = [0.0] * len(CLASSES)
    for row in weights:
        for at, weight in enumerate(row):
            found[at] += weight
    return found


def believed(seat: int, bets: Sequence[PastBet], spots: Sequence[Spot], before: bool) -> Weights:
    """Return what is believed of a seat after these bets, each with its spot.

    `before`: the cards are not changed yet.
    """
    weights, is_changed = START, False
    for bet, spot in zip(bets, spots, strict=True):
        if bet.seat == seat:
            if not spot.before and not is_changed:
                weights, is_changed = changed(weights), True
            weights = seen(weights, spot, bet.amount)
    return weights if is_changed or before else changed(weights)
