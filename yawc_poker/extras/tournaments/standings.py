"""Points of matches, standings with their tie-breaks, and prizes. Pure.

A match brings up to `WIN` points: the share of the others at the table whom one left behind, those level with one by
half. So tables of different sizes, and games of different scores, count alike. The order of the standings:

1. the points of all matches;
2. the opposition: the points that all those have whom one met, once for each meeting;
3. the matches won alone.

Who is level in all three shares a place, and the prizes of the places together.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import lcm
from typing import Final

import msgspec

from yawc_poker.engine.table import split

WIN: Final = 120
"""Points of a match that was won: any share of up to six others is a whole number."""
PLACES: Final = ((8, (5, 3, 2)), (4, (2, 1)), (0, (1,)))
"""From how many entrants on the places get prizes, and in which proportion."""


class Played(msgspec.Struct, frozen=True, array_like=True):
    """What somebody made of a match, or of a round in which they sat out."""

    round: int
    board: int
    """The table's number in the round; 0: they sat out."""
    user: int
    points: int


class Standing(msgspec.Struct, frozen=True):
    """Somebody's place."""

    user: int
    rank: int
    """From 1."""
    points: int
    opposition: int
    won: int
    out: int = 0
    """At poker the hand in which their last chips went; 0: they are in. Their points are their chips."""


def points_of(ranks: Mapping[int, int]) -> dict[int, int]:
    """Return the points of everybody at a table, by their ranks in its match: 0 is the best, equal ones are level.

    Who was alone there has half of what can be had, as whoever sits out.
    """
    if len(ranks) == 1:
        return dict.fromkeys(ranks, WIN // 2)
    others = len(ranks) - 1
    return {
        one: sum(WIN * ((rank < other) + (rank <= other)) for who, other in ranks.items() if who != one) // (2 * others)
        for one, rank in ranks.items()
    }


def standings(entrants: Iterable[int], played: Sequence[Played]) -> list[Standing]:
    """Return everybody's place by what was played, the best first; those who are level in the order of signing up."""
    numbers = {user: number for number, user in enumerate(entrants)}
    points, won, opposition = defaultdict[int, int](int), defaultdict[int, int](int), defaultdict[int, int](int)
    tables = defaultdict[tuple[int, int], list[int]](list)
    for one in played:
        points[one.user] += one.points
        won[one.user] += one.board > 0 and one.points == WIN
        if one.board:
            tables[one.round, one.board].append(one.user)
    for table in tables.values():
        whole = sum(points[user] for user in table)
        for user in table:
            opposition[user] += whole - points[user]
    order = sorted(numbers, key=lambda user: (-points[user], -opposition[user], -won[user], numbers[user]))
    found: list[Standing] = []
    for place, user in enumerate(order, 1):
        reached = (points[user], opposition[user], won[user])
        is_level = bool(found) and reached == (found[-1].points, found[-1].opposition, found[-1].won)
        found.append(Standing(user, found[-1].rank if is_level else place, *reached))
    return found


def prizes(pot: int, order: Sequence[Standing]) -> dict[int, int]:
    """Return the prizes by user, the best first; together they are the whole pot.

    What cannot be divided goes one CUBE each to the first.
    """
    if not order:
        return {}
    weights = next(weights for least, weights in PLACES if len(order) >= least)
    level = defaultdict[int, list[int]](list)
    for one in order:
        level[one.rank].append(one.user)
    whole = lcm(*map(len, level.values()))
    shares = {
        user: sum(weights[rank - 1 : rank - 1 + len(users)]) * whole // len(users)
        for rank, users in level.items()
        for user in users
    }
    return {user: cubes for user, cubes in split(pot, shares).items() if cubes}
