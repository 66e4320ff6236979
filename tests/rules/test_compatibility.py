"""What docs/compatibility.md promises by name: `promised.txt` has all of it. A line that goes makes the version 2.

`YAWC_GOLDEN=1 pytest` writes the file anew, for lines that come.
"""

import argparse
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from docs.configuration import example
from release.door import parser as door
from telnetd import cli
from tests.screens.golden import agrees
from yawc_poker.announcing import announced
from yawc_poker.bbs import at_terminal
from yawc_poker.casino import snapshot
from yawc_poker.casino.counters import METRICS
from yawc_poker.extras.live.events import Event
from yawc_poker.extras.live.metrics import GAUGES
from yawc_poker.extras.maumau_wire.client import __main__ as client
from yawc_poker.session.menus import sysop as desk
from yawc_poker.session.menus.casino import casino_menu
from yawc_poker.session.menus.main import prompt_menu
from yawc_poker.sysop import __main__ as sysop
from yawc_poker.table_ui.commands import COMMANDS, Command

NEEDS = "every extra"
PROMISED = Path(__file__).parent / "promised.txt"
PROGRAMS = (sysop.parser, cli.parser, at_terminal.parser, client.parser, door)


def settings() -> Iterator[str]:
    for section, keys in tomllib.loads(example()).items():
        for key, default in keys.items():
            yield f"setting [{section}] {key}" + (f" = {default}" if key == "port" else "")


def words(program: argparse.ArgumentParser) -> Iterator[str]:
    for action in program._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from words(one)
        else:
            yield f"command {program.prog} {' '.join(action.option_strings) or action.dest}"


def fields() -> Iterator[str]:
    kinds = [kind for kind in vars(snapshot).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    for kind in [*kinds, Event]:
        yield from (f"field {kind.__name__} {name}" for name in kind.__struct_fields__)
    yield from (f"metric {one.name}" for one in (*METRICS, *GAUGES))


def keys() -> Iterator[str]:
    for menu in (prompt_menu(), casino_menu(), desk.MENU.with_added()):
        yield from (f"key of {menu.name} {key}" for key in menu.keys)
    for command in (*COMMANDS, *announced("commands", Command)):
        yield from (f"key of a table or prompt {name}" for name in command.names.split())


def test_what_was_promised_is_there() -> None:
    named = {*settings(), *fields(), *keys(), *(line for one in PROGRAMS for line in words(one()))}
    agrees("".join(f"{line}\n" for line in sorted(named)), PROMISED)
