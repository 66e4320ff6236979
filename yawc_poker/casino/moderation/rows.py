"""The parts of a row of the sysop actions (`casino.moderation.actions`), and the arguments that these take.

Owns the types only. The names of the arguments' fields are the keys in JSON; `yawcctl` and the sysop's desk know for
each name how it is asked for. A field with a default may be left out. Texts for players are messages of the catalogues,
named by `mark`; texts of `yawcctl` are English.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from yawc_poker.casino.moderation.procedure import Done, Sysop
from yawc_poker.casino.users.bans import BanKind
from yawc_poker.durations import LONGEST_DAYS

# --- arguments --------------------------------------------------------------------------------------------------------

Name = Annotated[str, Meta(min_length=1, max_length=80)]
Target = Annotated[str, Meta(min_length=1, max_length=80)]
"""A user's name, an address, or a network as ADDRESS/BITS."""
Text = Annotated[str, Meta(max_length=1000)]
Span = Annotated[float, Meta(gt=0, le=LONGEST_DAYS * 86400)] | None
"""Seconds, or None for ever. No more than can be written as a date: a longer ban would end each login by a bug."""


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


# --- rows -------------------------------------------------------------------------------------------------------------

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)

Question = Literal["name", "target", "banned", "seconds", "cubes", "reason", "text", "line"]
"""Asked for at the desk: an argument, but for `banned`: the `target` of a ban that exists."""


class Notice(NamedTuple):
    """A text about a sysop action for its user. Fields: {reason}, {cubes}, {text} (the reason of `say`), {when}."""

    text: str
    until: str = ""
    """Instead of `text` where the action ends by itself, at {when}; empty: `text` in any case."""
    urgent: bool = False
    adds_reason: bool = False
    """A reason that is not empty follows in brackets."""


class LogKind(NamedTuple):
    """A kind of row in the log of sysop actions."""

    name: str
    title: str
    """At the desk, in the list of actions done to a user."""
    answer: str
    """Of `yawcctl`. Fields: {whom}, {until}, {news}, {ends}, {cubes}, {balance}, {warnings}, {password}."""
    notice: Notice | None = None
    """Its user reads it, at once or at the next login, or None if they learn of the action otherwise."""
    farewell: Notice | None = None
    """Sessions that it ends read it; if it is None, that of a kick."""
    lasts: bool = False
    """It is in force for a time, or for ever."""


class Subcommand(NamedTuple):
    """The subcommand of `yawcctl`."""

    help: str
    examples: tuple[str, ...]
    sure: str = ""
    """Asked before, with the field {name}, unless `--yes` is given; empty: nothing is."""
    needs_yes: str = ""
    """Said where nobody can be asked."""


class DeskEntry(NamedTuple):
    """The entry in the menu of the sysop's desk."""

    order: int
    """Its place among the lines of the menu, which are read row by row; no two have the same."""
    key: str
    title: str
    asks: tuple[Question, ...]
    """In this order."""
    sure: str = ""
    """Asked before, with the fields {name} and {target}; empty: nothing is."""
    answer: str = ""
    """Said afterwards, besides what all actions have in common; fields: {name}, {target}, {until}, {cubes}."""
    answer_is_good: bool = False
    """It is shown in green."""


class SysopActionRow(NamedTuple):
    """A sysop action as it is asked for, carried out and told."""

    word: str
    """On the control socket and on the command line."""
    arguments: type[Arguments]
    carry_out: Callable[[Sysop, Arguments], Done]
    kinds: tuple[LogKind, ...]
    command: Subcommand | None
    """None: it is an option of another subcommand (`sysop.actions`)."""
    desk: DeskEntry | None

    def fill(self, values: Mapping[str, object]) -> Arguments:
        """Return arguments with these values, which are checked by the process that reads them."""
        make: Callable[..., Arguments] = self.arguments
        return make(**values)
