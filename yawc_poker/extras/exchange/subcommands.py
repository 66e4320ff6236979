"""`yawcctl exchange`: how far the share prices are, and hours made up that they left out."""

import argparse
from collections.abc import Iterator
from typing import Final

from yawc_poker.control.client import ask
from yawc_poker.extras.exchange.protocol import Hours, MakeUpHours
from yawc_poker.sysop.command import Command, count, counting, print_rows


def _arguments(command: argparse.ArgumentParser) -> None:
    text = "let the prices walk so many hours, as the log says"
    command.add_argument("--make-up", metavar="HOURS", type=counting, default=0, help=text)


def run(chosen: argparse.Namespace) -> int:
    """Ask, and print the result. Raise `CannotAsk`, `Failed`."""
    rows = ask(chosen, MakeUpHours(chosen.make_up), Hours)
    return print_rows(chosen, rows, lambda found: _lines(found, made=chosen.make_up > 0))


def _lines(found: list[Hours], *, made: bool) -> Iterator[str]:
    for done in found:
        if made:
            yield f"{count(done.made_up, 'hour')} made up."
        far = f"The latest hour of the exchange is number {done.latest}."
        yield "The exchange was never opened." if done.latest is None else far


COMMAND: Final = Command(
    "exchange",
    run,
    "tell how far the share prices are, or make up hours that they left out",
    ("exchange", "exchange --make-up 1103"),
    _arguments,
    after="cluster",
)
ANNOUNCED: Final = (COMMAND,)
