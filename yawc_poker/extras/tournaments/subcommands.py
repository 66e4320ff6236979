"""`yawcctl tournament`: call tournaments, call them off, look at them and at their standings."""

import argparse
import time
from collections.abc import Iterator
from typing import Final

from yawc_poker.control.client import ask
from yawc_poker.digits import decimal
from yawc_poker.extras.tournaments.protocol import (
    BeginTournament,
    CallOffTournament,
    CallTournament,
    ListTournaments,
    ShowTournament,
    Standings,
    TournamentRow,
)
from yawc_poker.sysop.command import Command, columns, count, counting, moment, print_rows, whole

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEK: Final = 7
LIST: Final = ">NUMBER GAME STARTS STATE >ROUND >ENTRY >ENTRANTS NAME"
PLACES: Final = ">PLACE NAME >POINTS >OPPOSITION >WON >PRIZE"
WITH_CHIPS: Final = ">PLACE NAME >CHIPS >OUT >PRIZE"


def _arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "do",
        nargs="?",
        choices=("list", "new", "show", "begin", "off"),
        default="list",
        help="list them; call a new one; one's standings; let one begin now; call one off: all fees go back",
    )
    command.add_argument("which", nargs="?", help="new: the game; else the tournament's number")
    new = command.add_argument_group("a new one")
    new.add_argument(
        "--at", metavar="HH:MM", type=_clock, default=None, help="when it begins; the default: in 15 minutes"
    )
    new.add_argument("--every", metavar="DAY", type=_day, help="again and again: a day of the week, or day")
    new.add_argument("--entry", metavar="CUBES", type=whole, default=0, help="the fee, which the prizes are paid from")
    new.add_argument("--rounds", metavar="N", type=counting, default=3, help="rounds; the default: 3; none at poker")
    new.add_argument(
        "--length",
        metavar="N",
        type=counting,
        default=0,
        help="of a match: rounds, points; at poker hands until the ante doubles",
    )
    new.add_argument("--name", metavar="TEXT", default="", help="what it is called")
    new.add_argument("--all", action="store_true", help="everybody meets everybody, instead of the Swiss system")


def _clock(text: str) -> tuple[int, int]:
    """Read a time of day, for argparse."""
    first, _, second = text.partition(":")
    hours, minutes = decimal(first), decimal(second)
    if hours is not None and minutes is not None and len(second) == 2 and hours < 24 and minutes < 60:
        return hours, minutes
    raise argparse.ArgumentTypeError(f"not a time of day: {text[:20]!r}")


def _day(text: str) -> str:
    """Read a day of the week, for argparse."""
    if text.lower() in (*_DAYS, "day"):
        return text.lower()
    raise argparse.ArgumentTypeError(f"not a day: {text[:20]!r}; there are {', '.join(_DAYS)}, day")


def begins(now: float, at: tuple[int, int] | None, every: str | None) -> float:
    """Return the first such moment behind now, by the local clock; without a time of day in 15 minutes."""
    if at is None:
        return now + 15 * 60
    today = time.localtime(now)
    for days in range(WEEK + 1):
        moment = time.mktime((today.tm_year, today.tm_mon, today.tm_mday + days, *at, 0, 0, 0, -1))
        fits = every in (None, "day") or _DAYS[time.localtime(moment).tm_wday] == every
        if fits and moment > now:
            return moment
    raise ValueError(f"no {every} in a week")


def run(chosen: argparse.Namespace) -> int:
    """Ask, and print the result. Raise `CannotAsk`, `Failed`."""
    which: str | None = chosen.which
    match chosen.do:
        case "new":
            request = CallTournament(
                which or "poker",
                begins(time.time(), chosen.at, chosen.every),
                chosen.name,
                0 if chosen.every is None else 1 if chosen.every == "day" else WEEK,
                chosen.rounds,
                chosen.length,
                chosen.entry,
                not chosen.all,
            )
            return print_rows(chosen, ask(chosen, request, TournamentRow), _lines)
        case "off":
            return print_rows(chosen, ask(chosen, CallOffTournament(_number(which)), TournamentRow), _lines)
        case "begin":
            return print_rows(chosen, ask(chosen, BeginTournament(_number(which)), TournamentRow), _lines)
        case "show":
            return print_rows(chosen, ask(chosen, ShowTournament(_number(which)), Standings), _standings)
        case _:
            return print_rows(chosen, ask(chosen, ListTournaments(), TournamentRow), _lines)


def _number(which: str | None) -> int:
    try:
        return counting(which or "")
    except argparse.ArgumentTypeError as error:
        raise SystemExit(f"yawcctl: {error}") from None


def _lines(found: list[TournamentRow]) -> Iterator[str]:
    if not found:
        yield "There are no tournaments."
        return
    yield from columns(LIST, map(_cells, found), 7)


def _cells(one: TournamentRow) -> tuple[object, ...]:
    starts, rounds = moment(one.starts, "%Y-%m-%d %H:%M"), f"{one.round}/{one.rounds or '-'}"
    return one.number, one.kind, starts, one.state, rounds, one.entry, one.entrants, one.name


def _standings(found: list[Standings]) -> Iterator[str]:
    for one in found:
        told = one.tournament
        is_for_chips = not told.rounds
        stage = f"hand {told.round}" if is_for_chips else f"round {told.round} of {told.rounds}"
        yield f"Tournament {told.number}, {told.kind}: {told.state}, {stage}."
        yield f"{count(told.entrants, 'entrant')}, {told.entry} CUBES each."
        if is_for_chips:
            chips = [(each.rank, each.name, each.points, each.out or "-", each.prize) for each in one.places]
            yield from columns(WITH_CHIPS, chips, 1)
            continue
        points = [(each.rank, each.name, each.points, each.opposition, each.won, each.prize) for each in one.places]
        yield from columns(PLACES, points, 1)


COMMAND: Final = Command(
    "tournament",
    run,
    "call tournaments, call them off, or show their standings",
    ("tournament new poker --at 20:00 --every friday --entry 100", "tournament show 3"),
    _arguments,
    after="cluster",
)
ANNOUNCED: Final = (COMMAND,)
