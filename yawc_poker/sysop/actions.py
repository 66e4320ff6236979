"""`yawcctl say`, `kick`, `ban` and the like, the lists of what sysops have done, and the wall.

Owns how each argument is given on the command line, and the lists. The subcommands and their texts are rows of
`casino.moderation.actions`; the actions are carried out in the running BBS.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping

import msgspec

from yawc_poker.casino.meeting.wall import WallLine
from yawc_poker.casino.moderation.actions import KINDS, SYSOP_ACTIONS
from yawc_poker.casino.moderation.procedure import Done
from yawc_poker.casino.moderation.rows import Subcommand, SysopActionRow
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.control.protocol import SysopRequest, sysop_request
from yawc_poker.durations import format_duration, parse_duration
from yawc_poker.sysop.command import Command, asking, columns, count, counting, moment, print_rows, whole

# --- arguments --------------------------------------------------------------------------------------------------------


def _text(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument("text", metavar="TEXT")


def _name(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument("name", metavar="NAME", help="the user's name, in any case")


def _target(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument(
        "target", metavar="NAME|ADDRESS", help="a user's name, an address, or a network as ADDRESS/BITS"
    )


def _kind(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument("--kind", choices=("name", "address"), help="say which it is where it could be either")


def _reason(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument("--reason", metavar="TEXT", required=needed, default="", help="written down, and told")


def _seconds(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument(
        "--for", dest="seconds", metavar="TIME", required=needed, type=_duration, help="30m, 2h, 3d, 1d12h or forever"
    )


def _cubes(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument("cubes", metavar="AMOUNT", type=whole, help="in CUBES, from 1")


def _on(command: argparse.ArgumentParser, needed: bool) -> None:
    command.add_argument("on", choices=("on", "off"))


_ARGUMENTS: Mapping[str, Callable[[argparse.ArgumentParser, bool], None]] = {
    "text": _text,
    "name": _name,
    "target": _target,
    "kind": _kind,
    "reason": _reason,
    "seconds": _seconds,
    "cubes": _cubes,
    "on": _on,
}
"""How an argument of this name is added; whether it must be given."""


def _duration(text: str) -> float | None:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


# --- doing ------------------------------------------------------------------------------------------------------------


def _command(row: SysopActionRow, its: Subcommand) -> Command:
    def arguments(command: argparse.ArgumentParser) -> None:
        for field in msgspec.structs.fields(row.arguments):
            _ARGUMENTS[field.name](command, field.required)
        if its.sure:
            command.add_argument("--yes", action="store_true", help="do not ask")

    def run(chosen: argparse.Namespace) -> int:
        if its.sure and not chosen.yes and not _is_sure(its, chosen):
            return 2
        given = {name: getattr(chosen, name) for name in row.arguments.__struct_fields__}
        if "on" in given:
            given["on"] = given["on"] == "on"
        return _carry_out(chosen, sysop_request(row.word, **given))

    return Command(row.word, run, its.help, its.examples, arguments)


def _carry_out(chosen: argparse.Namespace, request: SysopRequest) -> int:
    return print_rows(chosen, ask(chosen, request, Done), lambda found: map(sentence, found))


def _is_sure(its: Subcommand, chosen: argparse.Namespace) -> bool:
    """Ask once more, for there is no way back."""
    if not sys.stdin.isatty():
        print(f"yawcctl: {its.needs_yes}", file=sys.stderr)
        return False
    if input(its.sure.format(name=chosen.name)).strip().casefold() in {"y", "yes"}:
        return True
    print("Nothing was done.")
    return False


def sentence(done: Done) -> str:
    """Return the result of a sysop action as a sentence."""
    action = done.action
    kind = KINDS.get(action.kind)
    if kind is None:  # a newer BBS
        return "Done."
    if done.waits:
        return "It is written down, and will be done as soon as the bank works again."
    return kind.answer.format(
        whom=action.target,
        until=_until(action),
        news="at once" if done.online else "at the next login",
        ends=_ends(done),
        cubes=action.cubes or 0,
        balance="?" if done.balance is None else done.balance,
        warnings="?" if done.warnings is None else done.warnings,
        password=done.password,
    )


def _ends(done: Done) -> str:
    killed = f", {done.killed} of them killed" if done.killed else ""
    ended = f"; {count(done.ended + done.killed, 'session')} ended{killed}" if done.ended + done.killed else ""
    return ended + (f"; {count(done.freed, 'kept seat')} freed" if done.freed else "")


def _until(action: SysopAction) -> str:
    if action.until is None:  # infinity, as JSON has it
        return "for ever"
    return f"until {moment(action.until, '%Y-%m-%d %H:%M %Z')}"


# --- looking ----------------------------------------------------------------------------------------------------------


class _Ban(msgspec.Struct):
    """A ban as it comes over the wire: JSON knows no infinity."""

    kind: str
    target: str
    until: float | None
    reason: str
    by: str
    at: float


def _ban_lines(bans: list[_Ban]) -> list[str]:
    rows = [(ban.kind, ban.target, _left(ban.until), ban.by, ban.reason) for ban in bans]
    return columns("KIND TARGET LEFT BY REASON", rows, 4, 3, 1)


def _left(until: float | None) -> str:
    return format_duration(None if until is None else until - time.time())


def _acts_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="to this user only")
    command.add_argument("--limit", type=whole, metavar="N", default=50, help="so many at most (50)")


def run_acts(chosen: argparse.Namespace) -> int:
    """Print the sysop actions, the newest last. Raise `CannotAsk`, `Failed`."""
    found = list(ask(chosen, protocol.ListActions(chosen.name, chosen.limit), SysopAction))[::-1]
    header = "WHEN ACT WHOM BY REASON"
    return print_rows(chosen, found, lambda rows: columns(header, map(_cells, rows), 4, 3, 2))


def _wall_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--remove", metavar="N", type=counting, help="take off the line of this number")
    command.add_argument("--reason", metavar="TEXT", default="", help="of that: written down, and told")


def run_wall(chosen: argparse.Namespace) -> int:
    """Print the lines on the wall, or take one off. Raise `CannotAsk`, `Failed`."""
    if chosen.remove is not None:
        return _carry_out(chosen, sysop_request("wipe", line=chosen.remove, reason=chosen.reason))
    return print_rows(chosen, list(ask(chosen, protocol.ListWall(), WallLine)), _wall_lines)


def _wall_lines(found: list[WallLine]) -> list[str]:
    rows = [(line.id, moment(line.at, "%Y-%m-%d %H:%M %Z"), line.name, line.text) for line in found]
    return columns(">N WHEN WHO TEXT", rows, 3, 2)


def _cells(action: SysopAction) -> tuple[str, ...]:
    more, kind = "", KINDS.get(action.kind)
    if action.cubes is not None:
        more = f"{action.cubes} CUBES: "
    elif kind is not None and kind.lasts:
        more = f"{format_duration(None if action.until is None else action.until - action.at)}: "
    return (
        moment(action.at, "%Y-%m-%d %H:%M %Z"),
        action.kind,
        action.target or "all",
        action.by,
        f"{more}{action.reason}",
    )


def commands() -> list[Command]:
    """Return the subcommands, one for each sysop action that has one, and the lists."""
    return [
        *(_command(row, row.command) for row in SYSOP_ACTIONS.values() if row.command is not None),
        Command(
            "bans", asking(lambda chosen: protocol.ListBans(), _Ban, _ban_lines), "list the bans in force", ("bans",)
        ),
        Command(
            "acts",
            run_acts,
            "list what sysops have done, newest last",
            ("acts", "acts Bert --limit 10"),
            _acts_arguments,
        ),
        Command(
            "wall",
            run_wall,
            "list the lines on the wall, the oldest first, or take one off",
            ("wall", "wall --remove 17 --reason insult"),
            _wall_arguments,
        ),
    ]
