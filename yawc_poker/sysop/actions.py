"""`yawcctl say`, `kick`, `ban` and the like: what a sysop does to callers, and what sysops have done.

Owns the arguments and the sentences; what is done is `casino.moderation.actions`'s, in the running BBS.
"""

import argparse
import sys
import time
from collections.abc import Callable

import msgspec

from yawc_poker.casino.moderation.procedure import Done
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.control.protocol import Request
from yawc_poker.durations import format_duration, parse_duration
from yawc_poker.sysop.command import Commands, add, columns, count, moment, print_json, print_lines

_NEEDED = True


def register(commands: Commands) -> None:
    """Add the subcommands."""
    say = add(commands, "say", run, "say a line to everybody who is logged in", "say 'We close in ten minutes.'")
    say.add_argument("text", metavar="TEXT")
    say.set_defaults(request=lambda chosen: protocol.SayToAll(chosen.text))

    kick = add(commands, "kick", run, "end a user's session", "kick Bert --reason 'blocks a seat'")
    _aimed(kick, lambda chosen: protocol.Kick(chosen.name, chosen.reason), reason=_NEEDED)

    ban = add(
        commands,
        "ban",
        run,
        "shut out a name, an address or a network, and end its sessions",
        "ban Bert --for 2d --reason abuse",
        "ban 192.0.2.7 --for forever --reason 'guesses passwords'",
        "ban 2001:db8::/32 --for 12h --reason flood",
    )
    _targeted(ban, lambda chosen: protocol.BanTarget(chosen.target, chosen.reason, chosen.seconds, chosen.kind))
    _span(ban)
    _reason(ban, needed=True)

    unban = add(commands, "unban", run, "lift a ban", "unban Bert", "unban 192.0.2.7")
    _targeted(unban, lambda chosen: protocol.Unban(chosen.target, chosen.reason, chosen.kind))
    _reason(unban)

    warn = add(commands, "warn", run, "warn a user", "warn Bert --reason 'idle for two games'")
    _aimed(warn, lambda chosen: protocol.Warn(chosen.name, chosen.reason), reason=_NEEDED)

    twit = add(commands, "twit", run, "take a user's right to write to others", "twit Bert --for 1d --reason insults")
    _aimed(twit, lambda chosen: protocol.Twit(chosen.name, chosen.reason, chosen.seconds), reason=_NEEDED)
    _span(twit)

    untwit = add(commands, "untwit", run, "let a user write to others again", "untwit Bert")
    _aimed(untwit, lambda chosen: protocol.Untwit(chosen.name, chosen.reason))

    password = add(
        commands,
        "password",
        run,
        "give a user a new password, to be changed at the next login; its session ends",
        "password Bert --reason 'has forgotten it'",
    )
    _aimed(password, lambda chosen: protocol.Password(chosen.name, chosen.reason))

    delete = add(commands, "delete", run_delete, "close an account for good", "delete Bert --reason abuse --yes")
    _aimed(delete, lambda chosen: protocol.Delete(chosen.name, chosen.reason), reason=_NEEDED)
    delete.add_argument("--yes", action="store_true", help="do not ask")

    grant = add(commands, "grant", run, "give a user CUBES", "grant Bert 100 --reason 'first prize'")
    _aimed(grant, lambda chosen: protocol.GrantCubes(chosen.name, chosen.cubes, chosen.reason), reason=_NEEDED)
    grant.add_argument("cubes", metavar="AMOUNT", type=int, help="in CUBES, from 1")

    take = add(commands, "take", run, "take CUBES from a user", "take Bert 100 --reason 'won by collusion'")
    _aimed(take, lambda chosen: protocol.TakeCubes(chosen.name, chosen.cubes, chosen.reason), reason=_NEEDED)
    take.add_argument("cubes", metavar="AMOUNT", type=int, help="in CUBES, from 1")

    sysop = add(commands, "sysop", run, "make a user a sysop, or no sysop any more", "sysop Anna on", "sysop Anna off")
    _aimed(sysop, lambda chosen: protocol.Sysop(chosen.name, chosen.on == "on", chosen.reason))
    sysop.add_argument("on", choices=("on", "off"))

    bans = add(commands, "bans", run_bans, "list the bans in force", "bans")
    bans.set_defaults(request=lambda chosen: protocol.ListBans())

    acts = add(commands, "acts", run_listing, "list what sysops have done, newest last", "acts", "acts Bert --limit 10")
    acts.add_argument("name", metavar="NAME", nargs="?", help="to this user only")
    acts.add_argument("--limit", type=int, metavar="N", default=50, help="so many at most (50)")
    acts.set_defaults(request=lambda chosen: protocol.ListActions(chosen.name, chosen.limit))


# --- arguments --------------------------------------------------------------------------------------------------------

MakeRequest = Callable[[argparse.Namespace], Request]


def _aimed(command: argparse.ArgumentParser, request: MakeRequest, *, reason: bool = False) -> None:
    command.add_argument("name", metavar="NAME", help="the user's name, in any case")
    command.set_defaults(request=request)
    _reason(command, needed=reason)


