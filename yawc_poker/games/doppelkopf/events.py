"""Doppelkopf's events: what the table is told. Values only.

`seat` is the person whom an event is about, and None where that person has left; `place` stays.
"""

from typing import Literal

import msgspec

from yawc_poker.cards import Card
from yawc_poker.engine.game import AboutNobody, AboutSeat
from yawc_poker.games.doppelkopf.model import Kind, Level, Result, Team

WhyOver = Literal["rounds", "stopped", "left"]


class AboutPlace(msgspec.Struct, frozen=True, tag=True):
    """An event about the player who was dealt into a place."""

    seat: int | None
    place: int


class RoundBegins(AboutPlace, frozen=True):
    """A round was dealt; `seat` has dealt it."""

    round: int
    rounds: int


class HandDealt(AboutPlace, frozen=True):
    """A player has got the cards of a round."""

    cards: tuple[Card, ...] | None = None
    """In the order in which they were dealt; None: somebody else's."""


class SoloForced(AboutPlace, frozen=True):
    """No reservations are asked for: this player must name and lead their compulsory solo."""


class Spoke(AboutPlace, frozen=True, omit_defaults=True):
    """Somebody said whether they have a reservation."""

    reservation: bool
    by_clock: bool = False
    """The time was over, or the player is gone: the move was made by itself."""


class Named(AboutPlace, frozen=True, omit_defaults=True):
    """Somebody named a solo, or a wedding."""

    kind: Kind
    by_clock: bool = False


class GameFixed(msgspec.Struct, frozen=True, tag=True):
    """The reservations are over; `place` plays the solo or has the wedding, if anybody."""

    seat: int | None
    place: int | None
    kind: Kind
    compulsory: bool
    leader: int


class Played(AboutPlace, frozen=True, omit_defaults=True):
    """A card was played."""

    card: Card
    by_clock: bool = False


class TrickTaken(AboutPlace, frozen=True):
    """A trick is complete, and taken by `place`."""

    number: int
    eyes: int


class Clarified(AboutPlace, frozen=True):
    """A wedding is clear: `place` is the partner, or the bride herself where she plays alone."""

    alone: bool


class Called(AboutPlace, frozen=True):
    """Somebody called; it shows their team."""

    team: Team
    level: Level


class RoundOver(AboutNobody, frozen=True):
    """A round was scored, line by line; nobody may have won it."""

    result: Result


class Scored(AboutPlace, frozen=True):
    """What a round came to for this player."""

    points: int
    total: int


class Answered(AboutPlace, frozen=True, omit_defaults=True):
    """Somebody said whether to go on."""

    yes: bool
    by_clock: bool = False


class Abandoned(AboutSeat, frozen=True):
    """A player has left the running match; the place is played on until the round is scored."""

    place: int


class MatchOver(AboutNobody, frozen=True):
    """The match has ended: after its last round, by a "no", or because somebody left."""

    reason: WhyOver
    rounds: int
    """Rounds that were scored."""


class Won(AboutPlace, frozen=True):
    """This player has the most points at the end. One event for each of several."""

    points: int


class Settled(AboutPlace, frozen=True):
    """What the match came to for this player in CUBES; below zero: they pay."""

    cubes: int


Event = (
    RoundBegins
    | HandDealt
    | SoloForced
    | Spoke
    | Named
    | GameFixed
    | Played
    | TrickTaken
    | Clarified
    | Called
    | RoundOver
    | Scored
    | Answered
    | Abandoned
    | MatchOver
    | Won
    | Settled
)
