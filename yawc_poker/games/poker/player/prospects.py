"""What a bet is worth: the CUBES that it gains on average, by what is believed of the others.

Owns the arithmetic of one betting turn and of what follows it. Nothing is sampled here. Pure.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from yawc_poker.games.poker.player.beliefs import Weights, changed
from yawc_poker.games.poker.player.characters import CHARACTERS, Spot, answers, raised
from yawc_poker.games.poker.player.tables import CLASSES


class Rival(NamedTuple):
    """An opponent before a bet."""

    weights: Weights
    answers: bool = True
    """They have still to pay the bet, or to pass; False: they have had their turn and stay."""


class Stake(NamedTuple):
    """An opponent after a bet."""

    gone: float
    """The chance that they have passed."""
    worse: list[float]
    """By own class, and one above the highest: the chance that they stay with a hand of a lower class."""
    paid: list[float]
    """The same, times what they pay."""

    def beaten(self, at: int, part: float) -> float:
        """Return the chance that they are gone or worse; `part` of the own class is worse, too."""
        return self.gone + self.worse[at] + part * (self.worse[at + 1] - self.worse[at])

    def lost(self, at: int, part: float) -> float:
        """Return what they pay on average for nothing."""
        return self.paid[at] + part * (self.paid[at + 1] - self.paid[at])


def stake(rival: Rival, spot: Spot) -> Stake:
    """Return what becomes of an opponent who has to answer to a bet."""
    stays, money = answered(rival, spot) if rival.answers else (rival.weights, [0.0] * len(CLASSES))
    worse, paid = [0.0], [0.0]
    for at in CLASSES:
        here = 0.0
        for row in stays:
            here += row[at]
        worse.append(worse[-1] + here)
        paid.append(paid[-1] + money[at])
    return Stake(1.0 - worse[-1], worse, paid)


def answered(rival: Rival, spot: Spot) -> tuple[Weights, list[float]]:
    """Return the weights of those who stay, and by class what they pay, on average."""
    more = raised(spot)
    stays: Weights = []
    money = [0.0] * len(CLASSES)
    for row, (_, character) in zip(rival.weights, CHARACTERS, strict=True):
        kept = []
        for at, answer in enumerate(answers(spot, character)):
            kept.append(row[at] * answer.stays)
            money[at] += row[at] * (answer.call * spot.low + answer.more * more + answer.most * spot.cap)
        stays.append(kept)
    return stays, money


def gain(pot: float, own: float, stakes: Sequence[Stake], at: int, part: float) -> float:
    """Return what is won on average with `own` CUBES to be paid, all of which the winner gets with the pot."""
    chance, money = 1.0, 0.0
    for one in stakes:
        beaten = one.beaten(at, part)
        money = money * beaten + one.lost(at, part) * chance
        chance *= beaten
    return (pot + own) * chance + money - own


def after_change(pot: int, amount: int, spot: Spot, rivals: Iterable[Rival], at: int, part: float) -> float:
    """Return what a bet gains after which the hands are shown."""
    asked = spot._replace(pot=pot + amount, low=amount)
    return gain(pot, amount, [stake(one, asked) for one in rivals], at, part)


def raise_last(pot: int, amount: int, spot: Spot, rivals: Iterable[Rival], at: int, part: float) -> float:
    """Return what a bet of the last in a round gains if the others have to answer in the next, and it is paid again."""
    asked = spot._replace(pot=pot + amount, low=amount)
    return gain(pot, 2 * amount, [stake(one._replace(answers=True), asked) for one in rivals], at, part)


def before_change(
    pot: int, amount: int, spot: Spot, rivals: Sequence[Rival], chances: Sequence[float], first: bool, cash: int
) -> float:
    """Return what a bet before the change gains; `chances` are those of the own class after it."""
    asked = spot._replace(pot=pot + amount, low=amount)
    later, whole = [], float(pot + amount)
    for one in rivals:
        stays, money = answered(one, asked) if one.answers else (one.weights, [])
        for part in money:
            whole += part
        later.append(Rival(changed(stays)))
    return _change(int(whole), amount, spot, later, chances, first, cash) - amount


def _change(
    pot: int, least: int, spot: Spot, rivals: Sequence[Rival], chances: Sequence[float], first: bool, cash: int
) -> float:
    """Return the worth of the cards that come: with each class the best bet, or none."""
    left = cash - least
    bets = [least, *[one for one in (min(pot, spot.cap), spot.cap) if first and one > least]]
    options = []
    for bet in bets:
        if bet <= left:
            asked = spot._replace(before=False, pot=pot + bet, low=bet)
            options.append((bet, [stake(one, asked) for one in rivals]))
    found = 0.0
    for at, chance in enumerate(chances):
        if chance:
            best = 0.0
            for bet, stakes in options:
                best = max(best, gain(pot, bet, stakes, at, 0.5))
            found += chance * best
    return found
