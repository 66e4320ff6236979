"""Who sits with whom in a round: by the standings (Swiss system) or by the order of signing up. Pure.

Owns the sizes of tables and how repeated meetings are avoided. Invariants: everybody sits at one table or sits out; the
sizes differ by one at most; no exchange of two players would make fewer of them meet again.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Final

_NOBODY: Final = 0
"""No user has this number."""
Pair = tuple[int, int]
"""Two players, the lower number first."""
Met = Mapping[Pair, int]
"""How often two players have sat at one table."""


def sizes(players: int, least: int, most: int, *, filled: bool) -> list[int]:
    """Return the sizes of the tables for so many players, where a match takes `least` to `most`.

    `filled`: house players take the seats that are missing; otherwise some may have to sit out.
    """
    if not filled and least == most:
        players -= players % most
    tables = -(-players // most)
    return [players // tables + (table < players % tables) for table in range(tables)]


def met(tables: Iterable[Sequence[int]]) -> Counter[Pair]:
    """Return how often any two have sat at one of these tables together."""
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def drawn(order: Sequence[int], wanted: Sequence[int], before: Met, sat_out: Mapping[int, int]) -> list[list[int]]:
    """Return the tables of a round, of these sizes; who is at none of them sits out.

    `order` has the strongest first: they sit with each other as far as they have not met `before`. Those sit out who
    have `sat_out` least, the weakest of them.
    """
    spare = len(order) - sum(wanted)
    out = sorted(order, key=lambda one: (sat_out.get(one, 0), -order.index(one)))[:spare]
    left = [one for one in order if one not in out]
    tables: list[list[int]] = []
    for size in wanted:
        table = [left.pop(0)]
        while len(table) < size:
            nearest = min(left, key=lambda one: (_again(one, table, before), left.index(one)))
            left.remove(nearest)
            table.append(nearest)
        tables.append(table)
    while _exchanged(tables, before):
        pass
    return tables


def rotated(players: Sequence[int], turn: int) -> list[int]:
    """Return players in the order of a round of "everybody meets everybody": neighbours are pairs.

    One stays, the others move on in a circle; of an odd number it is nobody who stays, and who meets nobody comes last.
    """
    circle = [*players] if len(players) % 2 == 0 else [_NOBODY, *players]
    if len(circle) < 2:
        return circle
    by = turn % (len(circle) - 1)
    circle = [circle[0], *circle[1 + by :], *circle[1 : 1 + by]]
    half = len(circle) // 2
    pairs = list(zip(circle[:half], reversed(circle[half:]), strict=True))
    whole = [one for pair in pairs if _NOBODY not in pair for one in pair]
    return [*whole, *(one for pair in pairs if _NOBODY in pair for one in pair if one != _NOBODY)]


def _again(player: int, table: Iterable[int], before: Met) -> int:
    """Return how many meetings with those at a table would be repeated ones, each as often as it is one."""
    return sum(before.get((min(player, one), max(player, one)), 0) for one in table if one != player)


def _exchanged(tables: Sequence[list[int]], before: Met) -> bool:
    """Exchange two players at tables as near to each other as can be, so that fewer meet again; False: none do."""
    for apart in range(1, len(tables)):
        for upper in range(len(tables) - apart):
            one, other = tables[upper], tables[upper + apart]
            for here, there in product(range(len(one)), range(len(other))):
                was = _again(one[here], one, before) + _again(other[there], other, before)
                one[here], other[there] = other[there], one[here]
                if _again(one[here], one, before) + _again(other[there], other, before) < was:
                    return True
                one[here], other[there] = other[there], one[here]
    return False
