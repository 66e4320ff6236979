"""A match of Doppelkopf in the casino's list: told card by card, and proven to the callers who played it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.test_played import SEAL, checked, page_of, read_page

QUICK = """
[doppelkopf]
rounds = 1
turn_seconds = 0.03
pause_seconds = 0.3
"""
NAMES = ("Anna", "Bert", "Carl", "Dora")


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data", FAST + QUICK) as running:
        yield running
        running.is_sound()


def test_a_match_that_the_clock_played_is_told_and_proven(bbs: Bbs) -> None:
    callers = [bbs.call().register(name) for name in NAMES]
    for caller in callers:
        caller.press("S4")
        caller.see("(y/n)")
        caller.send("y")
        caller.see("[.]")
    callers[0].see(*NAMES[1:])
    anna, bert = callers[:2]
    anna.hear("Seal for the next game:")
    seal = SEAL.findall(anna.text)[0]
    anna.send("s")
    anna.hear("The match is over after 1 round.")
    anna.until("Turn:", "NO GAME")  # before that who leaves is asked, and the end takes the question away
    text = page_of(anna)
    assert "False" not in checked(text, seal)
    assert checked(text, seal).count("True") == 4 + 48, "all cards are open"
    assert text.count(" is dealt ") == 4
    assert [f"Trick {number}: " in text for number in (1, 12)] == [True, True]
    assert re.search(r"^  Seat 1  Anna +-?\d+ points?$", text, re.MULTILINE)
    assert "Checked just now: seal, cards and moves agree." in text
    anna.line("")
    anna.at_prompt()
    anna.press("P\r")
    anna.see("Doppelkopf: 1 played, ", "Registered:")
    assert re.search(r"Doppelkopf: 1 played, [01] won, -?\d+ points?\b", anna.text, re.MULTILINE)
    bert.send("x")
    bert.at_prompt()
    bert.send("LD\r")
    bert.see("Hilfe)>")
    bert.press("SG")
    bert.see("Doppelkopf", "Welches Spiel?")
    bert.press("1\r")
    german = read_page(bert, "-- Ende")
    assert "Stich 12: " in german
    assert re.search(r"\w+ erhält .*\bD[-#*+]", german)
    assert seal in german
