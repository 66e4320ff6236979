"""The losers and winners of a finished game of Mau-Mau (spec/maumau.md 7.3, M11, M16). Pure.

Owns the verdict, on players or on their views. A player who leaves a running game has lost it, regardless of points.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Ranked(Protocol):
    """The properties that decide."""

    @property
    def total(self) -> int:
        """The points of all finished rounds."""

    @property
    def forfeited(self) -> bool:
        """Whether the player left while the game ran."""


RankedT = TypeVar("RankedT", bound=Ranked)


def losers(players: Sequence[RankedT]) -> tuple[RankedT, ...]:
    """Return the losers of a finished game: all who left it, and of two or more who stayed all with the most points."""
    stayed = [one.total for one in players if not one.forfeited]
    most = max(stayed) if len(stayed) > 1 else None
    return tuple(one for one in players if one.forfeited or one.total == most)


def winners(players: Sequence[RankedT]) -> tuple[RankedT, ...]:
    """Return the winners of a finished game: those with the fewest points among all who did not lose."""
    lost = losers(players)
    least = min((one.total for one in players if one not in lost), default=0)
    return tuple(one for one in players if one not in lost and one.total == least)
