"""The move of a house player.

Owns what the levels are. `easy` plays its own cards: it pays too often and bets more only on a good hand. `normal`
compares the price of a bet with the chance of its hand, respects big bets, and bluffs now and then. `hard` asks which
hands and characters the bets of the others fit, and takes the bet that gains most by that.
"""

from typing import Final

from yawc_poker.engine.house import HousePlayer, Level, SealedChance
from yawc_poker.games.poker.hands import Hand, category, strength
from yawc_poker.games.poker.model import Bet, Category, Fold, Move, Show, Swap, View
from yawc_poker.games.poker.player import swaps, tables
from yawc_poker.games.poker.player.beliefs import by_class
from yawc_poker.games.poker.player.best_bet import best_bet
from yawc_poker.games.poker.player.characters import Answer, Spot, raised, sensible
from yawc_poker.games.poker.player.situation import Situation, read

_PER: Final = 1000
DRAWS: Final[dict[Level, int]] = {"easy": 0, "normal": 100, "hard": 400}
"""How many draws of three cards a level tries for each change that it compares."""


def choose(view: View, level: Level, chance: SealedChance) -> Move:
    """Return the move of the view's seat, which is on turn."""
    assert view.hand is not None, "a seat on turn has a hand"
    match view.phase:
        case "swap":
            return Swap(_places(view, view.hand, level, chance))
        case "showdown":
            return Show()
        case "bet" | "over":
            pass
    if view.low > view.high:
        return Fold()
    now = read(view)
    if not now.rivals:
        return Bet(view.low, see=now.may_see)
    match level:
        case "easy":
            return _easy(now, view.hand, chance)
        case "normal":
            return _normal(now, view.hand, chance)
        case "hard":
            return best_bet(now, view.hand, chance)


# --- changing cards ---------------------------------------------------------------------------------------------------


def _places(view: View, hand: Hand, level: Level, chance: SealedChance) -> swaps.Places:
    if level == "easy":
        return _keeping_an_ace(hand, chance)
    numbers = [chance.getrandbits(30) for _ in range(DRAWS[level])]
    if level == "normal":
        return swaps.best(hand, numbers, tables.rank)
    return swaps.best(hand, numbers, _against(read(view)).__getitem__)


def _keeping_an_ace(hand: Hand, chance: SealedChance) -> swaps.Places:
    """Return a beginner's change: beside a pair they like to keep a high card."""
    places = swaps.thumb(hand)
    return places[:-1] if category(hand) == Category.PAIR and chance.below(2) else places


class _Worths(dict[int, float]):
    """By strength: the chance against all opponents, as it is needed."""

    def __init__(self, rivals: list[list[float]]) -> None:
        super().__init__()
        self._rivals = rivals

    def __missing__(self, key: int) -> float:
        at, part = tables.place(key)
        found = 1.0
        for below in self._rivals:
            found *= below[at] + part * (below[at + 1] - below[at])
        self[key] = found
        return found


def _against(now: Situation) -> _Worths:
    return _Worths([_below(by_class(rival.weights)) for rival in now.rivals])


def _below(shares: list[float]) -> list[float]:
    found = [0.0]
    for share in shares:
        found.append(found[-1] + share)
    return found


# --- betting ----------------------------------------------------------------------------------------------------------


def _easy(now: Situation, hand: Hand, chance: SealedChance) -> Move:
    """Return a beginner's bet: what they hold counts, and what others may hold does not."""
    kind, dice = category(hand), chance.below(_PER)
    if now.spot.low > 20 and kind <= Category.PAIR and dice < (300 if kind == Category.PAIR else 650):
        return Fold()
    see = now.may_see and chance.below(_PER) < 600
    if (kind >= Category.TWO_PAIRS and dice < 600) or dice < 30:
        return Bet(min(now.spot.cap, now.spot.low + 5 + chance.below(36)), see)
    return Bet(now.spot.low, see)


def _normal(now: Situation, hand: Hand, chance: SealedChance) -> Move:
    """Return one of a sensible player's answers, by its chances."""
    worth = strength(hand)
    at = tables.before(worth) if now.spot.before else tables.after(worth)
    return _by_chance(now, sensible(now.spot, at), chance.below(_PER) / _PER)


def _by_chance(now: Situation, answer: Answer, dice: float) -> Move:
    if dice < answer.most:
        return _bet(now, now.spot.cap)
    if dice < answer.most + answer.more:
        return _bet(now, raised(now.spot))
    if dice < answer.stays or _is_free(now.spot):
        return _bet(now, now.spot.low)
    return Fold()


def _is_free(spot: Spot) -> bool:
    return spot.low * 20 <= spot.pot


def _bet(now: Situation, amount: int) -> Bet:
    """Return a bet with which the hands are to be shown, unless it is a raise that nobody has to answer to then."""
    return Bet(amount, now.may_see and not (now.is_last and amount > now.spot.low))


HOUSE: Final = HousePlayer(version=1, choose=choose)
