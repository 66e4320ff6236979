"""Matches between players of one game: the same deals for everybody, seats rotated; means with their errors.

Owns the counting. A game's module beside this one has its baselines and its `PAIRINGS`. The gains of one number belong
together, because they come from the same deals; so the standard error is that of the means of the numbers.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from typing import Final, NamedTuple

from yawc_poker.engine.game import ItemT

WIDTH: Final = 1.96
"""Standard errors from the mean to either end of the 95 % interval."""
PERCENT: Final = "%"
"""The unit of gains that are 1 for a round won and 0 for one lost."""
CHUNKS: Final = 16
"""Parts into which the work of each process is divided."""


class Pairing(NamedTuple):
    """A player under test against others."""

    name: str
    mark: float | None
    """The lower end of the 95 % interval must be at least this, or above it where it is 0; None: nothing to reach."""
    rounds: int
    """Games or rounds to be played; the numbers go from 0 until there are as many gains."""
    play: Callable[[int], tuple[float, ...]]
    """Play the deals of this number in all rotations and return the gains of the tested player, always as many.

    A function of a module, or a `functools.partial` of one: it is sent to other processes.
    """
    unit: str = "points"


class Habits(NamedTuple):
    """What players do too often, or not."""

    name: str
    deals: int
    players: Mapping[str, Callable[[int], Mapping[str, tuple[int, int]]]]
    """By player: returns by habit how often they had it in the games of a number, and could have."""
    most: Mapping[str, int]
    """By habit, how much of it the first player may have, in percent."""


class Result(NamedTuple):
    """The gains of the tested player."""

    games: int
    mean: float
    error: float
    """The standard error of the mean; 0 if there was only one number."""
    seconds: float

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.mean - WIDTH * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.mean + WIDTH * self.error


def play(pairing: Pairing, processes: int, rounds: int | None = None) -> Result:
    """Play a pairing in some processes; `rounds`: as many as that instead of its own."""
    began = time.monotonic()
    first = pairing.play(0)
    numbers = range(1, max(1, math.ceil((rounds or pairing.rounds) / len(first))))
    gains = [first, *_all(pairing.play, numbers, processes)]
    return _result(gains, time.monotonic() - began)


def _all(play: Callable[[int], ItemT], numbers: Sequence[int], processes: int) -> list[ItemT]:
    if processes == 1 or not numbers:
        return [play(number) for number in numbers]
    with get_context("fork").Pool(processes) as pool:
        return pool.map(play, numbers, chunksize=max(1, len(numbers) // (processes * CHUNKS)))


def _result(gains: Sequence[Sequence[float]], seconds: float) -> Result:
    means = [sum(one) / len(one) for one in gains]
    mean = sum(means) / len(means)
    spread = sum((one - mean) ** 2 for one in means) / max(1, len(means) - 1)
    return Result(sum(map(len, gains)), mean, math.sqrt(spread / len(means)), seconds)


def habits(asked: Habits, processes: int, deals: int | None = None) -> str:
    """Return the table of players' habits, in Markdown."""
    found = {player: Counter[str]() for player in asked.players}
    could = {player: Counter[str]() for player in asked.players}
    for player, counted in asked.players.items():
        for one in _all(counted, range(deals or asked.deals), processes):
            for name, (times, chances) in one.items():
                found[player][name] += times
                could[player][name] += chances
    rows = [f"| {asked.name} | {' | '.join(asked.players)} | mark |", "|---|" + "---|" * (1 + len(asked.players))]
    for name in dict.fromkeys(name for counts in could.values() for name in counts):
        shares = [_share(found[player][name], could[player][name]) for player in asked.players]
        mark = f"at most {asked.most[name]} %" if name in asked.most else "–"
        rows.append(f"| {name} | {' | '.join(shares)} | {mark} |")
    return "\n".join(rows)


def _share(times: int, chances: int) -> str:
    return f"{times} of {chances}, {100 * times / chances:.0f} %" if chances else "–"


# --- the table --------------------------------------------------------------------------------------------------------

HEAD: Final = (
    "| pairing | rounds | mean ± standard error | 95 % interval | mark | reached |",
    "|---|---|---|---|---|---|",
)


def row(pairing: Pairing, result: Result) -> str:
    """Return a line of the table, in Markdown."""
    mean = f"{_number(pairing, result.mean)} ± {_number(pairing, result.error, signed=False)}"
    interval = f"{_number(pairing, result.low)} to {_number(pairing, result.high)}"
    mark = "–" if pairing.mark is None else _mark(pairing, pairing.mark)
    cells = (pairing.name, f"{result.games:,}", f"{mean} {pairing.unit}", interval, mark, _reached(pairing, result))
    return f"| {' | '.join(cells)} |"


def _reached(pairing: Pairing, result: Result) -> str:
    if pairing.mark is None:
        return "–"
    return "yes" if result.low > pairing.mark or result.low == pairing.mark != 0 else "no"


def _mark(pairing: Pairing, mark: float) -> str:
    return "above 0" if mark == 0 else f"at least {_number(pairing, mark)}"


def _number(pairing: Pairing, value: float, signed: bool = True) -> str:
    """Return a number as the unit asks for: shares as percentages, gains with their sign."""
    if pairing.unit == PERCENT:
        return f"{100 * value:.1f}"
    return f"{value:+.2f}" if signed else f"{value:.2f}"
