"""`!` at a table: a hint on one's own turn, told by all at the table once, in the history, and in no rating."""

import fcntl
import os
import re
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.listener import Listener
from tests.end_to_end.test_poker import play_to_showdown
from tests.isolation.stores import bank_in_file
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.instance.instance import LONG_ERRANDS_FILE
from yawc_poker.casino.store.connection import Store
from yawc_poker.extras.ratings.rows import of_user

NEEDS = "yawc_poker.extras.hints"
HOUSE = "players = 2\npace = [0.0, 0.1]"
CONFIG = FAST.replace("players = 0", HOUSE).replace("pause_seconds = 0.3", "pause_seconds = 0")
SKAT = "5"
THINKS = "A hard house player looks"


def _rated(store: Store) -> int:
    with store.reading() as books:
        (count,) = books.execute("SELECT count(*) FROM rated").fetchone()
    return int(count)


@pytest.fixture
def bbs(tmp_path: Path) -> Bbs:
    return Bbs(tmp_path / "data", CONFIG)


def plays_with_the_house(caller: Caller) -> None:
    """Begin a match of Offiziersskat with a house player, and wait for the caller's turn."""
    caller.press("S" + SKAT)
    caller.see("play with the house (H)?")
    caller.press("h2")
    caller.see("[!] A hint", "turn!")


def test_with_the_house_alone_a_key_gives_one_and_the_history_says_so(bbs: Bbs) -> None:
    with bbs:
        anna = bbs.call().register("Anna")
        plays_with_the_house(anna)
        anna.see("[!] A hint")
        anna.send("!")
        anna.hear("Anna takes hints in this game.")
        anna.hear("Advice: ")
        anna.hear("You win the round: ")
        anna.send("!")
        anna.send("x")
        anna.see("(y/n)")
        anna.send("y")
        anna.at_prompt()
        told = bbs.yawcctl("history", "1")
        assert len(re.findall(r"Anna takes hints|takes hints", told)) == 1
        assert "proven" in bbs.yawcctl("verify", "1")
        assert "clean" in bbs.yawcctl("audit")


def test_between_people_only_if_the_master_allowed_it_and_who_wins_so_for_no_rating(bbs: Bbs) -> None:
    with bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        bert.send("./hints on\r")
        bert.see("Only the Game-Master")
        anna.send("s")
        anna.see("[P]")
        anna.send("!")
        anna.see("Hints are for games with house", "/hints on")
        play_to_showdown(anna, bert)
        anna.hear("wins 44 CUBES")
        anna.wait(lambda: anna.field("Master:") in {"Anna", "Bert"}, "a master")
        first, second = (anna, bert) if anna.field("Master:") == "Anna" else (bert, anna)
        first.send("./hints on\r")
        for caller in (first, second):
            caller.hear(f"{first.name} allows hints in the games to come.")
        first.send("s")
        first.see("[P]")
        first.send("!")
        second.hear(f"{first.name} takes hints in this game.")
        first.hear("Advice: ")
        play_to_showdown(first, second)
        first.hear("wins 44 CUBES")
        with closing(bank_in_file(bbs.data / BANK_FILE, look_only=True)) as bank:
            wait_until(lambda: _rated(bank.store) == 2, "both games")
            with bank.store.reading() as books:
                ((winner,),) = books.execute("SELECT user FROM winner WHERE game = 2").fetchall()
            counted = 1 if winner == {"Anna": 1, "Bert": 2}[first.name] else 2
            assert {of_user(bank.store, user)["poker"].games for user in (1, 2)} == {counted}
        assert "clean" in bbs.yawcctl("audit")


def test_whoever_plays_on_at_once_hears_no_late_hint(bbs: Bbs) -> None:
    with bbs:
        anna = bbs.call().register("Anna")
        plays_with_the_house(anna)
        anna.send("!1")
        anna.hear("Anna takes hints in this game.")
        anna.hear("takes trick 1")
        anna.wait(lambda: "Choose a card" in anna.text and THINKS not in anna.text, "the next turn")
        anna.send("!")
        anna.hear("Advice: ")
        assert anna.text.count("Advice: ") == 1


def test_it_is_told_in_lines_and_the_key_is_named(bbs: Bbs) -> None:
    with bbs:
        cara = Listener(bbs).register("Cara")
        cara.presses("S" + SKAT, r"play with the house")
        cara.presses("h", r"\[1\]")
        cara.presses("1", r"^Your turn, \d+ seconds")
        cara.presses("?", r"\[!\] \(exclamation mark\) A hint")
        cara.presses("!", r"^Cara takes hints in this game")
        cara.hears(r"^Advice: (\w+ of \w+)\. Next best: \w+ of \w+\.")
        assert cara.is_harmless()


def test_the_deal_of_the_day_has_none(bbs: Bbs) -> None:
    with bbs:
        anna = bbs.call().register("Anna")
        anna.press("SD" + SKAT)
        anna.see("Your five minutes begin now")
        anna.press("y")
        anna.see("Choose a card")
        anna.send("!")
        anna.see("There are no hints in the deal of")


def test_nobody_who_plays_or_logs_in_waits_for_a_hint(bbs: Bbs) -> None:
    """All places at which hints are worked out are taken: the game goes on meanwhile, and somebody logs in."""
    with bbs:
        anna = bbs.call().register("Anna")
        plays_with_the_house(anna)
        file = os.open(bbs.data / LONG_ERRANDS_FILE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.lockf(file, fcntl.LOCK_EX)
            anna.send("!")
            anna.see(THINKS)
            bbs.call().register("Bert")
            anna.send("1")
            anna.hear("takes trick 1")
            anna.wait(lambda: "[!] A hint" in anna.text and THINKS not in anna.text, "the next turn")
            assert "Advice: " not in anna.text
            anna.send("!")
            anna.see(THINKS)
        finally:
            os.close(file)
        anna.hear("Advice: ")
