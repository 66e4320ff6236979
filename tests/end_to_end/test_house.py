"""House players: asked to join, they play, make room for people, and go with the last one."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.test_made_up_game import MadeUp, turn_over
from tests.end_to_end.test_wire_mixed import act
from tests.waiting import wait_until
from yawc_poker.session.house.house_player import NICE

CONFIG = FAST.replace("players = 0", "pace = [0.0, 0.1]") + "[highest]\ncards = 3\npause_seconds = 0\n"
MARKED = re.compile(r"^(\w+\*+):", re.MULTILINE)


@pytest.fixture(scope="module")
def town_of() -> Callable[[Path], Bbs]:
    """A BBS with one more game."""
    return lambda data: MadeUp(data, CONFIG)


def house(caller: Caller) -> list[str]:
    """The house players that a caller sees at the table."""
    return MARKED.findall(caller.left(2, 5))


def meets(caller: Caller, count: int) -> None:
    caller.wait(lambda: len(house(caller)) == count, f"{count} house players")


def comes_after(caller: Caller, first: str, later: str) -> bool:
    """Return whether a message was told behind another one, whatever house players have said since."""
    told = [first in one for one in caller.messages]
    return True in told and any(later in one for one in caller.messages[told.index(True) :])


def processes(town: Bbs) -> dict[str, int]:
    """The processes of the house players, by name."""
    found = (json.loads(line) for line in town.yawcctl("who", "--json").splitlines())
    return {one["name"]: one["pid"] for one in found if one["address"] == "house"}


def sit_alone(caller: Caller, keys: str = "y") -> None:
    caller.press("S7")
    caller.see("(y/n)", "play with the house (H)?")
    caller.press(keys)
    caller.see("[T] Turn over")


def test_a_caller_alone_plays_with_the_house_and_proves_it(town: Bbs) -> None:
    anna = town.call().register("Anna")
    sit_alone(anna, "h\r")
    meets(anna, 2)
    assert anna.field("Turn:") == "NO GAME"
    anna.send("s")
    turn_over(anna)
    anna.wait(lambda: anna.text.count("turns over") == 6, "the others' cards")
    anna.hear("gets place 1")
    status = json.loads(town.yawcctl("status", "--json"))
    assert (status["callers"], status["house"]) == (1, 2)
    metrics = town.yawcctl("verify", "1")
    assert "Game 1 is proven." in metrics
    anna.send("x")
    anna.at_prompt()
    wait_until(lambda: not processes(town), "the end of the house players")


def test_mau_mau_is_played_alone_from_the_first_card_to_the_last(town: Bbs) -> None:
    jana = town.call().register("Jana")
    jana.press("S3")
    jana.see("play with the house (H)?")
    jana.press("y")
    jana.see("[+] A house player joins")
    jana.send("++")
    jana.see("[+] A house player joins   [-] goes")
    jana.wait(lambda: "*" in jana.left(2, 5), "a house player")
    jana.send("s1\r")
    jana.see("Round 1 of 1")
    while jana.field("Turn:") != "NO GAME":
        jana.wait(lambda: jana.field("Turn:") in {"Jana", "NO GAME"}, "the own turn")
        if jana.field("Turn:") == "Jana":
            act(jana)
    jana.see("The game is over")
    (game,) = (json.loads(line) for line in town.yawcctl("history", "--user", "Jana", "--json").splitlines())
    verdict = town.yawcctl("verify", str(game["number"]))
    assert "is proven." in verdict
    assert "of 1 house player, each by its program" in verdict
    jana.send("x")
    jana.at_prompt()


def test_one_is_asked_to_join_and_sent_away_by_a_key(town: Bbs) -> None:
    bert = town.call().register("Bert")
    sit_alone(bert)
    bert.see("[+] A house player joins")
    bert.send("++")
    bert.see("sits down at the table; level: normal.", "[-] goes")
    meets(bert, 1)
    bert.send("-")
    bert.see("leaves the table.")
    meets(bert, 0)
    bert.send("./house hard\r")
    meets(bert, 1)
    assert "house" in town.yawcctl("who")
    bert.send("./house off\r")
    meets(bert, 0)


def test_a_killed_one_is_purged_and_the_game_goes_on(town: Bbs) -> None:
    carl = town.call().register("Carl")
    sit_alone(carl, "h2")
    meets(carl, 2)
    carl.send("s")
    carl.until("Turn:", "Carl")
    name, pid = next(iter(processes(town).items()))
    assert os.getpriority(os.PRIO_PROCESS, pid) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICE)
    assert os.getsid(pid) == pid  # the kernel shares processors among these before it looks at priorities
    psutil.Process(pid).kill()
    carl.hear(f"{name} was removed from the table.")
    turn_over(carl)
    carl.hear("gets place 1")
    carl.send("++")
    meets(carl, 2)


def test_a_person_gets_a_seat_at_a_table_full_of_house_players(town: Bbs) -> None:
    dora, emil = (town.call().register(name) for name in ("Dora", "Emil"))
    sit_alone(dora, "h3")
    dora.send("++")
    meets(dora, 3)
    dora.send("s")
    dora.until("Turn:", "Dora")
    emil.press("S7")
    emil.see("a house player makes room", "Wait for the seat? (y/n)")
    emil.press("y")
    emil.see("Waiting for a seat")
    assert len(house(dora)) == 3
    turn_over(dora)
    emil.see("[T] Turn over")
    dora.wait(lambda: "Emil:" in dora.left(2, 5), "Emil")
    dora.send("x")
    dora.at_prompt()
    dora.press("W")
    dora.see("2 users online.", "Names with a * at the end are house players: * easy, ** normal, *** hard.")


def test_a_wait_for_a_seat_ends_by_any_key(town: Bbs) -> None:
    fred, gina = (town.call().register(name) for name in ("Fred", "Gina"))
    sit_alone(fred, "h1")
    fred.send("++")
    meets(fred, 3)
    fred.send("s")
    fred.until("Turn:", "Fred")
    gina.press("S7")
    gina.see("Wait for the seat? (y/n)")
    gina.press("y")
    gina.see("Waiting for a seat")
    gina.send("q")
    gina.at_prompt()


def test_a_sysop_ends_one(town: Bbs) -> None:
    hans = town.call().register("Hans")
    sit_alone(hans)
    hans.send("++")
    meets(hans, 1)
    (name,) = house(hans)
    town.yawcctl("kick", name, "--reason", "a test")
    hans.hear(f"{name} was removed from the table.")
    hans.send("x")
    hans.at_prompt()
    hans.press(f"P{name}\r")
    hans.see(f"There is no user called {name}.")


def test_without_house_players_nothing_is_offered(tmp_path: Path) -> None:
    with MadeUp(tmp_path / "data", FAST) as town:
        ines = town.call().register("Inga")
        ines.press("S7")
        ines.see("Sit down and wait until others join you? (y/n)")
        ines.press("y")
        ines.see("[T] Turn over")
        ines.send("++")
        ines.send("./house\r")
        ines.see("There is no command /house.")
        assert "house player" not in ines.text
        assert not processes(town)


def test_the_seat_of_a_caller_whose_line_broke_is_kept_and_given_back(town: Bbs) -> None:
    kurt, lena = (town.call().register(name) for name in ("Kurt", "Lena"))
    kurt.press("S4")
    kurt.see("play with the house (H)?")
    kurt.press("y")
    kurt.see("Match:")
    kurt.send("++++")
    lena.press("S4")
    lena.see("Sit down with them? (y/n)")
    lena.press("y")
    lena.see("Match:")
    kurt.wait(lambda: kurt.left(2, 5).count("**") == 2, "two house players")
    kurt.send("s")
    kurt.see("Round 1 of")
    lena.hang_up()
    kurt.hear("Lena was removed from the table.")
    kurt.wait(lambda: comes_after(kurt, "Lena was removed", "* sits down at the table;"), "a stand-in")
    again = town.call().comes_back("Lena")
    again.see("Round 1 of")
    assert "A house player plays for you; here is your seat again." in again.transcript
    kurt.hear("Lena sits down at the table.")
    for caller in (again, kurt):
        caller.send("xy")
        caller.at_prompt()
    wait_until(lambda: not processes(town), "the end of the house players")


def test_a_house_player_is_the_master_of_a_game_that_its_master_has_passed(tmp_path: Path) -> None:
    """`S 2 H ENTER`, `S`, `P` `y`: the screen, shared memory and the rules name the same one, who begins each round."""
    slow = FAST.replace("players = 0", "pace = [3.0, 3.0]")
    with Bbs(tmp_path / "data", slow) as bbs:
        anna = bbs.call().register("Anna")
        anna.press("S2")
        anna.see("play with the house (H)?")
        anna.press("h\r")
        anna.wait(lambda: "*" in anna.left(2, 5), "a house player")
        assert anna.field("Master:") == "Anna"
        anna.send("s")
        anna.see("[P] Pass")
        anna.send("py")
        anna.wait(lambda: anna.field("Master:").endswith("*"), "the house player as the master")
        name = anna.field("Master:")
        anna.hear(f"{name} is the new Game-Master.")
        if anna.field("Turn:") != "NO GAME":
            assert anna.field("Turn:") == name
        (table,) = (one for line in bbs.yawcctl("tables", "--json").splitlines() if (one := json.loads(line))["seats"])
        if table["running"]:
            assert [one["name"] for one in table["seats"] if one["master"]] == [name]
        anna.wait(lambda: anna.field("Turn:") == "NO GAME" and anna.field("Master:") == "Anna", "the end of the game")
        anna.send("x")
        anna.at_prompt()
