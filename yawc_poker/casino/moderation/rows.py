"""The parts of a row in the table of sysop actions (`casino.moderation.table`).

Owns the types only. Texts for players are messages of the catalogues, named by `mark`; texts of `yawcctl` are English.
"""

import time
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeVar

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.arguments import Arguments
from yawc_poker.casino.moderation.disconnect import Pause
from yawc_poker.casino.moderation.procedure import Done
from yawc_poker.casino.users.passwords import hashed

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)

Question = Literal["name", "target", "banned", "seconds", "cubes", "reason", "text", "line"]
"""Asked for at the desk: an argument, but for `banned`: the `target` of a ban that exists."""


class Sysop(NamedTuple):
    """The sysop who acts, and how their process waits and hashes."""

    instance: Instance
    by: str
    """Name in the log of sysop actions."""
    pause: Pause = time.sleep
    hashing: Callable[[str], str] = hashed


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
    """Its user reads it, at once or at the next login; None: they learn of the action otherwise."""
    farewell: Notice | None = None
    """Sessions that it ends read it; None: that of a kick."""
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


def sysop_action(
    word: str,
    arguments: type[ArgumentsT],
    carry_out: Callable[[Sysop, ArgumentsT], Done],
    *kinds: LogKind,
    command: Subcommand | None,
    desk: DeskEntry | None = None,
) -> SysopActionRow:
    """Return a row whose function is checked against its arguments."""

    def checked(sysop: Sysop, given: Arguments) -> Done:
        if not isinstance(given, arguments):
            raise TypeError(f"{word} takes {arguments.__name__}, not {type(given).__name__}")
        return carry_out(sysop, given)

    return SysopActionRow(word, arguments, checked, kinds, command, desk)
