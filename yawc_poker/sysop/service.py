"""`yawcctl upgrade` and `reload`: replace the program, or read the configuration again, while people play."""

import argparse

from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.control.protocol import Reloaded, Upgraded
from yawc_poker.sysop.command import Commands, add, print_json, print_lines

UPGRADE_SECONDS = 150.0
"""The least wait: the new program is tried out, then tried out again by the listener, then started."""


def register(commands: Commands) -> None:
    """Add the subcommands."""
    text = "replace the listener by the program that is installed now; callers play on"
    add(commands, "upgrade", run_upgrade, text, "upgrade")
    text = "have the configuration and the bans read again, for callers to come"
    add(commands, "reload", run_reload, text, "reload")


def run_upgrade(chosen: argparse.Namespace) -> int:
    """Upgrade, wait, and print the result. Raise `CannotAsk`, `Failed`."""
    chosen.timeout = max(chosen.timeout, UPGRADE_SECONDS)
    for done in ask(chosen, protocol.UpgradeListener(), Upgraded):
        if chosen.json:
            print_json(done)
        else:
            print_lines([f"The listener is version {done.after} now; it was {done.before}. It took {done.seconds} s."])
            print_lines(["Those who are in play on, with the version they began with."])
    return 0


def run_reload(chosen: argparse.Namespace) -> int:
    """Reload, wait, and print the result. Raise `CannotAsk`, `Failed`."""
    for done in ask(chosen, protocol.ReloadConfiguration(), Reloaded):
        if chosen.json:
            print_json(done)
        else:
            print_lines(["The configuration was read again; it holds for callers to come."])
    return 0
