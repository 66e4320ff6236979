"""Poker: the levels of its house players against baselines and each other, by the real rules.

Owns the baselines. They see what a house player sees. All cards and all chance follow from the number of a deal.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from benchmarks.players.arena import Pairing
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.house import Level, SealedChance, chance_of
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.hands import Hand, category, strength
from yawc_poker.games.poker.model import Bet, Category, Fold, Move, Options, Show, Swap, View
from yawc_poker.games.poker.player import tables
from yawc_poker.games.poker.player.afterwards import HOUSE
from yawc_poker.games.poker.player.strategy import HOPED
from yawc_poker.games.poker.player.swaps import thumb

CASH: Final = 1000
ROUNDS: Final = 1_000
UNIT: Final = "CUBES a game"
OPTIONS: Final = Options()

Betting = Callable[[View, Hand], Move]
Player = Callable[[View, SealedChance], Move]


# --- baselines --------------------------------------------------------------------------------------------------------


def minimum(view: View, hand: Hand) -> Move:
    """Always bet the least, and see as soon as possible."""
    return Bet(view.low, view.round > 1)


def maniac(view: View, hand: Hand) -> Move:
    """Always bet the most, and see as soon as possible."""
    return Bet(view.high, view.round > 1)


def chance_of_winning(view: View, hand: Hand) -> float:
    """Return the chance against hands of which nothing is known."""
    chance = HOPED[tables.before(hand)] if view.round == 1 else tables.rank(strength(hand))
    return chance ** sum(one.active for one in view.opponents)


def pot_odds(view: View, hand: Hand) -> Move:
    """Bet the least if its price is below the chance against unknown hands, half the pot with a good chance."""
    share = chance_of_winning(view, hand)
    if share * (view.pot + view.low) < view.low:
        return Fold()
    more = max(view.low, min(view.high, view.pot // 2))
    return Bet(more if share > 0.65 else view.low, view.round > 1)


def rock(view: View, hand: Hand) -> Move:
    """Bet the most with two pairs or better; else only what is cheap before the change, and nothing after it."""
    if category(hand) >= Category.TWO_PAIRS:
        return Bet(view.high, view.round > 1)
    return Bet(view.low) if view.round == 1 and view.low <= OPTIONS.ante else Fold()


def strict_rock(view: View, hand: Hand) -> Move:
    """Bet the most with two pairs or better, else pass."""
    return Bet(view.high, view.round > 1) if category(hand) >= Category.TWO_PAIRS else Fold()


def tight_aggressive(view: View, hand: Hand) -> Move:
    """Pass poor hands unless they are cheap, bet good ones for their worth, and believe those who bet much."""
    share, price = chance_of_winning(view, hand), view.low / (view.pot + view.low)
    see = view.round > 1
    if view.round == 1:
        if share > 0.65:
            return bet(view, view.pot, see)
        return bet(view, view.low, see) if price < 0.1 or share > 0.3 + price else Fold()
    least = min(0.9, 0.3 + price) if view.low > OPTIONS.ante else price
    if share > max(0.8, least):
        return bet(view, view.high, see)
    if share > max(0.65, least):
        return bet(view, view.pot, see)
    return bet(view, view.low, see) if share > least else Fold()


def bully(view: View, hand: Hand) -> Move:
    """Bet the pot with anything, and the most with what is good; pass the poor hands only if somebody bets as much."""
    share = chance_of_winning(view, hand)
    if view.low > view.pot // 3 and share < 0.4:
        return Fold()
    return bet(view, view.high if share > 0.7 else view.pot, see=view.round > 1)


def bet(view: View, amount: int, see: bool) -> Bet:
    """Return a bet of about this amount; the least, if somebody has asked to see: nobody would have to pay more."""
    asked = any(one.see and one.round == view.round for one in view.bets)
    return Bet(view.low if asked else max(view.low, min(view.high, amount)), see)


def baseline(betting: Betting, view: View, chance: SealedChance) -> Move:
    """Return the move of a baseline: all of them change cards by the rules of thumb."""
    assert view.hand is not None
    match view.phase:
        case "swap":
            return Swap(thumb(view.hand))
        case "showdown":
            return Show()
    return betting(view, view.hand) if any(one.active for one in view.opponents) else Bet(view.low, view.round > 1)


def house(level: Level, view: View, chance: SealedChance) -> Move:
    """Return the move of a house player."""
    return HOUSE.choose(view, level, chance)


# --- a learner --------------------------------------------------------------------------------------------------------

LESSONS: Final = 2_000
"""The games that a learner plays before it counts."""
EXAMS: Final = 400
"""The deals that it plays then."""


class Learner:
    """Somebody who remembers what each action gained, by the kind of hand and the price; begins as tight-aggressive."""

    def __init__(self, seed: str) -> None:
        self._chance = SealedChance(seed)
        self._gained: dict[tuple[object, ...], list[list[float]]] = {}
        self._done: list[tuple[list[float], int]] = []
        self.curious = 0.0
        """How often it tries something else."""

    def __call__(self, view: View, chance: SealedChance) -> Move:
        """Return a move, and keep it in mind."""
        assert view.hand is not None
        if view.phase != "bet" or not any(one.active for one in view.opponents):
            return baseline(minimum, view, chance)
        actions = self._actions(view)
        gained = self._gained.setdefault(self._kind(view, view.hand), [[0.0, 0.0] for _ in actions])
        if self._chance.below(1000) < 1000 * self.curious:
            at = self._chance.below(len(actions))
        else:
            usual = tight_aggressive(view, view.hand)
            at = max(range(len(actions)), key=lambda one: _worth(gained[one], actions[one] == usual))
        self._done.append((gained[at], view.cash))
        return actions[at]

    def learn(self, cash: int) -> None:
        """Remember what the actions of a game gained, which is over."""
        for known, before in self._done:
            known[0] += 1
            known[1] += cash - before
        self._done.clear()

    def _actions(self, view: View) -> list[Move]:
        see = view.round > 1
        return [Fold(), *[bet(view, amount, see) for amount in (view.low, view.pot // 2, view.pot, view.high)]]

    def _kind(self, view: View, hand: Hand) -> tuple[object, ...]:
        """Return what the learner takes for the same: stage, whether it must answer, hand and price."""
        share, price = chance_of_winning(view, hand), view.low / (view.pot + view.low)
        answers = any(one.round == view.round for one in view.bets)
        return view.round == 1, answers, int(6 * share), int(4 * price)


def _worth(gained: Sequence[float], is_usual: bool) -> float:
    """Return what an action gained on average, a little less if it was seldom tried and is none that it began with."""
    return (gained[1] - (0 if is_usual else 30)) / (gained[0] + 4)


# --- games ------------------------------------------------------------------------------------------------------------


def duel(tested: Player, others: Sequence[Player], number: int | str) -> tuple[float, ...]:
    """Play one deal with the tested player in each seat in turn, and return what they gained each time."""
    gains = []
    for seat in range(len(others) + 1):
        players = [*others[:seat], tested, *others[seat:]]
        gains.append(float(played(players, number)[seat]))
    return tuple(gains)


def learned(tested: Player, number: int, lessons: int = LESSONS, exams: int = EXAMS) -> tuple[float, ...]:
    """Let a learner of this number play against the tested player; return what that gains when it has learned."""
    learner = Learner(f"learner {number}")
    for game in range(lessons):
        learner.curious = 0.3 * (1 - game / lessons)
        players = (tested, learner) if game % 2 else (learner, tested)
        learner.learn(CASH + played(players, f"{number} {game}")[1 if game % 2 else 0])
    learner.curious = 0.0
    return tuple([gain for exam in range(exams) for gain in duel(tested, (learner,), f"{number} {exam} exam")])


def played(players: Sequence[Player], number: int | str) -> list[int]:
    """Play a game and return what each seat gained."""
    order = list(rules.DECK)
    SealedChance(f"deal {number}").shuffle(order)
    cash = dict.fromkeys(range(len(players)), CASH)
    state = rules.deal(cash, 0, Dealing(" ".join(order)), OPTIONS).state
    action = 1
    while (seat := state.current) is not None:
        chance = chance_of(str(number), seat, action)
        state = rules.play(state, seat, players[seat](rules.view(state, seat), chance), chance).state
        action += 1
    won = rules.payouts(state)
    return [state.cash[seat] + won.get(seat, 0) - CASH for seat in range(len(players))]


MINIMUM: Final = partial(baseline, minimum)
MANIAC: Final = partial(baseline, maniac)
POT_ODDS: Final = partial(baseline, pot_odds)
ROCK: Final = partial(baseline, rock)
STRICT_ROCK: Final = partial(baseline, strict_rock)
TIGHT_AGGRESSIVE: Final = partial(baseline, tight_aggressive)
BULLY: Final = partial(baseline, bully)
EASY: Final = partial(house, "easy")
NORMAL: Final = partial(house, "normal")
HARD: Final = partial(house, "hard")


def _pairing(name: str, tested: Player, *others: Player, rounds: int = ROUNDS, mark: float | None = 0.0) -> Pairing:
    return Pairing(name, mark, rounds, partial(duel, tested, others), UNIT)


def _lessons(name: str, tested: Player, rounds: int = 8_000, mark: float | None = None) -> Pairing:
    return Pairing(name, mark, rounds, partial(learned, tested), UNIT)


PAIRINGS: Final = (
    _pairing("hard against tight-aggressive", HARD, TIGHT_AGGRESSIVE, rounds=40_000, mark=2.0),
    _pairing("normal against tight-aggressive", NORMAL, TIGHT_AGGRESSIVE, rounds=40_000),
    _pairing("easy against tight-aggressive", EASY, TIGHT_AGGRESSIVE, rounds=40_000, mark=-5.0),
    _lessons("hard against a learner after 2,000 games", HARD, rounds=400_000, mark=2.0),
    _lessons("normal against a learner after 2,000 games", NORMAL),
    _lessons("easy against a learner after 2,000 games", EASY),
    _pairing("hard against a bully", HARD, BULLY),
    _pairing("normal against a bully", NORMAL, BULLY, mark=None),
    _pairing("easy against a bully", EASY, BULLY, mark=None),
    _pairing("hard against call-always", HARD, MINIMUM),
    _pairing("normal against call-always", NORMAL, MINIMUM, mark=None),
    _pairing("easy against call-always", EASY, MINIMUM, mark=None),
    _pairing("hard against plain pot odds", HARD, POT_ODDS, rounds=4_000),
    _pairing("hard against a maniac (always the maximum)", HARD, MANIAC),
    _pairing("hard against a rock (two pairs or better)", HARD, ROCK),
    _pairing("hard against a rock that never pays for less", HARD, STRICT_ROCK),
    _pairing("hard against all four, five seats", HARD, MINIMUM, POT_ODDS, MANIAC, ROCK),
    _pairing("hard against four tight-aggressive, five seats", HARD, *[TIGHT_AGGRESSIVE] * 4),
    _pairing("hard against normal", HARD, NORMAL, rounds=10_000),
    _pairing("hard against four of normal, five seats", HARD, *[NORMAL] * 4, rounds=2_500),
    _pairing("hard against easy", HARD, EASY, rounds=10_000),
    _pairing("normal against easy", NORMAL, EASY, rounds=5_000),
    _pairing("normal against plain pot odds", NORMAL, POT_ODDS, mark=None),
    _pairing("normal against a maniac (always the maximum)", NORMAL, MANIAC, mark=None),
    _pairing("normal against a rock (two pairs or better)", NORMAL, ROCK, mark=None),
)
