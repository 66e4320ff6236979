"""More than one poker table: chosen in the casino, each with a game of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data", FAST.replace("[poker]", "[poker]\ntables = 3")) as bbs:
        yield bbs
        bbs.is_sound()


def sit(caller: Caller, table: str) -> None:
    caller.press("S2")
    caller.see("Which table, 1 to 3?")
    caller.line(table)
    caller.see("(y/n)")
    caller.send("y")
    caller.see("Master:", "Pot:")


def test_two_tables_play_their_own_games(hall: Bbs) -> None:
    people = [hall.call().register(name) for name in ("Anna", "Bert", "Carl", "Dora")]
    anna, bert, carl, dora = people
    for caller, table in zip(people, "1122", strict=True):
        sit(caller, table)
    anna.send("s")
    bert.until("Pot:", "20 CUBES")
    assert carl.field("Pot:") == "NO GAME"
    carl.send("s")
    dora.until("Pot:", "20 CUBES")
    anna.bet("50")
    bert.until("Pot:", "70 CUBES")
    assert dora.field("Pot:") == "20 CUBES"
    assert "Carl" not in anna.text
    assert "Anna" not in carl.text
    anna.send("xx")
    bert.hear("wins 70 CUBES")
    carl.until("Turn:", "Carl")


def test_the_menu_shows_who_sits_where(hall: Bbs) -> None:
    anna, bert = (hall.call().register(name) for name in ("Anna", "Bert"))
    sit(anna, "2")
    bert.press("S2")
    bert.see("Table 2: Anna", "2 empty tables, the first is number 1.")
    bert.line("4")
    bert.see("There is no such table.")
    bert.at_prompt()
    bert.press("W")
    bert.see("Poker table 2")
    for back in ("\r\n", "q"):
        bert.press("S2")
        bert.see("Which table")
        bert.send(back)
        bert.at_prompt()
    bert.press("S2")
    bert.see("Which table")
    bert.line("3")
    bert.see("Nobody is using the game")
    bert.send("n")
    bert.at_prompt()
