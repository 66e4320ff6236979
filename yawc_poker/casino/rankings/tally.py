"""What somebody's games of one kind came to in a stretch of time, and how two stretches become one. Pure.

Owns the arithmetic. Invariant: `then` of the tallies of all days, in order, is the tally of all their games.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

Order = Literal["cubes", "won", "points", "run"]
ORDERS: Final[tuple[Order, ...]] = ("cubes", "won", "points", "run")
"""What a table of the rankings may be sorted by."""


class Tally(msgspec.Struct, frozen=True, array_like=True):
    """Games that were played to their end, in the order in which they ended."""

    games: int = 0
    won: int = 0
    cubes: int = 0
    """What the games brought, less what was paid into them, in whole CUBES."""
    points: int | None = None
    """None: no game that counts points."""
    head: int = 0
    """Games won in a row from the first one on."""
    tail: int = 0
    """Games won in a row up to the last one."""
    run: int = 0
    """The most games won in a row."""

    def then(self, later: "Tally") -> "Tally":
        """Return the tally of these games and of those that ended later."""
        return Tally(
            self.games + later.games,
            self.won + later.won,
            self.cubes + later.cubes,
            _sum(self.points, later.points),
            self.head if self.head < self.games else self.games + later.head,
            later.tail if later.tail < later.games else later.games + self.tail,
            max(self.run, later.run, self.tail + later.head),
        )

    def value(self, order: Order) -> int:
        """Return what a table in this order sorts by."""
        found: int | None = getattr(self, order)
        return found or 0


NONE: Final = Tally()


def of_game(*, won: bool, cubes: int, points: int | None) -> Tally:
    """Return the tally of one game."""
    row = int(won)
    return Tally(1, row, cubes, points, row, row, row)


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


class Place(msgspec.Struct, frozen=True):
    """A line of a table. Equal values have the same rank, which counts from 1."""

    rank: int
    user: int
    tally: Tally


def ranked(tallies: Mapping[int, Tally], order: Order, users: Iterable[int] | None = None) -> list[Place]:
    """Return the places of a table, best first: all whose value is above 0, or those of them who are in `users`."""
    chosen = tallies.keys() if users is None else tallies.keys() & set(users)
    values = {user: value for user in chosen if (value := tallies[user].value(order)) > 0}
    places: list[Place] = []
    for number, user in enumerate(sorted(values, key=lambda user: (-values[user], -tallies[user].won, user)), 1):
        same = bool(places) and tallies[places[-1].user].value(order) == values[user]
        places.append(Place(places[-1].rank if same else number, user, tallies[user]))
    return places
