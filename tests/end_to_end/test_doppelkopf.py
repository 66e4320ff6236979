"""Doppelkopf over real telnet: four callers play at one table."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.doppelkopf_match import seated

DOPPELKOPF = """
[doppelkopf]
rounds = 1
turn_seconds = 60
pause_seconds = 0.3
"""
NAMES = ("Anna", "Bert", "Carl", "Dora")
KEY = re.compile(r"\[([0-9ab])\]")


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data", FAST + DOPPELKOPF) as running:
        yield running
        running.is_sound()


def say_healthy(callers: Sequence[Caller]) -> None:
    """Seat 0 deals the first round, so the second caller speaks first."""
    for caller in (*callers[1:], callers[0]):
        caller.see("[G] Healthy")
        caller.send("g")
    for caller in callers:
        caller.see("Normal game")


def cards(caller: Caller) -> list[str]:
    """The keys of the cards that a caller may play now."""
    return KEY.findall(caller.left(7, 11))


def held(caller: Caller) -> int:
    """The number of a caller's cards, by the status line; 0 after the round."""
    found = re.search(r"(\d+) cards?", caller.lines[11])
    return int(found[1]) if found else 0


def leader(caller: Caller) -> int:
    """Return who leads the next trick, as a caller sees it."""
    found = re.search(r"│>(\w+)", "\n".join(caller.lines[:5]))
    return -1 if found is None else NAMES.index(found[1])


def play_trick(callers: Sequence[Caller], first: int, number: int) -> None:
    """Make everybody play the first card that they may, beginning with the leader."""
    for step in range(4):
        may_play(callers[(first + step) % 4], 13 - number)
        callers[(first + step) % 4].send(cards(callers[(first + step) % 4])[0])


def may_play(caller: Caller, left: int) -> None:
    """Wait until a caller who holds this many cards may play one; an older screen shows more."""
    caller.wait(lambda: held(caller) == left and bool(cards(caller)), "a card's key")


def test_four_callers_play_a_round(bbs: Bbs) -> None:
    callers = seated(bbs, *NAMES)
    anna, bert, carl, dora = callers
    anna.send("s")
    say_healthy(callers)
    carl.see("with 11 cards or more")
    call = "Contra" if "[C] Contra" in carl.text else "Re"
    carl.send("c")  # not on turn
    for caller in callers:
        caller.hear(f"Carl says: {call}!")
    first = 1
    for trick in range(1, 12):
        play_trick(callers, first, trick)
        anna.hear(f"takes trick {trick} with")
        first = leader(anna)
    play_trick(callers, first, 12)
    for caller in callers:
        caller.see("The match is over.", "points only")
    dora.send("t")
    dora.see("Round 1:", "Ann Ber Car Dor")
    bert.send("l")
    bert.see("[L] This trick")
    told = bbs.yawcctl("history", "1")
    assert all(f"takes trick {trick} " in told for trick in range(1, 13))
    bbs.yawcctl("verify", "1")
