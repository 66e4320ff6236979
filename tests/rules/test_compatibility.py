"""Names that docs/compatibility.md promises: `promised.txt` has them. A name that goes makes the version 2.

`YAWC_GOLDEN=1 pytest` writes the file anew, for names that come. Settings stand in deploy/yawc.toml, metrics in the
README of `extras/live`; tests of their own compare both.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from release.door import parser as door
from telnetd import cli
from tests.screens.golden import agrees
from yawc_poker.announcing import announced
from yawc_poker.bbs import at_terminal
from yawc_poker.casino.snapshot import Holder, LockState, Memory, Overview, RingState, SeatView, TableView, Visitor
from yawc_poker.extras.live.events import Event
from yawc_poker.extras.maumau_wire.client import __main__ as client
from yawc_poker.session.menus import sysop as desk
from yawc_poker.session.menus.casino import casino_menu
from yawc_poker.session.menus.main import prompt_menu
from yawc_poker.sysop import __main__ as sysop
from yawc_poker.table_ui.commands import COMMANDS, Command

NEEDS = "every extra"
PROMISED = Path(__file__).parent / "promised.txt"
PROGRAMS = (sysop.parser, cli.parser, at_terminal.parser, client.parser, door)


def words(program: argparse.ArgumentParser) -> Iterator[str]:
    own: list[str] = []
    for action in program._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from words(one)
        elif not isinstance(action, argparse._HelpAction):
            own += action.option_strings or [action.dest]
    yield f"{program.prog}: {' '.join(sorted(own))}"


def fields() -> Iterator[str]:
    for kind in (Overview, Memory, RingState, LockState, Holder, Visitor, TableView, SeatView, Event):
        yield f"{kind.__name__}: {' '.join(sorted(kind.__struct_fields__))}"


def keys() -> Iterator[str]:
    for menu in (prompt_menu(), casino_menu(), desk.MENU.with_added()):
        yield f"{menu.name}: {' '.join(sorted(menu.keys))}"
    commands = [name for one in (*COMMANDS, *announced("commands", Command)) for name in one.names.split()]
    yield f"commands of callers: {' '.join(sorted(commands))}"


def test_what_was_promised_is_there() -> None:
    lines = {*fields(), *keys(), *(line for one in PROGRAMS for line in words(one()))}
    agrees("".join(f"{line}\n" for line in sorted(lines)), PROMISED)
