"""The games one has played, in the casino's menu: the list, the page, and nobody else's cards."""

import hashlib
import re
import subprocess
from pathlib import Path

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.test_poker import play_to_showdown
from yawc_poker.cards import Rank, deck

SEAL = re.compile(r"\[SYSTEM\] ([0-9a-f]{64})$", re.MULTILINE)


def play(anna: Caller, bert: Caller) -> str:
    """Play a game and give the seal that was told before it, which both have read."""
    anna.send("s")
    for caller in (anna, bert):
        caller.hear("The cards are shuffled and sealed.")
        caller.until("Turn:", "Anna")
    (seal,) = {str(found) for caller in (anna, bert) for found in SEAL.findall(caller.text)}
    play_to_showdown(anna, bert)
    for caller in (anna, bert):
        caller.hear("wins 44 CUBES")
    return seal


def read_page(caller: Caller) -> str:
    """Read a page to its end, window by window, and give all of its text."""
    read: list[str] = []
    while True:
        caller.wait(lambda: caller.prompt.startswith("-- "), "a page")
        read += caller.lines[: caller.screen.cursor.y]
        if caller.prompt.startswith("-- end"):
            caller.press(" ")
            return "\n".join(read)
        caller.press(" ")


def test_the_page_of_a_game_proves_the_seal_that_was_told(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    seal = play(anna, bert)
    for caller in (anna, bert):
        caller.send("x")
        caller.at_prompt()
    anna.press("SG")
    anna.see("Games played", "Bert", "Which game?")
    anna.press("1\r")
    text = read_page(anna)
    assert f"  {seal}\n" in text
    assert "Checked just now: seal, cards, moves and CUBES agree." in text
    assert text.count(" is dealt ") == 2
    assert "wants to see the cards!" in text
    shell = re.search(r"^ +printf .*sha256sum$", text, re.MULTILINE | re.DOTALL)
    assert shell is not None
    assert subprocess.check_output(["sh", "-c", shell[0]], text=True).split()[0] == seal
    cards = re.findall(r"(?:10|[5-9JQKA])[-#*+]", shell[0])
    assert sorted(cards) == sorted(str(card) for card in deck(Rank))
    anna.see("  Bert\n", "Which game?")  # the list once more, for the next one
    anna.send("q")
    anna.at_prompt()


def test_it_is_told_in_german_too(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    seal = play(anna, bert)
    bert.send("x")
    bert.at_prompt()
    bert.send("LD\r")
    bert.see("Hilfe)>")
    bert.press("SG")
    bert.see("[G] Gespielte Spiele", "Welches Spiel?")
    bert.press("1\r")
    text = ""
    while "sha256sum" not in text:
        bert.wait(lambda: bert.prompt.startswith("-- "), "a page")
        text += bert.text
        bert.press(" ")
    assert seal in text
    assert "gewann den Topf mit 44 CUBES." in text
    assert "Prüfe es" in text


def test_only_games_at_whose_table_one_sat(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    zoe = bbs.call().register("Zoe")
    play(anna, bert)
    zoe.press("SG")
    zoe.see("You have not played any games yet.")
    zoe.at_prompt()
    bert.send("x")
    bert.at_prompt()
    bert.press("SG")
    bert.see("Which game?")
    for wrong in ("2", "0", "x", "-1", "999999999"):
        bert.press(f"{wrong}\r")
        bert.see("You have no game with this number.")
    bert.press("\r")
    bert.at_prompt()


def test_a_running_game_shows_its_seal_and_nothing_hidden(bbs: Bbs) -> None:
    anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    anna.bet("4")
    carl.until("Turn:", "Bert")
    bert.send("x")
    bert.at_prompt()
    bert.press("SG")
    bert.see("Which game?")
    bert.press("1\r")
    text = read_page(bert)
    assert "The game is still running." in text
    assert "Anna bets 4 CUBES." in text
    assert not re.search(r"(?<!\d)(?:10|[5-9JQKA])[-#*+]", text)
    assert SEAL.findall(anna.text)[0] in text


def test_a_long_list_goes_on_with_older_games(tmp_path: Path) -> None:
    config = FAST.replace("pause_seconds = 0.3", "pause_seconds = 0").replace("start_cubes = 100", "start_cubes = 1000")
    with Bbs(tmp_path / "data", config) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        for _ in range(14):
            master, other = (anna, bert) if anna.field("Master:") == "Anna" else (bert, anna)
            master.press("\x0c")
            master.see("[S]")
            master.send("s")
            master.see("[P]")
            other.send("x")
            other.at_prompt()
            master.hear("wins 20 CUBES")
            other.sit()
        anna.send("x")
        anna.at_prompt()
        anna.press("SG")
        anna.see("Which game? (+: older ones, ENTER: back)")
        listed = re.findall(r"^ +(\d+)  \d{4}-", anna.text, re.MULTILINE)
        assert [int(one) for one in listed] == list(range(14, 2, -1))
        anna.press("+\r")
        anna.see("Which game? (ENTER: back)")
        assert re.findall(r"^ +(\d+)  \d{4}-", anna.text, re.MULTILINE) == ["2", "1"]
        assert re.search(r"^ +1  [-\d :]+  Poker +1  +[-+]10  Bert$", anna.text, re.MULTILINE)


def test_the_seal_is_what_everybody_computes(bbs: Bbs) -> None:
    """No shell needed: hashlib says the same of the text on the page."""
    anna, bert = bbs.seat("Anna", "Bert")
    seal = play(anna, bert)
    anna.send("x")
    anna.at_prompt()
    anna.press("SG")
    anna.see("Which game?")
    anna.press("1\r")
    pieces = re.findall(r"'([^']*)'", read_page(anna))
    assert hashlib.sha256("".join(pieces).encode()).hexdigest() == seal
