"""How strong players are: an estimate that each game corrects, by Weng and Lin for many players (Plackett-Luce). Pure.

Owns the scale, what house players of each level are worth, and who of a game was better than whom. Invariant: ratings
follow from the results in their order alone, so they can be reckoned anew at any time.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from openskill.models import PlackettLuce

from yawc_poker.engine.house import Level

LEAST_GAMES: Final = 10
"""Games before which a rating says nothing, and is not shown."""
ANCHORS: Final[Mapping[Level, float]] = {"easy": 20.0, "normal": 25.0, "hard": 30.0}
"""What house players are worth, on the model's own scale. They do not move, so years can be compared."""
_MODEL: Final = PlackettLuce()
_ANCHORED: Final = 1.0
"""How sure the anchors are."""
_ZERO: Final = 1000
_STEP: Final = 20
"""Points of the scale that people read: where the model begins at 25, they begin at 1500."""


class Rating(msgspec.Struct, frozen=True, array_like=True):
    """What is known of somebody's strength, on the model's own scale."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    games: int = 0

    @property
    def points(self) -> int:
        """The strength on the scale that people read."""
        return round(_ZERO + _STEP * self.mu)

    @property
    def error(self) -> int:
        """The standard error of `points`."""
        return round(_STEP * self.sigma)

    @property
    def is_shown(self) -> bool:
        """Whether there were games enough."""
        return self.games >= LEAST_GAMES


NEW: Final = Rating()
WINDOW: Final = 100
"""Points between two who are of about the same strength; more, as long as their errors together are larger."""


def distance(one: Rating, other: Rating) -> int | None:
    """Return by how many points two differ; None: too far to be of about the same strength."""
    found = abs(one.points - other.points)
    return found if found <= max(WINDOW, one.error + other.error) else None


class Result(msgspec.Struct, frozen=True, array_like=True):
    """How a game went for one player."""

    user: int
    rank: int
    """From 0, the best; equal ranks have drawn."""
    level: Level | None = None
    """A house player's; None: a person."""


def corrected(results: Sequence[Result], known: Mapping[int, Rating]) -> dict[int, Rating]:
    """Return the ratings behind a game of those people who played it, from those before it.

    Nobody's changes where fewer than two took part, or nobody but house players.
    """
    people = [one for one in results if one.level is None]
    if len(results) < 2 or not people:
        return {}
    before = [known.get(one.user, NEW) if one.level is None else Rating(ANCHORS[one.level]) for one in results]
    teams = [
        [_MODEL.rating(mu=rating.mu, sigma=rating.sigma if one.level is None else _ANCHORED)]
        for one, rating in zip(results, before, strict=True)
    ]
    after = _MODEL.rate(teams, ranks=[float(one.rank) for one in results])
    return {
        one.user: Rating(found.mu, found.sigma, rating.games + 1)
        for one, rating, (found,) in zip(results, before, after, strict=True)
        if one.level is None
    }
