"""`yawcctl top`: callers, tables, locks and load on a screen that lives, printed once where there is no terminal; and
`yawcctl events`: who comes and goes, games that end, sysop actions; one line each, for hooks.
"""

import argparse
import sys
from typing import Final

from yawc_poker.control.client import Failed, ask
from yawc_poker.extras.live.events import Event
from yawc_poker.extras.live.picture import heading, tables_and_callers
from yawc_poker.extras.live.protocol import Events, Glance, Top
from yawc_poker.sysop.command import Command, count, moment, print_json, print_lines, until_interrupted, whole, width

_LIMIT: Final = 20

# --- top --------------------------------------------------------------------------------------------------------------


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.2 <= seconds <= 3600:
        raise argparse.ArgumentTypeError("from 0.2 to 3600 seconds")
    return seconds


def _top_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--every", type=_seconds, default=1.0, metavar="S", help="seconds between two looks (1)")
    command.add_argument("--once", action="store_true", help="print it once, as where there is no terminal")


def run_top(chosen: argparse.Namespace) -> int:
    """Show the BBS until the sysop leaves, or print it once. Raise `CannotAsk`, `Failed`."""
    if chosen.json or chosen.once or not sys.stdout.isatty():
        return _print(chosen)
    from yawc_poker.extras.live import screen

    if not screen.can_draw():
        return _print(chosen)
    screen.show(chosen)
    return 0


def _print(chosen: argparse.Namespace) -> int:
    """Print it once; with `--json` a row each time until Ctrl-C, unless it is to be once."""
    endless = chosen.json and not chosen.once
    with until_interrupted():
        for found in ask(chosen, Top(once=not endless, every=chosen.every), Glance, endless=endless):
            if chosen.json:
                print_json(found)
            else:
                print_lines([*heading(found, None), "", *tables_and_callers(found, width())])
    return 0


# --- events -----------------------------------------------------------------------------------------------------------


def _events_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--follow", action="store_true", help="each event as it happens, until Ctrl-C")
    command.add_argument(
        "--after", metavar="POSITION", help="all those behind this one: the field `position` of an event"
    )
    command.add_argument(
        "--limit", type=whole, default=_LIMIT, metavar="N", help=f"without --after: the latest N ({_LIMIT})"
    )


def run_events(chosen: argparse.Namespace) -> int:
    """Print events. Raise `CannotAsk`, and `Failed`, which says where to go on."""
    request = Events(chosen.follow, chosen.after, chosen.limit)
    position = ""
    try:
        with until_interrupted():
            for event in ask(chosen, request, Event, endless=chosen.follow):
                if chosen.json:
                    print_json(event)
                else:
                    print_lines([f"{moment(event.at)}  {sentence(event)}"])
                sys.stdout.flush()
                position = event.position
    except Failed as error:
        raise Failed(error.code, f"{error}{f'; --after {position} goes on' if position else ''}") from None
    return 0


def sentence(event: Event) -> str:
    """Return an event in words."""
    match event.event:
        case "login":
            return f"{event.name} logged in"
        case "logout":
            return f"{event.name} is gone" if event.gone else f"{event.name} logged out"
        case "game":
            return f"game {event.number}, {event.table_name}: {_outcome(event)}"
        case "sysop":
            cubes = "" if event.cubes is None else f", {event.cubes} CUBES"
            return f"sysop action: {event.act} {event.target or 'all'}{cubes}, by {event.by}: {event.reason}"
        case "tournament":
            return f"tournament {event.number}, {event.game}: {_became(event)}"
        case "lost":
            return "events were lost" if event.count is None else f"{count(event.count, 'login and logout')} were lost"


def _became(event: Event) -> str:
    match event.act:
        case "round":
            return f"round {event.count} begins"
        case "over":
            return f"won by {', '.join(event.winners)}" + (f", {event.pot} CUBES" if event.pot else "")
        case "off":
            return "called off"
        case _:
            return event.act


def _outcome(event: Event) -> str:
    pot = f", {event.pot} CUBES" if event.pot else ""
    match event.outcome:
        case "won":
            return f"won by {', '.join(event.winners)}{pot}"
        case "refunded":
            return "broken off"
        case _:
            return f"won by the house{pot}"


ANNOUNCED: Final = (
    Command(
        "top",
        run_top,
        "show callers, tables, locks and load on a live screen; q leaves it",
        ("top", "top --every 5", "top --once", "top --json"),
        _top_arguments,
        after="tables",
    ),
    Command(
        "events",
        run_events,
        "tell who comes and goes, which games end, and what sysops do, one line each",
        ("events", "events --follow --json | my-chat-hook", "events --follow --json --after 120.4711.9"),
        _events_arguments,
        after="watch",
    ),
)
