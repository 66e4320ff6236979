"""A tournament as callers meet it: called, entered, played at a table kept for them, paid; also past kills."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.test_poker import play_to_showdown
from tests.end_to_end.test_sysop import entered
from tests.isolation.stores import bank_in_file
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.engine.reserving import CLAIM
from yawc_poker.engine.values import Reserved

NEEDS = "yawc_poker.extras.tournaments"
NOBODY = Reserved("", (), 0, 0)
EVENING = FAST + "[tournaments]\nwait_seconds = 60\n"


def state(bbs: Bbs, number: int = 1) -> dict[str, object]:
    """Return a tournament with its places, as a program reads it."""
    found: dict[str, object] = json.loads(bbs.yawcctl("tournament", "show", str(number), "--json"))
    return found


def is_over(bbs: Bbs, number: int = 1) -> bool:
    told = state(bbs, number)["tournament"]
    assert isinstance(told, dict)
    return bool(told["state"] == "over")


def sign_up(caller: Caller, number: int, fee: int) -> None:
    caller.press("se")
    caller.see("Tournaments>")
    caller.send(str(number))
    caller.see("[S] Sign up")
    caller.send("s")
    if fee:
        caller.see(f"Pay {fee} CUBES", "(y/n)")
        caller.send("y")
    caller.see("You take part.", "Tournament>")
    caller.send("qq")
    caller.at_prompt()


def go_there(*callers: Caller) -> None:
    """Follow the call to the table of the match."""
    for caller in callers:
        caller.see("invites you", "J takes you there")
        caller.press("j")
        caller.see("Master:", "Pot:")


def play_to_the_end(is_done: Callable[[], bool], *callers: Caller) -> None:
    """Play hands for chips until one has them all: whoever is on turn passes, so another one wins the antes."""

    def on_turn() -> list[Caller]:
        for caller in callers:
            caller.drain()
        return [caller for caller in callers if "[P] Pass" in caller.text]

    def passes(caller: Caller) -> None:
        caller.send("py")
        caller.wait(lambda: "[P] Pass" not in caller.text and "(y/n)" not in caller.text, "the pass")

    while not is_done():
        wait_until(lambda: is_done() or bool(on_turn()), "the next hand")
        for caller in on_turn()[:1]:
            passes(caller)


def test_two_play_for_their_fees_until_one_has_all_chips(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", EVENING) as bbs:
        bert, anna = bbs.call().register("Bert"), bbs.call().register("Anna")
        bbs.yawcctl("tournament", "new", "poker", "--entry", "20", "--length", "1", "--name", "Friday")
        assert "Friday" in bbs.yawcctl("tournament")
        for caller in (bert, anna):
            sign_up(caller, 1, 20)
        bbs.yawcctl("tournament", "begin", "1")
        go_there(bert, anna)
        for caller in (bert, anna):
            caller.until("Pot:", "20 chips")
            caller.see("990 chips")
        play_to_showdown(bert, anna)
        anna.hear("wins 44 chips")
        for caller in (bert, anna):
            caller.hear("For chips: the ante is 20, a bet at most 400.")
        cara = bbs.call().register("Cara")
        cara.line("/join poker")
        cara.see("This table is reserved for others at the moment.")
        play_to_the_end(lambda: is_over(bbs), bert, anna)
        places = state(bbs)["places"]
        assert isinstance(places, list)
        assert [(one["rank"], one["points"], one["prize"]) for one in places] == [(1, 2000, 40), (2, 0, 0)]
        told = bbs.yawcctl("tournament", "show", "1")
        assert "CHIPS" in told
        winner, loser = (bert, anna) if places[0]["name"] == "Bert" else (anna, bert)
        for caller, cubes in ((winner, 120), (loser, 80)):
            if "Casino>" not in caller.text:
                caller.send("x")
            caller.see("Casino>")
            caller.press("e")
            caller.see("Tournaments>", "Friday, over")
            caller.send("1")
            caller.see("2000 chips  40 CUBES", f"out in hand {places[1]['out']}", "Fee: 20 CUBES")
            caller.send("qh")
            caller.see("won 1 tournament, 40 CUBES")
            with closing(bank_in_file(bbs.data / BANK_FILE, look_only=True)) as bank:
                assert bank.balance(("Bert", "Anna").index(caller.name) + 1) == cubes
        cara.sit().see("Master:", "Pot:")
        winner.hang_up()
        again = bbs.call().log_in(winner.name)
        assert "The tournament is over: Poker: Friday. Your place: 1. 40 CUBES" in again.text
        again.press("n")
        again.see(f"Tournaments: Poker: Friday, won by {winner.name}")
        again.send("q")
        again.at_prompt()
        again.press("b")
        again.see("Letters: 1 of 100, new: 1")
        again.press("1\r")
        again.see("From Testville", "Tournament 1: Poker: Friday", "Your place: 1.", "Your prize: 40 CUBES.")
        again.see(f"1. {winner.name}, 2. {loser.name}", "[D] delete (ENTER: back)")
        assert "[A]" not in again.text.splitlines()[-1]
    assert "clean" in bbs.yawcctl("audit")


def test_its_host_does_not_call_it_off_once_it_runs_however_long_the_question_stands(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", EVENING) as bbs:
        bert, anna = bbs.call().register("Bert"), bbs.call().register("Anna")
        bert.press("sen")
        for question, answer in (
            ("Which game?", "2"),
            ("In how many minutes", "60\r"),
            ("Hands until the ante doubles", "1\r"),
            ("The fee in CUBES", "20\r"),
            ("What is it called?", "\r"),
            ("Call it? (y/n)", "y"),
        ):
            bert.see(question)
            bert.send(answer)
        bert.see("It is called.", "Tournament>")
        bert.send("sy")
        bert.see("You take part.", "Tournament>")
        sign_up(anna, 1, 20)
        bert.send("c")
        bert.see("give all fees back? (y/n)")
        bbs.yawcctl("tournament", "begin", "1")
        anna.see("invites you")
        bert.send("y")
        bert.see("It is too late for that.")
        told = state(bbs)["tournament"]
        assert isinstance(told, dict)
        assert (told["state"], told["fees"]) == ("running", 40)
        assert "off" in bbs.yawcctl("tournament", "off", "1")


def test_one_look_begins_it_reserves_a_table_and_calls(tmp_path: Path) -> None:
    """On a BBS where nobody looks again for a minute, nobody waits for that."""
    with Bbs(tmp_path / "data", EVENING.replace("duty_seconds = 0.5", "duty_seconds = 600")) as bbs:
        bert, anna = bbs.call().register("Bert"), bbs.call().register("Anna")
        bbs.yawcctl("tournament", "new", "poker")
        for caller in (bert, anna):
            sign_up(caller, 1, 0)
        bbs.yawcctl("tournament", "begin", "1")
        anna.press("se")
        anna.see("hand 1", "[T] To your table")
        bert.see("invites you", "J takes you there")


def test_those_who_sit_there_bring_about_the_next_hand(tmp_path: Path) -> None:
    """By their ticks, though on this BBS nobody has a duty for ten minutes."""
    with Bbs(tmp_path / "data", EVENING.replace("duty_seconds = 0.5", "duty_seconds = 600")) as bbs:
        bert, anna = bbs.call().register("Bert"), bbs.call().register("Anna")
        bbs.yawcctl("tournament", "new", "poker", "--length", "1")
        for caller in (bert, anna):
            sign_up(caller, 1, 0)
        bbs.yawcctl("tournament", "begin", "1")
        anna.press("se")
        anna.see("hand 1", "[T] To your table")
        anna.send("t")
        anna.see("Master:", "Pot:")
        go_there(bert)
        anna.until("Pot:", "20 chips")
        anna.see("[P] Pass")
        anna.send("py")
        anna.hear("wins 20 chips")
        bert.until("Pot:", "40 chips")


def test_the_house_plays_for_whoever_does_not_come_and_nobody_else_sits_there(tmp_path: Path) -> None:
    config = (
        EVENING.replace("wait_seconds = 60", "wait_seconds = 10").replace(
            "players = 0", "players = 3\npace = [0.0, 0.01]"
        )
        + "[offiziersskat]\nturn_seconds = 0.2\n"
    )
    with Bbs(tmp_path / "data", config) as bbs:
        bert, anna, cara = (bbs.call().register(name) for name in ("Bert", "Anna", "Cara"))
        bbs.yawcctl("tournament", "new", "offiziersskat", "--rounds", "1", "--length", "1")
        for caller in (bert, anna):
            sign_up(caller, 1, 0)
        bbs.yawcctl("tournament", "begin", "1")
        anna.see("invites you")
        cara.line("/join offiziersskat")
        cara.see("This table is reserved for others at the moment.")
        anna.press("seT")
        anna.hear("sits down at the table.")
        wait_until(lambda: is_over(bbs), "the end")
        places = state(bbs)["places"]
        assert isinstance(places, list)
        assert {one["name"]: one["points"] for one in places}["Bert"] == 0
        bbs.yawcctl("tournament", "new", "poker", "--entry", "20")
        sign_up(cara, 1, 20)
        assert "off" in bbs.yawcctl("tournament", "off", "2")
        cara.press("b")
        cara.see("Tournament 2: Poker")
    assert "clean" in bbs.yawcctl("audit")


def test_a_tournament_outlives_the_listener_and_a_restart(tmp_path: Path) -> None:
    """What was broken off is played again; what was played counts."""
    with Bbs(tmp_path / "data", EVENING) as bbs:
        bert, anna = bbs.call().register("Bert"), bbs.call().register("Anna")
        bbs.yawcctl("tournament", "new", "poker", "--entry", "20", "--length", "1")
        for caller in (bert, anna):
            sign_up(caller, 1, 20)
        bbs.yawcctl("tournament", "begin", "1")
        go_there(bert, anna)
        anna.hear("starts a game")
        bbs.process.kill()
        bbs.close()
        bbs.start()
        play_to_showdown(bert, anna)
        anna.hear("wins 44 chips")
        anna.hear("Anna starts a game")
        anna.until("Pot:", "40 chips")
        bbs.stop()
        bbs.close()
        bbs.start()
        bert, anna = bbs.call().log_in("Bert"), bbs.call().log_in("Anna")
        go_there(bert, anna)
        anna.until("Pot:", "40 chips")
        play_to_the_end(lambda: is_over(bbs), bert, anna)
    assert "clean" in bbs.yawcctl("audit")


def test_the_house_plays_with_the_chips_of_whoever_does_not_come_until_they_do(tmp_path: Path) -> None:
    config = EVENING.replace("wait_seconds = 60", "wait_seconds = 2").replace("players = 0", "players = 3")
    with Bbs(tmp_path / "data", config.replace("turn_seconds = 60", "turn_seconds = 5")) as bbs:
        bert, anna = bbs.call().register("Bert"), bbs.call().register("Anna")
        bbs.yawcctl("tournament", "new", "poker", "--length", "1")
        for caller in (bert, anna):
            sign_up(caller, 1, 0)
        bbs.yawcctl("tournament", "begin", "1")
        go_there(anna)
        anna.until("Pot:", "20 chips")
        anna.see("990 chips")
        assert "Bert" not in anna.left(1, 8)
        bert.press("j")
        bert.see("Master:", "Pot:")
        anna.see("Bert")
        play_to_the_end(lambda: is_over(bbs), bert, anna)
        places = state(bbs)["places"]
        assert isinstance(places, list)
        assert [(one["rank"], one["points"]) for one in places] == [(1, 2000), (2, 0)]
    assert "clean" in bbs.yawcctl("audit")


def test_who_comes_in_reads_of_their_tournaments_and_the_wall_has_them_all(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", EVENING) as bbs:
        bert = bbs.call().register("Bert")
        bbs.yawcctl("tournament", "new", "poker", "--entry", "20", "--name", "Friday")
        sign_up(bert, 1, 20)
        bert.press("n")
        bert.see("Tournaments: Poker: Friday, open until")
        bert.hang_up()
        bert = bbs.call().log_in("Bert")
        assert "Your tournament: Poker: Friday, open until" in " ".join(bert.text.split())
        bert.hang_up()
        bbs.yawcctl("tournament", "off", "1")
        bert = bbs.call().log_in("Bert")
        assert "The tournament was called off: Poker: Friday. All fees went back." in " ".join(bert.text.split())
        assert "Your tournament" not in bbs.call().register("Anna").text
        told = bbs.yawcctl("events")
        assert "tournament 1, poker: called\n" in told
        assert "tournament 1, poker: called off\n" in told


def test_a_match_comes_before_the_next_game_of_those_who_sit_at_the_only_table(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", EVENING.replace("[poker]\n", "[poker]\ntables = 1\n")) as bbs:
        anna, bert = bbs.call().register("Anna"), bbs.call().register("Bert")
        bbs.yawcctl("tournament", "new", "poker", "--length", "1")
        for caller in (anna, bert):
            sign_up(caller, 1, 0)
            caller.sit()
        anna.hear("Bert sits down")
        anna.send("s")
        anna.hear("starts a game")
        bbs.yawcctl("tournament", "begin", "1")
        with entered(bbs) as instance:
            table = next(one for one in instance.tables if one.name == "poker 1")
            wait_until(lambda: (table.look().reserved or NOBODY).mark == CLAIM, "the claim")
        play_to_showdown(anna, bert)
        bert.hear("Bert starts a game")
        assert "tournament 1, poker: round 1 begins" in bbs.yawcctl("events")
        bert.until("Pot:", "20 chips")
        play_to_the_end(lambda: is_over(bbs), bert, anna)
