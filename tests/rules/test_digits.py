"""Whole numbers as text: ASCII digits alone, wherever a number comes from outside."""

import argparse
import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from telnetd.cli import _port
from telnetd.listener import systemd
from yawc_poker.digits import decimal
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import read_program
from yawc_poker.extras.maumau_wire.client import __main__ as client
from yawc_poker.sysop.command import counting, whole
from yawc_poker.table_ui.commands import game_and_number
from yawc_poker.table_ui.definition import number

ODD = ("", "٣", "３", "1_000", " 5", "5 ", "+5", "5.0", "0x5", "²", "1e3", "9" * 19, "9" * 5000)


@pytest.mark.parametrize("text", [*ODD, "-5"])
def test_what_is_not_written_in_digits_is_no_number(text: str) -> None:
    assert decimal(text) is None


def test_digits_are_a_number() -> None:
    assert [decimal(text) for text in ("0", "7", "007", "9" * 18)] == [0, 7, 7, 10**18 - 1]


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("read", [_port, counting, whole, client._port, client._count])
def test_no_command_line_takes_another_number(read: Callable[[str], int], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        read(text)
    assert read("5") == 5


def test_a_sysop_may_write_a_number_below_zero_which_is_refused_where_it_makes_no_sense() -> None:
    assert whole("-5") == -5
    with pytest.raises(argparse.ArgumentTypeError):
        whole("--5")


@pytest.mark.parametrize("text", ODD)
def test_no_text_of_a_player_or_a_file_is_another_number(text: str) -> None:
    with pytest.raises(IllegalMove):
        number(text, 1, 10**6)
    assert text.strip() != text or game_and_number(f"poker {text}")[1] is None
    assert read_program(f"hard {text}") is None
    assert systemd._watchdog_seconds({"WATCHDOG_USEC": text}) == float("inf")


def test_nowhere_is_a_text_asked_for_its_digits_in_another_way() -> None:
    """`isdecimal` and `isdigit` say yes to digits of any script; `decimal` is where they are asked."""
    root = Path(__file__).parents[2]
    paths = [path for folder in ("yawc_poker", "telnetd") for path in (root / folder).rglob("*.py")]
    found = {
        str(path.relative_to(root))
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"isdecimal", "isdigit", "isnumeric"}
    }
    assert found == {
        "yawc_poker/digits.py",
        "yawc_poker/extras/cluster/messages.py",  # of tokens, which are longer; with `isascii`
        "yawc_poker/extras/cluster/server/link.py",  # of sums that PostgreSQL writes
        "yawc_poker/games/poker/player/strategy.py",  # of its own table
        "yawc_poker/extras/live/events.py",  # cuts longer ones; with `isascii`
        "yawc_poker/appearance/osc.py",  # of one byte
        "yawc_poker/page/offers.py",  # of own texts
        "yawc_poker/extras/maumau_wire/seating.py",  # whether a name ends in what looks like a digit
    }
