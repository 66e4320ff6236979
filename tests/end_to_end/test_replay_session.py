"""A finished game looked at again, by telnet, in lines, by a page's link, by the sysop; by whom, with which cards."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.browser import Tab
from tests.ports import free_port
from yawc_poker.extras.replay.notation import read

NEEDS = "telnetd.extras.web"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bbs]:
    """A BBS where Anna won against Bert, who passed with covered cards, while Carl looked on; all have left."""
    folder = tmp_path_factory.mktemp("played")
    with Bbs(folder / "data", f"{FAST}[web]\n", web_port=free_port()) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        carl = bbs.call().register("Carl")
        carl.press("/watch poker\r")
        carl.see("Master:", "Watching:")
        anna.send("s")
        anna.bet("5")
        bert.hear("Anna bets 5")
        bert.until("Turn:", "Bert")
        bert.send("p")
        bert.see("(y/n)")
        bert.send("y")
        anna.see("[R] Show my")
        anna.send("r")
        anna.hear("Anna wins")
        carl.hear("Anna wins")
        for caller in (anna, bert, carl):
            caller.send("x")
            caller.hang_up()
        bbs.everybody_out()
        yield bbs


def shown(caller: Caller, number: int = 1) -> Caller:
    """Ask for a game in the casino."""
    caller.press("S")
    caller.see("[R]", "Casino>")
    caller.send("R")
    caller.see("Which game shall be played again?")
    caller.line(str(number))
    return caller


def test_who_played_looks_at_the_game_move_by_move(played: Bbs) -> None:
    with shown(played.call().log_in("Anna")) as anna:
        anna.see("Game 1, move 0 of 3", "as Anna saw it", "[N] Next move", "Turn:   Anna")
        own = anna.left(7, 11)
        anna.send("n")
        anna.see("move 1 of 3")
        anna.hear("Anna bets 5 CUBES")
        assert anna.field("Turn:") == "Bert"
        anna.send("\x1b[F")
        anna.see("move 3 of 3")
        anna.hear("Anna wins")
        anna.send("\x1b[H")
        anna.see("move 0 of 3")
        assert anna.left(7, 11) == own
        anna.send("a")
        anna.see("Bert:", "5 covered cards")
        anna.send("0")
        anna.see("as everybody saw it", "You are watching")
        anna.send("2")
        anna.drain()
        assert "as Bert saw it" not in anna.text
        anna.send("p")
        anna.see("a move in 2 s", "move 1 of 3")
        anna.send("+")
        anna.see("move 3 of 3")
        anna.send("q")
        anna.see("Which game shall be played again?")
        anna.send("q")
        anna.at_prompt()


def test_in_a_window_that_becomes_too_small_it_is_told_in_lines(played: Bbs) -> None:
    with shown(played.call().log_in("Anna")) as anna:
        anna.see("move 0 of 3", "[N] Next move")
        anna.resize(60, 20)
        anna.see("Turn: Anna", "Replay ([?]: keys)>")
        anna.send("n")
        anna.see("Anna bets 5 CUBES.")
        anna.resize(80, 24)
        anna.see("move 1 of 3", "[N] Next move")


def test_who_watched_sees_what_everybody_saw(played: Bbs) -> None:
    with shown(played.call().log_in("Carl")) as carl:
        carl.see("move 0 of 3", "as everybody saw it")
        carl.send("a")
        carl.see("Bert:", "5 covered cards")
        carl.wait(lambda: carl.text.count("5 covered cards") == 1, "the cards that Anna has shown")
        carl.send("2")
        carl.send("1")
        carl.see("as Anna saw it")
        assert "[X]" not in carl.text


def test_others_see_it_once_a_player_has_laid_it_open_with_that_players_cards(played: Bbs) -> None:
    with shown(played.call().register("Dora")) as dora:
        dora.see("There is no game with this number that you may look at.")
        with shown(played.call().log_in("Bert")) as bert:
            bert.see("as Bert saw it", "[O] Open to all")
            bert.send("o")
            bert.see("Everybody may look at this game now, with your cards.")
            bert.send("n")
            bert.wait(lambda: "[O]" not in bert.lines[23] and "[Q]" in bert.lines[23], "no such key")
        dora.line("1")
        dora.see("move 0 of 3", "as everybody saw it")
        dora.send("a")
        dora.see("Anna:", "Bert:")
        dora.wait(lambda: "covered cards" not in dora.text, "Bert's cards")
        dora.send("2")
        dora.see("as Bert saw it")


def test_it_is_told_in_lines(played: Bbs) -> None:
    with played.call().log_in("Anna") as anna:
        anna.press("/linear\r")
        anna.see("told in lines")
        shown(anna)
        anna.see("Game 1, move 0 of 3, 0:00, as Anna saw it", "Your cards: ", "Replay ([?]: keys)>")
        anna.send("\r")
        anna.see("Anna bets 5 CUBES.")
        anna.send("\r")
        anna.see("Bert passes.")
        anna.send(">")
        anna.see("Anna wins ")
        anna.send("=")
        anna.see("move 3 of 3", "Pot: ")
        anna.send("?")
        anna.see("[N] Next move", "[<] (less-than sign) Beginning", "[L] Link")
        anna.send("<")
        anna.send("p")
        anna.see("A move in 2 seconds.")
        anna.send("p")
        anna.see("Stopped.")
        anna.send("q")
        anna.see("Which game shall be played again?")
        anna.send("\r")
        anna.at_prompt()
        anna.press("/screen\r")
        anna.see("drawn on a screen")


def test_a_link_leads_a_page_there_and_it_tells_each_move(played: Bbs) -> None:
    assert played.web_port is not None
    with Tab(played.web_port, place="game-1") as tab:
        tab.name = "Anna"
        tab.see("Name:")
        tab.line("Anna")
        tab.see("Password:")
        tab.line("secret-1")
        tab.see("move 0 of 3", "as Anna saw it")
        tab.offers("n", "b", "t", "r", "p", "a", "0", "1", "l", "q")
        tab.send("n")
        tab.told("Anna bets 5 CUBES.")
        tab.send("l")
        tab.told("To this game: http://bbs.example/#game-1")
        tab.send("q")
        tab.at_prompt()


def test_a_sysop_tells_it_writes_it_and_proves_what_was_written(played: Bbs, tmp_path: Path) -> None:
    told = played.yawcctl("replay", "1")
    assert re.search(r"^ +1 +0:0\d  Anna bets 5 CUBES\.$", told, re.MULTILINE)
    assert "Anna wins" in told
    assert "Your cards: " in played.yawcctl("replay", "1", "--seat", "2")
    assert "Anna" in played.yawcctl("replay", "1", "--screen")
    file = tmp_path / "game.txt"
    played.yawcctl("replay", "1", "--write", str(file))
    assert read(file.read_text()).game.number == 1
    assert played.yawcctl("replay", str(file)).endswith("The game is proven. It is game 1 of this BBS.\n")


def test_a_caller_pastes_a_game_which_is_checked_and_told(played: Bbs, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    played.yawcctl("replay", "1", "--write", str(file))
    text = file.read_text()
    with played.call().register("Paula") as paula:
        paula.press("S")
        paula.see("Casino>")
        paula.send("R")

        def pasted(what: str) -> None:
            paula.see("Which game shall be played again? (T: one as text; ENTER: back)")
            paula.line("t")
            paula.see("A line with a dot alone ends it.")
            for line in what.splitlines():
                paula.line(line)
            paula.line(".")

        pasted(text)
        paula.see("The game is proven: its cards were sealed", "It is game 1 of this BBS.", "Anna wins")
        paula.send("q")
        pasted(text.replace("[Table 0]", "[Table 1]"))
        paula.see("The game is proven", "It is no game of this BBS.")
        paula.send("q")
        pasted("hello")
        paula.see("This is no game as text: its first line is not '% YAWC Poker game 1'")
        pasted("\n".join(["x" * 200] * 520))
        paula.see("That is more than 100000 characters.", deadline=60)
        paula.line("")
        paula.at_prompt()


def test_a_running_game_is_not_told(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        carl = bbs.call().register("Carl")
        carl.press("/watch poker\r")
        carl.see("Master:", "Watching:")
        anna.send("s")
        anna.see("[B]")
        carl.hear("Anna starts a game")
        with shown(bbs.call().log_in("Carl")) as again:
            again.see("The game is still running.")
        anna.hang_up()
        bert.hear("Bert wins")
