"""Find the strategy by which poker's house players bet anew, and write it into its module.

    python -m benchmarks.poker_strategy [--rounds N] [--noise SHARE]

Two players, and three, play against themselves over and over, by counterfactual regret minimization: what would have
gained more is done more often from then on, and the average of all rounds is nearly an equilibrium. What may be bet
comes from the rules themselves; of the cards only their class counts, and its chances are counted from random deals.
Everybody errs now and then, so that there is an answer to errors, too. It takes a minute. Another strategy makes
another version of the house player (`HOUSE`).
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import mul
from pathlib import Path
from random import Random
from string import ascii_lowercase, digits
from textwrap import wrap
from typing import Final, NamedTuple

from yawc_poker.engine.game import Dealing
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.hands import sort_hand, strength
from yawc_poker.games.poker.model import Options, State, Swap
from yawc_poker.games.poker.player import strategy, swaps, tables
from yawc_poker.games.poker.player.situation import FOLD, LEAST, SIZES, Spot, read
from yawc_poker.games.poker.player.strategy import BASE

MODULE: Final = Path(strategy.__file__)
CASH: Final = 10_000
"""More than anybody can lose."""
HANDS: Final = 300_000
BEFORE: Final = range(tables.STRAIGHT_HOPE + 1)
AFTER: Final = range(len(tables.BEATEN))
TABLES: Final = ((2, SIZES, 1.0), (3, "lpm", 0.3))
"""Players, the bets that they compare, and how many of the rounds they play: more players have more to compare."""
LEAST_SHARE: Final = 0.04
"""What is done more seldom is not done at all."""
RNG: Final = Random(0)
DIGITS: Final = (digits + ascii_lowercase)[:BASE]

Row = list[float]
"""A number for each class."""


# --- cards ------------------------------------------------------------------------------------------------------------


class Odds(NamedTuple):
    """How often the classes are."""

    shares: Row
    """By class before the change."""
    becomes: list[Row]
    """By class before the change: the chances of each class after it."""

    @property
    def made(self) -> Row:
        """By class after the change: its share."""
        return [sum(map(mul, self.shares, column)) for column in zip(*self.becomes, strict=True)]


def counted(hands: int) -> Odds:
    """Return the shares of random hands, whose cards are changed by the thumb."""
    rng = Random("hands")
    found = [Counter[int]() for _ in BEFORE]
    for _ in range(hands):
        drawn = rng.sample(swaps.DECK, 8)
        hand = sort_hand(tuple(drawn[:5]))
        places = swaps.thumb(hand)
        kept = [card for place, card in enumerate(hand) if place not in places]
        found[tables.before(hand)][tables.after(strength((*kept, *drawn[5 : 5 + len(places)])))] += 1
    totals = [one.total() for one in found]
    becomes = [[one[at] / total for at in AFTER] for one, total in zip(found, totals, strict=True)]
    return Odds([one / hands for one in totals], becomes)


# --- the tree of bets -------------------------------------------------------------------------------------------------


class End(NamedTuple):
    """Nobody has to decide any more."""

    pot: int
    paid: tuple[int, ...]
    active: tuple[int, ...]


class Change(NamedTuple):
    """All change their cards."""

    then: "Node"


class Turn(NamedTuple):
    """Somebody has to bet."""

    seat: int
    spot: str
    actions: str
    then: tuple["Node", ...]


Node = End | Change | Turn


def tree(state: State, sizes: str) -> Node:
    """Return all that may follow, by the rules."""
    active, seat = tuple([seat for seat in range(rules.SEATS) if rules.competes(state, seat)]), rules.to_move(state)
    if seat is None or state.phase == "showdown" or len(active) == 1:
        return End(state.pot, tuple([CASH - cash for cash in state.cash]), active)
    if state.phase == "swap":
        for changing in active:
            state = rules.play(state, changing, Swap(), RNG).state
        return Change(tree(state, sizes))
    spot = read(rules.view(state, seat))
    actions = _actions(spot, sizes)
    steps = [rules.play(state, seat, spot.move(action), RNG).state for action in actions]
    return Turn(seat, spot.key, actions, tuple([tree(step, sizes) for step in steps]))


def _actions(spot: Spot, sizes: str) -> str:
    """Return the actions that are compared: bets that differ by a quarter; in the second round of bets it ends."""
    found, last = FOLD + LEAST, spot.low
    if spot.stage < 2 and not (spot.seen and not spot.to_come):
        for size in sizes[1:]:
            if 4 * spot.amount(size) >= 5 * last and spot.amount(size) > last:
                found, last = found + size, spot.amount(size)
    elif spot.to_come and spot.high > spot.low:
        found += "m"
    if spot.stage == 1 and spot.to_come and not spot.seen:
        found += "L" + ("P" if "p" in found else "")
    return found


def begun(seats: int) -> State:
    """Return a game before its first bet."""
    deck = Dealing(" ".join(rules.DECK))
    return rules.deal(dict.fromkeys(range(seats), CASH), 0, deck, Options()).state


# --- regrets ----------------------------------------------------------------------------------------------------------


class Solver:
    """Players that learn from what they should have done."""

    def __init__(self, seats: int, sizes: str, odds: Odds, noise: float) -> None:
        self._seats = seats
        self._odds = odds
        self._noise = noise
        self._columns = list(zip(*odds.becomes, strict=True))
        self._tree = tree(begun(seats), sizes)
        self._regrets: dict[tuple[str, str], list[Row]] = {}
        self._now: dict[tuple[str, str], list[Row]] = {}
        self.average: dict[tuple[str, str], list[Row]] = {}
        self._weight = 0.0
        self._best = False

    def learn(self, rounds: int) -> None:
        """Play so many rounds against themselves."""
        for number in range(rounds):
            self._weight = float(number + 1)
            for seat in range(self._seats):
                before = {name: [list(row) for row in rows] for name, rows in self._regrets.items()}
                self._now = {name: self._chosen(rows) for name, rows in before.items()}
                self._walk(self._tree, seat, [self._odds.shares] * self._seats)
                for rows in self._regrets.values():
                    rows[:] = [[max(0.0, one) for one in row] for row in rows]

    def values(self, best: bool) -> list[float]:
        """Return by seat what the average strategy gains; `best`: what the best answer to it does."""
        self._now = {name: self._shares(rows) for name, rows in self.average.items()}
        self._weight, self._best = 0.0, best
        walks = [self._walk(self._tree, seat, [self._odds.shares] * self._seats) for seat in range(self._seats)]
        self._best = False
        return [sum(map(mul, self._odds.shares, walk)) for walk in walks]

    def _chosen(self, regrets: list[Row]) -> list[Row]:
        return self._erring(self._shares(regrets))

    def _shares(self, rows: list[Row]) -> list[Row]:
        """Return rows of chances in these proportions, class by class; where there are none, all alike."""
        totals = list(map(sum, zip(*rows, strict=True)))
        even = 1 / len(rows)
        return [[one / total if total > 0 else even for one, total in zip(row, totals, strict=True)] for row in rows]

    def _erring(self, rows: list[Row]) -> list[Row]:
        """Return these chances with some errors among them, half of them the least bet."""
        many = len(rows)
        errors = [self._noise * (0.5 * (place == 1) + 0.5 / many) for place in range(many)]
        return [[(1 - self._noise) * one + error for one in row] for row, error in zip(rows, errors, strict=True)]

    def _walk(self, node: Node, seat: int, reach: list[Row]) -> Row:
        """Return by class what a seat gains from here, times the chance that the others come here."""
        match node:
            case End():
                return _gained(node, seat, reach)
            case Change():
                after = [[sum(map(mul, row, column)) for column in self._columns] for row in reach]
                found = self._walk(node.then, seat, after)
                return [sum(map(mul, row, found)) for row in self._odds.becomes]
            case Turn():
                return self._turn(node, seat, reach)

    def _turn(self, node: Turn, seat: int, reach: list[Row]) -> Row:
        name = node.spot, node.actions
        now = self._now.get(name)
        if now is None:
            now = self._now[name] = self._chosen([[0.0] * len(reach[0])] * len(node.actions))
        walks = []
        for action, chances, then in zip(node.actions, now, node.then, strict=True):
            if action == FOLD and node.seat == seat:
                walks.append(_lost(_paid(then, seat), seat, reach))
                continue
            mine = list(map(mul, reach[node.seat], chances))
            walks.append(self._walk(then, seat, [*reach[: node.seat], mine, *reach[node.seat + 1 :]]))
        if node.seat != seat:
            return list(map(sum, zip(*walks, strict=True)))
        if self._best:
            return list(map(max, zip(*walks, strict=True)))
        found = [
            sum(map(mul, column, many))
            for column, many in zip(zip(*walks, strict=True), zip(*now, strict=True), strict=True)
        ]
        if self._weight:
            self._note(name, reach[seat], now, walks, found)
        return found

    def _note(self, name: tuple[str, str], reach: Row, now: list[Row], walks: list[Row], found: Row) -> None:
        """Add what each action would have gained, and how often it was taken."""
        nothing = [[0.0] * len(found) for _ in now]
        regrets = self._regrets.setdefault(name, nothing)
        average = self.average.setdefault(name, [list(row) for row in nothing])
        weights = [self._weight * one for one in reach]
        for place, walk in enumerate(walks):
            regrets[place] = [old + one - mean for old, one, mean in zip(regrets[place], walk, found, strict=True)]
            average[place] = [
                old + one * part for old, one, part in zip(average[place], weights, now[place], strict=True)
            ]

    def strategy(self) -> dict[str, dict[str, Row]]:
        """Return by spot and action the chances by class, without errors."""
        found: dict[str, dict[str, Row]] = {}
        for (spot, actions), rows in sorted(self.average.items()):
            known = found.setdefault(spot, {})
            for action, row in zip(actions, rows, strict=True):
                known[action] = list(map(sum, zip(row, known.get(action, [0.0] * len(row)), strict=True)))
        return {spot: self._without_errors(rows) for spot, rows in found.items()}

    def _without_errors(self, rows: Mapping[str, Row]) -> dict[str, Row]:
        shares = self._shares(list(rows.values()))
        pure = [
            [max(0.0, one - LEAST_SHARE - self._noise / 2 * (action == LEAST)) and one for one in row]
            for action, row in zip(rows, shares, strict=True)
        ]
        return dict(zip(rows, self._shares(pure), strict=True))


def _paid(node: Node, seat: int) -> int:
    """Return what somebody who has just passed has paid."""
    while not isinstance(node, End):
        node = node.then if isinstance(node, Change) else node.then[0]
    return node.paid[seat]


def _lost(paid: int, seat: int, reach: Sequence[Row]) -> Row:
    chance = 1.0
    for other, row in enumerate(reach):
        chance *= 1.0 if other == seat else sum(row)
    return [-paid * chance] * len(reach[seat])


def _gained(end: End, seat: int, reach: Sequence[Row]) -> Row:
    """Return by class what a seat gains at the end, times the chance that the others come here."""
    chance, beaten = 1.0, [1.0] * len(reach[seat])
    for other, row in enumerate(reach):
        if other == seat:
            continue
        total = sum(row)
        chance *= total
        if other in end.active:
            below = 0.0
            for at, one in enumerate(row):
                beaten[at] *= below + one / 2
                below += one
        else:
            beaten = [one * total for one in beaten]
    if seat not in end.active:
        return [-end.paid[seat] * chance] * len(beaten)
    return [end.pot * one - end.paid[seat] * chance for one in beaten]


# --- the module -------------------------------------------------------------------------------------------------------


def told(rows: Mapping[str, Row]) -> dict[str, str]:
    """Return the actions that are taken, their chances as digits that add up to the same for every class."""
    whole = len(DIGITS) - 1
    columns = []
    for column in zip(*rows.values(), strict=True):
        exact = [whole * one for one in column]
        found = [int(one) for one in exact]
        for place in sorted(range(len(exact)), key=lambda at: found[at] - exact[at])[: whole - sum(found)]:
            found[place] += 1
        columns.append(found)
    lines = ["".join([DIGITS[one] for one in row]) for row in zip(*columns, strict=True)]
    return {action: line for action, line in zip(rows, lines, strict=True) if line.strip(DIGITS[0])}


def written(odds: Odds, hopes: Sequence[float], found: Mapping[str, Mapping[str, Row]]) -> Iterator[str]:
    """Yield the lines of the module's figures."""
    for name, figures, meaning in (
        ("MADE", odds.made, "By class after the change: its share of all hands."),
        ("HOPED", hopes, "By class before the change: the chance against one hand of which nothing is known."),
    ):
        yield f"{name}: Final = ("
        yield from _lines([f"{one:.4f}," for one in figures])
        yield f')\n"""{meaning}"""'
    yield "# fmt: on"
    yield 'STRATEGY: Final = read("""'
    for spot, rows in sorted(found.items()):
        yield from _lines([spot, *[action + row for action, row in told(rows).items()]], indent="")
    yield '""")\n"""By spot (`Spot.key`)."""'


