"""Commands: `/join` at the prompts, `/start`, `/option` and unknown ones at the tables; options belong to the table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs

TWO_POKER_TABLES = FAST.replace("[poker]", "[poker]\ntables = 2") + "[maumau]\nport = 0\npause_seconds = 0.3\n"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data", TWO_POKER_TABLES) as bbs:
        yield bbs
        bbs.audit()


def test_from_the_prompt_to_a_game_by_commands(hall: Bbs) -> None:
    anna, bert = (hall.call().register(name) for name in ("Anna", "Bert"))
    anna.send("/")
    anna.see(")> /")
    anna.send("join\r")
    anna.see("The games: Poker, Mau-Mau, Doppelkopf.")
    anna.press("/join chess\r")
    anna.see("There is no such game.", "The games: Poker, Mau-Mau, Doppelkopf.")
    anna.press("/start\r")
    anna.see("Here there is /join, as in /join poker. At a table there are /start, /option,", "/word, /seal.")
    anna.press("/join poker 3\r")
    anna.see("There is no such table.")
    anna.press("S/join poker 2\r")
    anna.see("Master:", "Pot:")
    bert.press("/join Poker\r")
    bert.see("Table 2: Anna", "Which table, 1 to 2?")
    bert.line("2")
    bert.see("Master:", "Pot:")
    bert.send("./start\r")
    bert.see("Only the Game-Master may do that.")
    bert.send("./join poker\r")
    bert.see("You sit at this table already.")
    bert.send("./cards\r")
    bert.see("There is no command /cards.")
    bert.send("./option\r")
    bert.hear("The ante is 10 CUBES, a bet at most 200 CUBES.")
    bert.hear("The sysop chooses the stakes.")
    anna.send("./start\r")
    bert.until("Pot:", "20 CUBES")
    assert not any("/" in message for message in anna.messages), "a command is not sent as chat"


def test_the_options_belong_to_the_table(hall: Bbs) -> None:
    anna, bert, carl = (hall.call().register(name) for name in ("Anna", "Bert", "Carl"))
    anna.press("/join mau-mau\r")
    anna.see("Master:")
    anna.send("./option rounds 300\r")
    anna.see("Please type a number from 1 to 255.")
    anna.send("./option cards\r")
    anna.hear("The Game-Master may choose: /option rounds 1-255")
    anna.send("./option rounds 7\r")
    anna.hear("Anna chooses how the next game is played:")
    anna.hear("7 rounds are played.")
    bert.press("/join maumau\r")
    bert.see("Anna", "7 rounds are played.", "Sit down with them? (y/n)")
    bert.send("y")
    bert.hear("7 rounds are played.")
    bert.send("./option rounds 2\r")
    bert.see("Only the Game-Master may do that.")
    anna.send("s")
    anna.see("[ENTER] alone: 7")
    anna.send("\x1b")
    anna.send("./start\r")
    bert.see("1 of 7")
    anna.send("./option rounds 2\r")
    anna.see("A game is running.")
    anna.send("xy")
    bert.hear("wins the game")
    bert.send("x")
    bert.at_prompt()
    carl.press("/join mau-mau\r")
    carl.see("Master:")
    carl.send("./option\r")
    carl.hear("4 rounds are played.")
