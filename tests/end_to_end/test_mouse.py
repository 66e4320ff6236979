"""A table that is touched at a terminal: a click of the mouse is the key that it meets, for callers who want that."""

import pytest

from tests.end_to_end.bbs import Bbs, Caller
from tests.end_to_end.test_look import leave
from yawc_poker.terminal.display import MOUSE


def wants_the_mouse(caller: Caller) -> None:
    """Switch the mouse on by `L`."""
    caller.send("l")
    caller.see("[8] Keys and cards by the mouse", "off")
    caller.press("8")
    caller.wait(lambda: any("[8]" in line and line.endswith(" on") for line in caller.lines), "a mouse that is on")
    caller.send("\r")
    caller.at_prompt()


def click(caller: Caller, text: str) -> None:
    """Press and release the mouse's first button on a text, as soon as it is there."""
    caller.see(text)
    row, line = next((row, line) for row, line in enumerate(caller.lines) if text in line)
    click_at(caller, line.index(text), row)


def click_at(caller: Caller, column: int, row: int) -> None:
    at = f"{column + 1};{row + 1}"
    caller.send(f"\x1b[<0;{at}M\x1b[<0;{at}m")


def test_a_game_by_the_mouse(town: Bbs) -> None:
    anna, bert = town.call().register("Mouse Mia"), town.call().register("Key Ken")
    wants_the_mouse(anna)
    assert MOUSE.on not in anna.raw
    anna.sit()
    assert MOUSE.on in anna.raw
    bert.sit()
    assert MOUSE.on not in bert.raw
    anna.hear("Key Ken sits down")
    click(anna, "Start a game")
    click(anna, "[B]")
    anna.see("How many CUBES")
    anna.send("\r")
    bert.bet()
    anna.see("[D] Done")
    click_at(anna, 5, 8)  # in the middle of the first card
    anna.wait(lambda: "░" in anna.left(7, 11), "the back of a marked card")
    click(anna, "Done")
    bert.hear("Mouse Mia is done changing cards")
    click_at(anna, 0, 15)  # on what people said: nothing
    leave(anna)
    assert anna.raw.count(MOUSE.on) == anna.raw.count(MOUSE.off) == 1


@pytest.mark.parametrize("kind", [b"VT220", b"ANSI"])
def test_other_terminals_take_none(town: Bbs, kind: bytes) -> None:
    caller = town.call(kind=kind).register(f"None {kind.decode()}")
    caller.send("l8")
    caller.see("on, but your terminal takes none")
    caller.send("\r")
    caller.at_prompt().sit()
    assert b"\x1b[?1000h" not in caller.raw
