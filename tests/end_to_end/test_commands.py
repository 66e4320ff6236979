"""Commands: `/join` at the prompts, `/start`, `/option` and unknown ones at the tables; options belong to the table."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs

TWO_POKER_TABLES = FAST.replace("[poker]", "[poker]\ntables = 2") + "[maumau]\nport = 0\npause_seconds = 0\n"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data", TWO_POKER_TABLES) as bbs:
        yield bbs
        bbs.is_sound()


def test_from_the_prompt_to_a_game_by_commands(hall: Bbs) -> None:
    anna, bert = (hall.call().register(name) for name in ("Anna", "Bert"))
    anna.send("/")
    anna.see(")> /")
    anna.send("join\r")
    anna.see("The games: Poker, Mau-Mau, Doppelkopf, Offiziersskat.")
    anna.press("/join chess\r")
    anna.see("There is no such game.", "The games: Poker, Mau-Mau, Doppelkopf, Offiziersskat.")
    anna.press("/start\r")
    anna.see("Here there are /join, /watch, /linear, /screen, /report, as in /join poker.", "/watchers,")
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
    bert.hear("There is no command /cards.")
    bert.hear("/linear, /screen")
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


def test_a_match_for_cubes_is_settled_with_those_who_left_as_well(tmp_path: Path) -> None:
    names = ("Anna", "Bert", "Carl", "Dora")
    with Bbs(
        tmp_path / "data", FAST + "[doppelkopf]\nturn_seconds = 0.05\nmaster_seconds = 60\npause_seconds = 0\n"
    ) as bbs:
        anna, bert, carl, dora = people = [bbs.call().register(name) for name in names]
        anna.press("/join doppelkopf\r")
        anna.see("Match:", "points only")
        for choice in ("rounds 1", "cubes 10"):
            anna.send(f"./option {choice}\r")
        anna.see("10 CUBES a point")
        for caller in people[1:]:
            caller.press("/join doppelkopf\r")
            caller.see("A match of 1 round.", "At stake: 10 CUBES for each point", "(y/n)")
            caller.send("y")
            caller.see("Stakes:", "10 CUBES a point")
        anna.see(*names[1:])
        anna.send("./start\r")
        bert.see("Round 1 of 1")
        bert.send("xy")
        bert.at_prompt()
        for caller in (anna, carl, dora):
            caller.see("the match with")  # who sits out reads that, and not that the match is over
        told = json.loads(bbs.yawcctl("history", "1", "--json"))
        totals = {one["seat"]: one["total"] for one in told["standings"]}
        moved = {one["seat"]: one["got"] - one["paid"] for one in told["game"]["players"]}
        assert sum(moved.values()) == 0
        assert all((moved[seat] < 0, moved[seat] > 0) == (total < 0, total > 0) for seat, total in totals.items())
        if max(map(abs, totals.values())) <= 10:  # nobody owes more than the 100 CUBES they own
            assert moved == {seat: 10 * total for seat, total in totals.items()}
        assert "proven" in bbs.yawcctl("verify", "1")
        bbs.is_sound()