def _lines(words: Sequence[str], indent: str = "    ") -> list[str]:
    return wrap(" ".join(words), 118, initial_indent=indent, subsequent_indent="    ")


def main() -> None:
    """Solve both kinds of tables and write the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000, help="of two players")
    parser.add_argument("--noise", type=float, default=0.06, help="how often everybody errs")
    options = parser.parse_args()
    odds = counted(HANDS)
    beaten = [sum(odds.made[:at]) + one / 2 for at, one in enumerate(odds.made)]
    hopes = [sum(map(mul, row, beaten)) for row in odds.becomes]
    found: dict[str, dict[str, Row]] = {}
    for seats, sizes, part in TABLES:
        solver = Solver(seats, sizes, odds, options.noise)
        solver.learn(round(part * options.rounds))
        gains, best = (" ".join([f"{one:+.2f}" for one in solver.values(is_best)]) for is_best in (False, True))
        print(f"{seats} players: gains by seat {gains}; of the best answer in each {best}", flush=True)
        found |= {spot: rows for spot, rows in solver.strategy().items() if spot[0] == str(seats - 1)}
    head, mark, _ = MODULE.read_text().partition("MADE: ")
    assert mark
    MODULE.write_text(head + "\n".join(written(odds, hopes, found)) + "\n")


if __name__ == "__main__":
    main()
