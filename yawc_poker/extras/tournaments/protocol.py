"""What `yawcctl tournament` asks of a running BBS, and the answers. Pure."""

from typing import Annotated

import msgspec
from msgspec import Meta

from yawc_poker.control.protocol import Request

MOST_ROUNDS = 20
MOST_ENTRY = 10**6
LATEST = 4102444800
"""The year 2100, in epoch seconds."""
NAME = 30
"""Characters of a tournament's name."""


class ListTournaments(Request, frozen=True):
    """The tournaments that are open or running, and the last ones that are over."""

    word = "tournaments"
    limit: Annotated[int, Meta(ge=0, le=1000)] = 10
    """Of those that are over."""


class ShowTournament(Request, frozen=True):
    """A tournament with its standings."""

    word = "tournament"
    number: Annotated[int, Meta(ge=1)]


class CallTournament(Request, frozen=True):
    """A new tournament."""

    word = "tournament-new"
    kind: str
    starts: Annotated[float, Meta(ge=0, le=LATEST)]
    """Epoch seconds."""
    name: Annotated[str, Meta(max_length=NAME)] = ""
    every: Annotated[int, Meta(ge=0, le=366)] = 0
    """Days until the next one; 0: there is none."""
    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 3
    """At poker as many as it takes."""
    length: Annotated[int, Meta(ge=0, le=1000)] = 0
    """Of a match; 0: as usual."""
    entry: Annotated[int, Meta(ge=0, le=MOST_ENTRY)] = 0
    swiss: bool = True


class BeginTournament(Request, frozen=True):
    """A tournament that begins now."""

    word = "tournament-begin"
    number: Annotated[int, Meta(ge=1)]


class CallOffTournament(Request, frozen=True):
    """A tournament that does not take place, or ends without prizes: all fees go back."""

    word = "tournament-off"
    number: Annotated[int, Meta(ge=1)]


class TournamentRow(msgspec.Struct, frozen=True):
    """A tournament."""

    number: int
    kind: str
    name: str
    host: str
    """The user who called it; empty: a sysop."""
    starts: float
    every: int
    rounds: int
    """0: at poker, as many as it takes; a round is a hand."""
    length: int
    entry: int
    swiss: bool
    state: str
    """open, running, over, off."""
    round: int
    entrants: int
    fees: int
    """What the house holds of them."""


class PlaceRow(msgspec.Struct, frozen=True):
    """Somebody's place."""

    rank: int
    name: str
    points: int
    """At poker their chips."""
    opposition: int
    won: int
    prize: int
    out: int = 0
    """At poker the hand in which their last chips went; 0: they are in."""


class Standings(msgspec.Struct, frozen=True):
    """A tournament with its standings."""

    tournament: TournamentRow
    places: list[PlaceRow]
