"""The first minute of somebody new, and the next game: keys that are told lead to a game, and back to the casino."""

from pathlib import Path

from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.test_sysop import entered
from tests.waiting import wait_until
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import Reserved

HOUSE = FAST.replace("players = 0", "pace = [0.0, 0.1]")


def test_whoever_is_new_plays_at_once_and_the_same_once_more(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", HOUSE) as bbs:
        anna = bbs.call().register("Anna")
        assert "To play at once, with the house: S 2 H ENTER" in anna.text
        assert "Be kind to each other: H 5 has the rules of conduct." in anna.text
        anna.press("c")
        anna.see("You have not played any games yet.")
        anna.at_prompt()
        anna.press("s2h\r")
        anna.see("Master:")
        anna.hear("level: normal")
        anna.send("s")
        anna.see("[P] Pass")
        assert "[B] Bet (" in anna.text
        anna.send("xx")
        anna.at("Casino> ")
        anna.press("c")
        anna.see("Master:")
        anna.hear("level: normal")
        anna.send("x")
        anna.at("Casino> ")
        anna.press("w")  # means what it means at the prompt
        anna.see("1 user online.")
        anna.at_prompt()
        anna.press("s3")
        anna.see("(y/n)")
        anna.send("q")
        anna.at_prompt()
        bbs.is_sound()


def is_reserved(table: GameTable) -> bool:
    """Reserve a table for nobody; return whether that was possible."""
    try:
        table.reserve(Reserved("others", (), 2, 1), "")
    except IllegalMove:
        return False
    return True


def test_the_same_once_more_is_at_another_table_where_that_one_is_reserved(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", HOUSE.replace("[poker]\n", "[poker]\ntables = 2\n")) as bbs:
        anna = bbs.call().register("Anna")
        anna.press("s21\rh\r")
        anna.see("Master:")
        anna.hear("level: normal")
        anna.send("s")
        anna.see("[P] Pass")
        anna.send("xx")
        anna.at("Casino> ")
        with entered(bbs) as instance:
            first = next(table for table in instance.tables if table.name == "poker 1")
            wait_until(lambda: is_reserved(first), "a table without a game")
            anna.press("c")
            anna.see("Master:")
            assert "poker 2, seat" in bbs.yawcctl("who")
            first.release("others")