def _targeted(command: argparse.ArgumentParser, request: MakeRequest) -> None:
    command.add_argument(
        "target", metavar="NAME|ADDRESS", help="a user's name, an address, or a network as ADDRESS/BITS"
    )
    command.add_argument("--kind", choices=("name", "address"), help="say which it is where it could be either")
    command.set_defaults(request=request)


def _reason(command: argparse.ArgumentParser, *, needed: bool = False) -> None:
    command.add_argument("--reason", metavar="TEXT", required=needed, default="", help="written down, and told")


def _span(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--for", dest="seconds", metavar="TIME", required=True, type=_duration, help="30m, 2h, 3d, 1d12h or forever"
    )


def _duration(text: str) -> float | None:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


# --- doing ------------------------------------------------------------------------------------------------------------


def run(chosen: argparse.Namespace) -> int:
    """Have it done, and print what came of it. Raises `CannotAsk`, `Failed`."""
    for done in ask(chosen, chosen.request(chosen), Done):
        if chosen.json:
            print_json(done)
        else:
            print_lines([sentence(done)])
    return 0


def run_delete(chosen: argparse.Namespace) -> int:
    """Ask once more, for there is no way back; then `run`."""
    if not chosen.yes:
        if not sys.stdin.isatty():
            print("yawcctl: an account is closed for good: say --yes", file=sys.stderr)
            return 2
        if input(f"Close the account {chosen.name} for good? (y/n) ").strip().casefold() not in {"y", "yes"}:
            print("Nothing was done.")
            return 2
    return run(chosen)


def sentence(done: Done) -> str:
    """Say what came of an act."""
    action, whom = done.action, done.action.target
    match action.kind:
        case "say":
            return "Said to everybody who is logged in."
        case "kick":
            return f"{whom} was disconnected{_ends(done)}."
        case "ban":
            return f"{whom} is banned {_until(action)}{_ends(done)}."
        case "unban":
            return f"{whom} may call again."
        case "warn":
            return f"{whom} is warned, {_news(done)}. Warnings so far: {done.warnings}."
        case "twit":
            return f"{whom} may not write to others {_until(action)}; told {_news(done)}."
        case "untwit":
            return f"{whom} may write to others again; told {_news(done)}."
        case "password":
            return f"New password of {whom}, to be changed at the next login: {done.password}{_ends(done)}"
        case "delete":
            return f"The account of {whom} is closed{_ends(done)}; {action.cubes or 0} CUBES went to the house."
        case "grant":
            return f"{whom} was given {action.cubes or 0} CUBES and owns {done.balance} now."
        case "take":
            return f"{action.cubes or 0} CUBES taken from {whom}, who owns {done.balance} now."
        case "sysop":
            return f"{whom} is a sysop now."
        case "nosysop":
            return f"{whom} is no sysop any more."


def _news(done: Done) -> str:
    return "at once" if done.online else "at the next login"


def _ends(done: Done) -> str:
    killed = f", {done.killed} of them killed" if done.killed else ""
    return f"; {count(done.ended + done.killed, 'session')} ended{killed}" if done.ended + done.killed else ""


def _until(action: SysopAction) -> str:
    if action.until is None:  # infinity, as JSON has it
        return "for ever"
    return f"until {moment(action.until, '%Y-%m-%d %H:%M')}"


# --- looking ----------------------------------------------------------------------------------------------------------


class _Ban(msgspec.Struct):
    """A ban as it comes over the wire: JSON knows no infinity."""

    kind: str
    target: str
    until: float | None
    reason: str
    by: str
    at: float


def run_bans(chosen: argparse.Namespace) -> int:
    """Print the bans in force. Raises `CannotAsk`, `Failed`."""
    found = ask(chosen, chosen.request(chosen), _Ban)
    if chosen.json:
        for ban in found:
            print_json(ban)
        return 0
    rows = [(ban.kind, ban.target, _left(ban.until), ban.by, ban.reason) for ban in found]
    print_lines(columns("KIND TARGET LEFT BY REASON", rows, 4, 3, 1))
    return 0


def _left(until: float | None) -> str:
    return format_duration(None if until is None else until - time.time())


def run_listing(chosen: argparse.Namespace) -> int:
    """Print the acts, the newest last. Raises `CannotAsk`, `Failed`."""
    found = list(ask(chosen, chosen.request(chosen), SysopAction))[::-1]
    if chosen.json:
        for action in found:
            print_json(action)
        return 0
    print_lines(columns("WHEN ACT WHOM BY REASON", list(map(_act, found)), 4, 3, 2))
    return 0


def _act(action: SysopAction) -> tuple[str, ...]:
    more = ""
    if action.cubes is not None:
        more = f"{action.cubes} CUBES: "
    elif action.kind in {"ban", "twit"}:
        more = f"{format_duration(None if action.until is None else action.until - action.at)}: "
    return moment(action.at, "%Y-%m-%d %H:%M"), action.kind, action.target or "all", action.by, f"{more}{action.reason}"
