"""`yawcctl top`: callers, tables, locks and load on a screen that lives; printed once where there is no terminal."""

import argparse
import sys

from yawc_poker.casino.monitoring.glance import Glance
from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.sysop.command import Commands, add, print_json, print_lines, width
from yawc_poker.sysop.live.picture import heading, table_lines


def register(commands: Commands) -> None:
    """Add the subcommand."""
    text = "show callers, tables, locks and load on a live screen; q leaves it"
    command = add(commands, "top", run, text, "top", "top --every 5", "top --once", "top --json")
    command.add_argument("--every", type=_seconds, default=1.0, metavar="S", help="seconds between two looks (1)")
    command.add_argument("--once", action="store_true", help="print it once, as where there is no terminal")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.2 <= seconds <= 3600:
        raise argparse.ArgumentTypeError("from 0.2 to 3600 seconds")
    return seconds


def run(chosen: argparse.Namespace) -> int:
    """Show the BBS until the sysop leaves, or print it once. Raise `CannotAsk`, `Failed`."""
    if chosen.json or chosen.once or not sys.stdout.isatty():
        return _print(chosen)
    from yawc_poker.sysop.live import screen

    if not screen.can_draw():
        return _print(chosen)
    screen.show(chosen)
    return 0


def _print(chosen: argparse.Namespace) -> int:
    """Print it once; with `--json` a row each time until Ctrl-C, unless it is to be once."""
    endless = chosen.json and not chosen.once
    try:
        for found in ask(chosen, protocol.Top(once=not endless, every=chosen.every), Glance, endless=endless):
            if chosen.json:
                print_json(found)
            else:
                print_lines([*heading(found, None), "", *table_lines(found, width())])
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 0
