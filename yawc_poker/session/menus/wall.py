"""`N`: the notes on the wall, a line each, for everybody to read and to write.

Owns the conversation. The writer of a line may take it off again, a sysop any line, which is a sysop action.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.meeting.wall import TEXT_LENGTH, WallLine
from yawc_poker.casino.moderation.actions import wipe
from yawc_poker.casino.moderation.procedure import Refused, Sysop
from yawc_poker.casino.moderation.rows import OfTheWall
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.digits import decimal
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import in_column
from yawc_poker.session.caller.prompts import ask_key, ask_line, ask_text
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


class AboveWall(NamedTuple):
    """What an extra tells above the notes: the place `above_wall`."""

    tell: Callable[[Caller], Iterable[str]]
    """Return the lines. Raise `StoreError`."""


def wall(caller: Caller) -> None:
    """`N`: show the wall until the caller goes back."""
    words, say = caller.words, caller.console.say
    is_changed = False
    while True:
        try:
            lines = audible_lines(caller, caller.instance.meeting.wall.lines())
        except StoreError as error:
            if not is_changed:
                raise
            log.warning("%r has changed the wall, which cannot be read now: %s", caller.user.name, error)
            say(words("Done."))
            return
        say()
        for added in announced("above_wall", AboveWall):
            for text in added.tell(caller):
                say(f"  {text}", Style.CYAN)
        show_lines(caller, lines)
        say()
        key = ask_key(caller, words("[W] write, [D] take a line off (ENTER: back) ")).upper()
        caller.console.finish()
        if key == "W":
            is_changed = _write(caller)
        elif key == "D":
            _take_off(caller, lines)
        else:
            return


def show_lines(caller: Caller, lines: Sequence[WallLine]) -> None:
    """Show lines, numbered from 1."""
    for number, line in enumerate(lines, 1):
        caller.console.say(f"  {number:>2}  {in_column(line.at)}  {wall_line(line)}", means=None)
    if not lines:
        caller.console.say(caller.words("Nothing is written on the wall."))


def chosen_line(lines: Sequence[WallLine], answer: str) -> WallLine | None:
    """Return the line whose number was typed, or None if there is none."""
    number = decimal(answer) or 0
    return lines[number - 1] if 1 <= number <= len(lines) else None


def audible_lines(caller: Caller, lines: Sequence[WallLine]) -> list[WallLine]:
    """Return the lines without those of users whom the caller ignores."""
    return [line for line in lines if not caller.others.ignores(line.user)]


def wall_line(line: WallLine) -> str:
    """Return a line with its writer."""
    return f"{line.name}: {line.text}"


def _write(caller: Caller) -> bool:
    """Let the caller write a line; return whether it stands on the wall."""
    if not caller.may_write():
        return False
    text = ask_text(caller, caller.words("On the wall: "), TEXT_LENGTH)
    if not text or not caller.may_write(line=True):
        return False
    try:
        caller.instance.meeting.wall.write(caller.user.id, text)
    except ValueError:  # nothing of it was harmless
        return False
    return True


def _take_off(caller: Caller, lines: Sequence[WallLine]) -> None:
    """Ask which line goes; a sysop may take off any."""
    words, say = caller.words, caller.console.say
    answer = ask_line(caller, words("Number of the line: "), 2)
    line = chosen_line(lines, answer)
    if line is None:
        if answer:
            say(words("There is no such line."), Style.YELLOW)
        return
    user = caller.instance.accounts.by_id(caller.user.id)
    is_sysop = user is not None and user.sysop
    if line.user != caller.user.id and not is_sysop:
        say(words("You may take off your own lines only."), Style.YELLOW)
        return
    if line.user != caller.user.id:
        try:
            wipe(Sysop(caller.instance, caller.user.name), OfTheWall(line=line.id))
        except Refused:  # it is gone already
            pass
    elif caller.instance.meeting.wall.remove(line.id, caller.user.id):
        log.info("line of %r taken off the wall by %r: %r", line.name, caller.user.name, line.text)
    say(words("The line is gone."), Style.GREEN)
