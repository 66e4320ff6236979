"""`yawcctl events`: who comes and goes, games that end, sysop actions; one line each, for hooks."""

import argparse
import sys

from yawc_poker.casino.events.events import Event
from yawc_poker.control import protocol
from yawc_poker.control.client import Failed, ask
from yawc_poker.sysop.command import Commands, add, count, moment, print_json, print_lines, whole

_LIMIT = 20


def register(commands: Commands) -> None:
    """Add the subcommand."""
    command = add(
        commands,
        "events",
        run,
        "tell who comes and goes, which games end, and what sysops do, one line each",
        "events",
        "events --follow --json | my-chat-hook",
        "events --follow --json --after 120.4711.9",
    )
    command.add_argument("--follow", action="store_true", help="each event as it happens, until Ctrl-C")
    command.add_argument(
        "--after", metavar="POSITION", help="all those behind this one: the field `position` of an event"
    )
    command.add_argument(
        "--limit", type=whole, default=_LIMIT, metavar="N", help=f"without --after: the latest N ({_LIMIT})"
    )


def run(chosen: argparse.Namespace) -> int:
    """Print events. Raise `CannotAsk`, and `Failed`, which says where to go on."""
    request = protocol.Events(chosen.follow, chosen.after, chosen.limit)
    position = ""
    try:
        for event in ask(chosen, request, Event, endless=chosen.follow):
            if chosen.json:
                print_json(event)
            else:
                print_lines([f"{moment(event.at)}  {sentence(event)}"])
            sys.stdout.flush()
            position = event.position
    except Failed as error:
        raise Failed(error.code, f"{error}{f'; --after {position} goes on' if position else ''}") from None
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 0


def sentence(event: Event) -> str:
    """Return an event in words."""
    match event.event:
        case "login":
            return f"{event.name} logged in"
        case "logout":
            return f"{event.name} is gone" if event.gone else f"{event.name} logged out"
        case "game":
            return f"game {event.number}, {event.game}, table {event.table}: {_outcome(event)}"
        case "sysop":
            cubes = "" if event.cubes is None else f", {event.cubes} CUBES"
            return f"sysop action: {event.act} {event.target or 'all'}{cubes}, by {event.by}: {event.reason}"
        case "lost":
            return "events were lost" if event.count is None else f"{count(event.count, 'login and logout')} were lost"


def _outcome(event: Event) -> str:
    pot = f", {event.pot} CUBES" if event.pot else ""
    match event.outcome:
        case "won":
            return f"won by {', '.join(event.winners)}{pot}"
        case "refunded":
            return "broken off"
        case _:
            return f"won by the house{pot}"
