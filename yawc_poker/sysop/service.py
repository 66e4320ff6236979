"""`yawcctl upgrade` and `reload`: replace the program, or read the configuration again, while people play."""

import argparse
from collections.abc import Iterator
from typing import Final

from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.control.protocol import Reloaded, Upgraded
from yawc_poker.sysop.command import Command, asking, print_rows

UPGRADE_SECONDS = 150.0
"""The least wait: the new program is tried out, then tried out again by the listener, then started."""


def run_upgrade(chosen: argparse.Namespace) -> int:
    """Upgrade, wait, and print the result. Raise `CannotAsk`, `Failed`."""
    chosen.timeout = max(chosen.timeout, UPGRADE_SECONDS)
    return print_rows(chosen, ask(chosen, protocol.UpgradeListener(), Upgraded), _upgraded)


def _upgraded(found: list[Upgraded]) -> Iterator[str]:
    for done in found:
        yield f"The listener is version {done.after} now; it was {done.before}. It took {done.seconds} s."
        yield "Those who are in play on, with the version they began with."


COMMANDS: Final = (
    Command(
        "upgrade",
        run_upgrade,
        "replace the listener by the program that is installed now; callers play on",
        ("upgrade",),
    ),
    Command(
        "reload",
        asking(
            lambda chosen: protocol.ReloadConfiguration(),
            Reloaded,
            lambda found: ["The configuration was read again; it holds for callers to come." for _ in found],
        ),
        "have the configuration and the bans read again, for callers to come",
        ("reload",),
    ),
)
