"""Who has lost and who has won a finished game of Mau-Mau (spec/maumau.md 7.3, M11, M16). Pure.

Owns the verdict on players, or on what a view shows of them. A player who leaves a running game has lost it, whatever
the points.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Ranked(Protocol):
    """What decides."""

    @property
    def total(self) -> int:
        """The points of all finished rounds."""

    @property
    def forfeited(self) -> bool:
        """Whether the player left while the game ran."""


RankedT = TypeVar("RankedT", bound=Ranked)


def losers(players: Sequence[RankedT]) -> tuple[RankedT, ...]:
    """Return those who lose a finished game: all who left it, else all with the most points."""
    most = max(one.total for one in players)
    return tuple(one for one in players if one.forfeited) or tuple(one for one in players if one.total == most)


def winners(players: Sequence[RankedT]) -> tuple[RankedT, ...]:
    """Return those who win a finished game: the fewest points among all who do not lose it."""
    lost = losers(players)
    least = min((one.total for one in players if one not in lost), default=0)
    return tuple(one for one in players if one not in lost and one.total == least)
