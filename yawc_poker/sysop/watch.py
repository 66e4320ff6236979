"""`yawcctl watch`: a table as a by-stander sees it, once or until Ctrl-C."""

import argparse
import sys
import time
from collections.abc import Iterator

from yawc_poker.casino.monitoring.overview import SeatView, TableView
from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.sysop.command import Commands, add, clock, counting, moment, print_json, print_lines, width
from yawc_poker.sysop.look import state

_HOME_AND_CLEAR = "\x1b[H\x1b[2J"
_BACKS = 10
"""Up to this number hidden cards are drawn one by one; of more, the number is printed."""


def register(commands: Commands) -> None:
    """Add the subcommand."""
    text = "watch a table; hidden cards are not shown, and nobody notices"
    command = add(commands, "watch", run, text, "watch 1", "watch 1 --once", "watch 3 --json")
    command.add_argument("table", type=counting, metavar="TABLE", help="number of the table, from 1")
    command.add_argument("--once", action="store_true", help="look once; otherwise at every change, until Ctrl-C")


def run(chosen: argparse.Namespace) -> int:
    """Print the table whenever it changes. Raise `CannotAsk`, `Failed`."""
    live = sys.stdout.isatty() and not chosen.json and not chosen.once
    request = protocol.WatchTable(chosen.table, chosen.once, 1.0 if live else None)
    try:
        for view in ask(chosen, request, TableView, endless=True):
            if chosen.json:
                print_json(view)
                continue
            if live:
                sys.stdout.write(_HOME_AND_CLEAR)
            print_lines(_cut(picture(view, time.time())))
            sys.stdout.flush()
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 0


def _cut(lines: Iterator[str]) -> Iterator[str]:
    room = width()
    return (line[:room] for line in lines)


def picture(view: TableView, now: float) -> Iterator[str]:
    """Yield the lines of a table's picture."""
    number = f", game {view.number}" if view.number else ""
    pot = f"; pot {view.pot} CUBES" if view.pot else ""
    yield f"Table {view.table}: {view.game}{number}, {state(view)}{pot}   {moment(now)}"
    yield ""
    for seat in view.seats:
        yield _seat(view, seat)
    if not view.seats:
        yield "  Nobody sits here."
    if view.watching:
        yield f"  Watching: {', '.join(view.watching)}"
    yield ""
    yield from (f"  {message}" for message in view.messages)
    yield ""


def _seat(view: TableView, seat: SeatView) -> str:
    backs = ["[?]"] * seat.hidden if seat.hidden <= _BACKS else [f"[?] x {seat.hidden}"]
    shown = " ".join([*(f"[{card}]" for card in seat.cards or ()), *backs])
    leads = seat.master and not view.running
    left = clock(view.seconds) if view.seconds is not None and (seat.on_turn or leads) else ""
    absent = "" if seat.line else "gone"
    role = absent or ("master" if seat.master else "away" if seat.away else "")
    return f"  {seat.seat}  {seat.name:20}  {role:6}  {left:>7}  {shown}".rstrip()
