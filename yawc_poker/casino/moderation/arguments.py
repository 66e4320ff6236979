"""The arguments of sysop actions: their names, types and limits, as the control socket carries them. Pure.

Owns one struct for each set of arguments. The names of the fields are the keys in JSON; `yawcctl` and the sysop's desk
know for each name how it is asked for. A field with a default may be left out.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from yawc_poker.casino.users.bans import BanKind
from yawc_poker.durations import LONGEST_DAYS

Name = Annotated[str, Meta(min_length=1, max_length=80)]
Target = Annotated[str, Meta(min_length=1, max_length=80)]
"""A user's name, an address, or a network as ADDRESS/BITS."""
Text = Annotated[str, Meta(max_length=1000)]
Span = Annotated[float, Meta(gt=0, le=LONGEST_DAYS * 86400)] | None
"""Seconds; None: for ever. No more than can be written as a date: a longer ban would end each login by a bug."""


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of one sysop action."""


class ToAll(Arguments, frozen=True, kw_only=True):
    """A line for everybody."""

    text: Text


class ToUser(Arguments, frozen=True, kw_only=True):
    """A user, and why."""

    name: Name
    reason: Text


class InFavour(Arguments, frozen=True, kw_only=True):
    """A user; a reason may be given."""

    name: Name
    reason: Text = ""


class OfTheWall(Arguments, frozen=True, kw_only=True):
    """A line on the wall, by its number among all that were ever written (`yawcctl wall`); a reason may be given."""

    line: Annotated[int, Meta(ge=1, le=2**63 - 1)]
    reason: Text = ""


class ForATime(Arguments, frozen=True, kw_only=True):
    """A user, and for how long."""

    name: Name
    reason: Text
    seconds: Span


class Amount(Arguments, frozen=True, kw_only=True):
    """A user, and a number of CUBES."""

    name: Name
    reason: Text
    cubes: int


class Switch(Arguments, frozen=True, kw_only=True):
    """A user, and whether a right is given or taken."""

    name: Name
    reason: Text = ""
    on: bool


class ShutOut(Arguments, frozen=True, kw_only=True):
    """A name, an address or a network, and for how long."""

    target: Target
    kind: BanKind | None = None
    seconds: Span
    reason: Text


class LetIn(Arguments, frozen=True, kw_only=True):
    """A name, an address or a network."""

    target: Target
    kind: BanKind | None = None
    reason: Text = ""
