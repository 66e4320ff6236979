"""A game that is a folder and a line in the registry has all that the casino and its sysops offer."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.daemons import refused
from tests.end_to_end.test_played import read_page


class MadeUp(Bbs):
    """The daemon and `yawcctl` with the made-up game in their registry."""

    telnetd = ("tests.made_up_game", "telnetd")
    yawcctl_module = ("tests.made_up_game", "yawcctl")


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Bbs]:
    with MadeUp(tmp_path / "data", FAST + "[highest]\ncards = 3\npause_seconds = 0\n") as town:
        yield town


def sit(caller: Caller) -> None:
    caller.press("S")
    caller.see("[2] Poker", "[3] Mau-Mau", "[7] Highest card")
    caller.press("7")
    caller.see("(y/n)")
    caller.press("y")
    caller.see("[T] Turn over")


def turn_over(caller: Caller) -> None:
    caller.until("Turn:", caller.name)
    caller.send("ttt")
    caller.wait(lambda: caller.field("Turn:") != caller.name, "the end of the turn")


def test_a_game_is_a_folder_and_a_line_in_the_registry(town: Bbs) -> None:
    anna, bert, carl, dora = (town.call().register(name) for name in ("Anna", "Bert", "Carl", "Dora"))
    sit(anna)
    sit(bert)
    anna.send("s")
    anna.see("needs at least 3 players")
    sit(carl)
    anna.send("s")
    anna.hear("Seal of these cards:")
    dora.press("W")
    dora.see("Highest card's table")
    sit(dora)
    bert.send("b")
    dora.hear("Bert boasts.")
    turn_over(anna)
    dora.wait(lambda: dora.text.count("Anna turns over") == 3, "Anna's cards")
    watched = town.yawcctl("watch", "highest 1", "--once")
    assert "Table highest 1, game 1, turning, hand 2" in watched
    assert watched.count("[?]") == 6
    assert "Bert boasts." in watched
    assert "turning, hand 2" in town.yawcctl("tables")
    turn_over(bert)
    turn_over(carl)
    for caller in (anna, bert, carl, dora):
        caller.hear("gets place 1")
    is_told_again(town, anna)
    dora.send("x")
    dora.at_prompt()
    has_a_help_page(dora)


def is_told_again(town: Bbs, anna: Caller) -> None:
    anna.send("x")
    anna.at_prompt()
    anna.press("SG")
    anna.see("Highest card", "Which game?")
    anna.press("1\r")
    page = read_page(anna)
    assert "Game 1: Highest card, table 1" in page
    assert page.count(" turns over ") == 9
    assert "place 1" in page
    assert "seal, cards and moves agree" in page
    assert "CUBES" not in page
    assert "Your cards and those that were shown" in page
    anna.press("\r")
    anna.at_prompt()
    anna.press("P\r")
    anna.see("Highest card: 1 played")
    told = town.yawcctl("history", "1")
    assert "PLACE" in told
    assert told.count("turnover") == 9
    standings = json.loads(town.yawcctl("history", "1", "--json"))["standings"]
    assert min(one["total"] for one in standings) == 1
    assert "Game 1 is proven." in town.yawcctl("verify", "1")
    town.audit()


def has_a_help_page(caller: Caller) -> None:
    caller.press("H")
    caller.wait(lambda: "] HIGHEST CARD" in caller.text, "its page")
    caller.press(caller.text.partition("] HIGHEST CARD")[0][-1])
    caller.see("The best sum wins.")


def test_a_program_without_the_game_tells_so_and_judges_nothing(town: Bbs) -> None:
    """The database has a game that this program does not know."""
    anna, bert, carl = (town.call().register(name) for name in ("Anna", "Bert", "Carl"))
    for caller in (anna, bert, carl):
        sit(caller)
    anna.send("s")
    for caller in (anna, bert, carl):
        turn_over(caller)
    anna.hear("gets place 1")
    for caller in (anna, bert, carl):
        caller.send("x")
        caller.at_prompt()
    assert "does not know the game 'highest'" in refused("--check", "--data", town.data)
    town.process.kill()
    town.close()
    assert "does not know the game 'highest'" in refused("--data", town.data, "--port", "0", "--wire-port", "0")
    town.start()
    told = run_yawcctl(town.data, "history", "1")
    assert "Game 1, highest 1" in told.stdout
    assert "does not know the game 'highest': moves are printed as they were stored" in told.stdout
    assert told.stdout.count("turnover") == 9
    judged = run_yawcctl(town.data, "verify", "1")
    assert (judged.returncode, judged.stdout) == (2, "")
    assert judged.stderr == "yawcctl: this program does not know the game 'highest': game 1 cannot be checked\n"


def run_yawcctl(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the sysop's command of the program as it is."""
    command = [sys.executable, "-m", *Bbs.yawcctl_module, "--data", str(data), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)
