"""Poker with chips: what a hand is played for, what everybody has after it, who sits where next, and the places. Pure.

A round is one hand at each table. Everybody begins with `START` chips; the ante rises by steps of some hands, and
whoever has no chips left is out. Tables are merged as players go. Invariant: a hand creates no chips and loses none,
whether it was played or not. Places go by the order of going out; of those who go out in the same hand, whoever had
more chips before it is better, and with equal chips they are level.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.engine.replay import Contradiction, replay
from yawc_poker.engine.table import split
from yawc_poker.engine.transcript import Dealt
from yawc_poker.extras.tournaments.standings import Played, Standing
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Options, Stack

START: Final = 1000
"""Chips that everybody begins with."""
ANTE: Final = 10
"""The first ante in chips; each step doubles it."""
MOST_BET: Final = 20
"""Antes that a bet may be at most."""
_STEPS: Final = 40
"""After so many steps the ante is more than all chips, and stays."""

Stacks = Mapping[int, int]
"""Chips by user."""


def options(number: int, length: int, stacks: Stacks) -> Options:
    """Return the options of a hand with this number, from 1, where the ante rises every `length` hands."""
    ante = ANTE << min((number - 1) // length, _STEPS)
    return Options(ante, MOST_BET * ante, tuple(Stack(user, chips) for user, chips in sorted(stacks.items())))


def after(game: PastGame, wanted: Options) -> dict[int, int] | None:
    """Return the chips of everybody after a game that is closed; None: it was not the hand by the `wanted` options.

    They follow from the deal and the moves, played again by the rules.
    """
    try:
        dealt = msgspec.json.decode(game.actions[0].detail, type=Dealt)
        found = rules.read_options(bytes(dealt.options).decode())
        if (found.ante, found.max_bet, _by_user(found)) != (wanted.ante, wanted.max_bet, _by_user(wanted)):
            return None
        *_, (_, last) = replay(rules, game.dealing(), game.actions)
    except (IndexError, ValueError, Contradiction):  # `msgspec.DecodeError` is a `ValueError`
        return None
    return dict(rules.after(last.state)) if rules.is_over(last.state) else None


def _by_user(options: Options) -> Stacks:
    return {stack.user: stack.chips for stack in options.chips if stack.chips}


def unplayed(wanted: Options, there: Collection[int]) -> dict[int, int]:
    """Return the chips after a hand that could not be played: who is there gets the antes of those who are not."""
    stacks = dict(_by_user(wanted))
    present = [user for user in stacks if user in there]
    if not present:
        return stacks
    paid = {user: min(wanted.ante, chips) for user, chips in stacks.items() if user not in there}
    got = split(sum(paid.values()), dict.fromkeys(present, 1))
    return {user: chips - paid.get(user, 0) + got.get(user, 0) for user, chips in stacks.items()}


def merged(tables: Iterable[Sequence[int]], most: int) -> list[list[int]]:
    """Return the tables of the next hand: as few as hold everybody, and sizes that differ by one at most.

    The smallest tables are broken up; nobody else moves but to make tables equal.
    """
    left = sorted(([*table] for table in tables if table), key=len, reverse=True)
    while sum(map(len, left)) <= most * (len(left) - 1):
        for player in left.pop():
            min(left, key=len).append(player)
        left.sort(key=len, reverse=True)
    while left and len(max(left, key=len)) - len(min(left, key=len)) > 1:
        min(left, key=len).append(max(left, key=len).pop())
    return left


def stacks_of(entrants: Iterable[int], played: Iterable[Played], number: int) -> dict[int, int]:
    """Return the chips of those who are still in before a hand."""
    if number == 1:
        return dict.fromkeys(entrants, START)
    there = set(entrants)
    return {one.user: one.points for one in played if one.round == number - 1 and one.points and one.user in there}


def standings(entrants: Sequence[int], played: Iterable[Played]) -> list[Standing]:
    """Return everybody's place by what was played, the best first; those who are level in the order of signing up."""
    last: dict[int, Played] = {}
    before = dict.fromkeys(entrants, START)
    for one in sorted(played, key=lambda one: one.round):
        if one.user in last:
            before[one.user] = last[one.user].points
        last[one.user] = one
    reached: dict[int, tuple[int, int, int]] = {}
    for user in entrants:
        ended = last.get(user)
        chips = before[user] if ended is None else ended.points
        reached[user] = (chips, 0, 0) if chips or ended is None else (0, ended.round, before[user])
    order = sorted(entrants, key=lambda user: reached[user], reverse=True)
    found: list[Standing] = []
    for place, user in enumerate(order, 1):
        is_level = bool(found) and reached[user] == reached[found[-1].user]
        rank = found[-1].rank if is_level else place
        found.append(Standing(user, rank, reached[user][0], 0, 0, reached[user][1]))
    return found
