"""`yawcctl exchange`: how far the share prices are, and hours made up that they left out."""

import argparse

from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.control.protocol import Hours
from yawc_poker.sysop.command import Commands, add, count, counting, print_json, print_lines


def register(commands: Commands) -> None:
    """Add the subcommand."""
    text = "tell how far the share prices are, or make up hours that they left out"
    command = add(commands, "exchange", run, text, "exchange", "exchange --make-up 1103")
    text = "let the prices walk so many hours, as the log says"
    command.add_argument("--make-up", metavar="HOURS", type=counting, default=0, help=text)


def run(chosen: argparse.Namespace) -> int:
    """Ask, and print the result. Raise `CannotAsk`, `Failed`."""
    for done in ask(chosen, protocol.MakeUpHours(chosen.make_up), Hours):
        if chosen.json:
            print_json(done)
            continue
        made = [f"{count(done.made_up, 'hour')} made up."] if chosen.make_up else []
        far = f"The latest hour of the exchange is number {done.latest}."
        print_lines([*made, "The exchange was never opened." if done.latest is None else far])
    return 0
