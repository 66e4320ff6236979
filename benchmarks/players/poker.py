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
from yawc_poker.games.poker.player.choose import HOUSE
from yawc_poker.games.poker.player.swaps import thumb

CASH: Final = 1000
ROUNDS: Final = 10_000
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


def pot_odds(view: View, hand: Hand) -> Move:
    """Bet the least if its price is below the chance against unknown hands, half the pot with a good chance."""
    worth = strength(hand)
    chance = tables.HOPED[tables.before(worth)] if view.round == 1 else tables.rank(worth)
    share = chance ** sum(one.active for one in view.opponents)
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


# --- games ------------------------------------------------------------------------------------------------------------


def duel(tested: Player, others: Sequence[Player], number: int) -> tuple[float, ...]:
    """Play one deal with the tested player in each seat in turn, and return what they gained each time."""
    gains = []
    for seat in range(len(others) + 1):
        players = [*others[:seat], tested, *others[seat:]]
        gains.append(float(played(players, number)[seat]))
    return tuple(gains)


def played(players: Sequence[Player], number: int) -> list[int]:
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
EASY: Final = partial(house, "easy")
NORMAL: Final = partial(house, "normal")
HARD: Final = partial(house, "hard")


def _pairing(name: str, tested: Player, *others: Player, rounds: int = ROUNDS, mark: float | None = 0.0) -> Pairing:
    return Pairing(name, mark, rounds, partial(duel, tested, others), UNIT)


PAIRINGS: Final = (
    _pairing("hard against always the minimum", HARD, MINIMUM),
    _pairing("hard against plain pot odds", HARD, POT_ODDS),
    _pairing("hard against a maniac (always the maximum)", HARD, MANIAC),
    _pairing("hard against a rock (two pairs or better)", HARD, ROCK),
    _pairing("hard against a rock that never pays for less", HARD, STRICT_ROCK),
    _pairing("hard against all four, five seats", HARD, MINIMUM, POT_ODDS, MANIAC, ROCK, rounds=2_500),
    _pairing("hard against normal", HARD, NORMAL),
    _pairing("hard against four of normal, five seats", HARD, *[NORMAL] * 4, rounds=2_500),
    _pairing("hard against easy", HARD, EASY),
    _pairing("normal against easy", NORMAL, EASY),
    _pairing("normal against always the minimum", NORMAL, MINIMUM, mark=None),
    _pairing("normal against plain pot odds", NORMAL, POT_ODDS, mark=None),
    _pairing("normal against a maniac (always the maximum)", NORMAL, MANIAC, mark=None),
    _pairing("normal against a rock (two pairs or better)", NORMAL, ROCK, mark=None),
)
