"""The keys of menus that come from several places: each stands for one thing."""

import subprocess
import sys

import pytest

from tests.thoroughness import few
from yawc_poker.announcing import announced
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.menu import AddedLine, check_keys

ADDED = [one.line.key for one in announced("menu_lines", AddedLine) if one.menu == "the casino"]
MADE_UP = """
import tests.made_up_game.game as one
from tests.made_up_game.__main__ import register

one.HIGHEST = one.HIGHEST._replace(key={key!r})
register()
from yawc_poker.session.menus.casino import casino_menu
casino_menu()
"""


def imported(key: str) -> subprocess.CompletedProcess[str]:
    """Make the casino's menu, as at the start, with one more game in it, which has this key."""
    code = MADE_UP.format(key=key)
    return subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("key", few([GAMES[0].key, "q", "/", *ADDED, "O", "G", "Q"], 3))
def test_a_game_with_a_key_that_is_taken_fails(key: str) -> None:
    done = imported(key)
    assert done.returncode != 0
    assert f"ValueError: the casino: two things have the key {key!r}" in done.stderr


def test_a_game_with_a_key_of_its_own_does_not() -> None:
    assert imported("7").returncode == 0


@pytest.mark.parametrize("key", ["", "12", " ", "\r", "\x1b"])
def test_a_key_can_be_pressed(key: str) -> None:
    with pytest.raises(ValueError, match="nobody can press"):
        check_keys("a menu", ("A", key))
