"""Doppelkopf's events: what the table is told. Values only.

`seat` is the person whom an event is about, and None where that person has left; `place` stays.
"""

from typing import Literal

import msgspec

from yawc_poker.cards import Card
from yawc_poker.games.doppelkopf.model import Kind, Level, Result, Team

WhyOver = Literal["rounds", "stopped", "left"]


class RoundBegins(msgspec.Struct, frozen=True, tag=True):
    """A round was dealt; `seat` has dealt it."""

    seat: int | None
    place: int
    round: int
    rounds: int


class HandDealt(msgspec.Struct, frozen=True, tag=True):
    """A player has got the cards of a round."""

    seat: int | None
    place: int
    cards: tuple[Card, ...] | None = None
    """In the order in which they were dealt; None: somebody else's."""


class SoloForced(msgspec.Struct, frozen=True, tag=True):
    """No reservations are asked for: this player must name and lead their compulsory solo."""

    seat: int | None
    place: int


class Spoke(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Somebody said whether they have a reservation."""

    seat: int | None
    place: int
    reservation: bool
    by_clock: bool = False
    """The time was over, or the player is gone: the move was made by itself."""


class Named(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Somebody named a solo, or a wedding."""

    seat: int | None
    place: int
    kind: Kind
    by_clock: bool = False


class GameFixed(msgspec.Struct, frozen=True, tag=True):
    """The reservations are over; `place` plays the solo or has the wedding, if anybody."""

    seat: int | None
    place: int | None
    kind: Kind
    compulsory: bool
    leader: int


class Played(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A card was played."""

    seat: int | None
    place: int
    card: Card
    by_clock: bool = False


class TrickTaken(msgspec.Struct, frozen=True, tag=True):
    """A trick is complete, and taken by `place`."""

    seat: int | None
    place: int
    number: int
    eyes: int


class Clarified(msgspec.Struct, frozen=True, tag=True):
    """A wedding is clear: `place` is the partner, or the bride herself where she plays alone."""

    seat: int | None
    place: int
    alone: bool


class Called(msgspec.Struct, frozen=True, tag=True):
    """Somebody called; it shows their team."""

    seat: int | None
    place: int
    team: Team
    level: Level


class RoundOver(msgspec.Struct, frozen=True, tag=True):
    """A round was scored, line by line; nobody may have won it."""

    result: Result
    seat: None = None


class Scored(msgspec.Struct, frozen=True, tag=True):
    """What a round came to for this player."""

    seat: int | None
    place: int
    points: int
    total: int


class Answered(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Somebody said whether to go on."""

    seat: int | None
    place: int
    yes: bool
    by_clock: bool = False


class Abandoned(msgspec.Struct, frozen=True, tag=True):
    """A player has left the running match; the place is played on until the round is scored."""

    seat: int
    place: int


class MatchOver(msgspec.Struct, frozen=True, tag=True):
    """The match has ended: after its last round, by a "no", or because somebody left."""

    reason: WhyOver
    rounds: int
    """Rounds that were scored."""
    seat: None = None


class Won(msgspec.Struct, frozen=True, tag=True):
    """This player has the most points at the end. One event for each of several."""

    seat: int | None
    place: int
    points: int


class Settled(msgspec.Struct, frozen=True, tag=True):
    """What the match came to for this player in CUBES; below zero: they pay."""

    seat: int | None
    place: int
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
