"""What people and house players win of each other in one game, and what of it goes back when it is over. Pure.

Owns for how much a house player plays, by its level; who plays for fun with house players; and how the result of a game
is shared out between each two players. The bank keeps what was won on a day, and moves what goes back. Invariants:
nobody gets back more than they lost in the game, nor gives back more than they won; what people win of each other, and
house players of each other, stays as the rules have it.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.house import Level, read_program

STAKES: Final[Mapping[Level, int | None]] = {"easy": 1, "normal": None, "hard": None}
"""What a house player and a person win of each other at most in one game, in antes, or None for no limit."""
PURSE: Final = 100
"""Antes that the house fills a house player's purse up to."""
LEAST: Final = 20
"""Antes: with less a house player borrows before a game."""
EVERYBODY: Final = "all"
"""Whose account is kept of what all people win together."""


class Person(msgspec.Struct, frozen=True, array_like=True):
    """A person in a game with house players that is played for CUBES."""

    user: int
    network: str
    """That they call from; it has a share of its own."""
    for_fun: bool = False
    """They have won today's share: with house players they play for fun."""

    @property
    def shares(self) -> tuple[str, ...]:
        """Whose shares they win of: their own, their network's, everybody's."""
        return (f"user {self.user}", f"network {self.network}", EVERYBODY)


class HousePart(msgspec.Struct, frozen=True, array_like=True):
    """A house player in such a game."""

    user: int
    most: int | None
    """CUBES that it and a person win of each other at most, or None for no limit."""


class AgainstHouse(msgspec.Struct, frozen=True, array_like=True):
    """Who plays in such a game, from its deal on."""

    people: tuple[Person, ...] = ()
    house: tuple[HousePart, ...] = ()
    day: int = 0
    """Since the epoch, of the deal: what is won counts for it."""

    @property
    def users(self) -> tuple[int, ...]:
        """All of them."""
        return (*[one.user for one in self.people], *[one.user for one in self.house])


NOBODY: Final = AgainstHouse()
"""A game without house players, or without people, or for no CUBES."""


class Reckoned(msgspec.Struct, frozen=True):
    """The result of a game between people and house players."""

    back: Mapping[int, int]
    """What goes back, by user: what they get, or below zero what they give."""
    won: Mapping[str, int]
    """What is to be added to what was won of each share (`Person.shares`); below zero: lost."""


def part_of(user: int, program: str, ante: int) -> HousePart:
    """Return the part of a house player with a program, where a game takes so many CUBES at least."""
    named = read_program(program)
    antes = None if named is None else STAKES[named[0]]
    return HousePart(user, None if antes is None else antes * ante)


def agreed(game: AgainstHouse, used_up: AbstractSet[str], day: int) -> AgainstHouse:
    """Return who plays for fun, since a share of theirs is used up on this day."""
    people = tuple(replace(one, for_fun=not used_up.isdisjoint(one.shares)) for one in game.people)
    return replace(game, people=people, day=day)


def reckon(game: AgainstHouse, net: Mapping[int, int], left: Mapping[str, int]) -> Reckoned:
    """Return what goes back after a game, by what everybody won or lost in it, and what is left of each share."""
    parts, people = {one.user: one for one in game.house}, {one.user: one for one in game.people}
    room, back, won = dict(left), dict[int, int](), dict[str, int]()
    for loser, winner, cubes in _between(net):
        person, part = people.get(winner) or people.get(loser), parts.get(winner) or parts.get(loser)
        if person is None or part is None:
            continue
        wins = person.user == winner
        stays = 0 if person.for_fun else cubes if part.most is None else min(cubes, part.most)
        if wins:
            stays = max(0, min([stays, *[room[share] for share in person.shares]]))
        for share in person.shares:
            room[share] -= stays if wins else -stays
            won[share] = won.get(share, 0) + (stays if wins else -stays)
        back[loser] = back.get(loser, 0) + cubes - stays
        back[winner] = back.get(winner, 0) - cubes + stays
    return Reckoned({user: cubes for user, cubes in back.items() if cubes}, won)


def _between(net: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
    """Yield loser, winner and CUBES: what each loser has lost, shared out by what the winners have won.

    What is left of fractions goes from the first of those who lost more to the first of those who won more.
    """
    lost = {user: -cubes for user, cubes in net.items() if cubes < 0}
    won = {user: cubes for user, cubes in net.items() if cubes > 0}
    whole = max(sum(lost.values()), sum(won.values()))
    parts = {(loser, winner): lost[loser] * won[winner] // whole for loser in lost for winner in won}
    for (loser, winner), cubes in parts.items():
        lost[loser] -= cubes
        won[winner] -= cubes
    for (loser, winner), cubes in parts.items():
        rest = min(lost[loser], won[winner])
        lost[loser] -= rest
        won[winner] -= rest
        yield loser, winner, cubes + rest
