"""Every game without a screen, from login to the end, on a terminal that moves no cursor, and by `/linear`."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.listener import Listener, first_key
from tests.end_to_end.test_made_up_game import MadeUp

CONFIG = FAST.replace("players = 0", "pace = [0.0, 0.02]\nlevel = 'easy'").replace("= 0.3", "= 0")
CONFIG += "[maumau]\npause_seconds = 0\n[offiziersskat]\npause_seconds = 0\n[highest]\ncards = 2\npause_seconds = 0\n"


@pytest.fixture(scope="module")
def town_of() -> Callable[[Path], Bbs]:
    """A BBS with one more game."""
    return lambda data: MadeUp(data, CONFIG)


def company(listener: Listener, count: int) -> None:
    """Wait until so many house players sit there."""
    for _ in range(count):
        listener.hears(r" sits down at the table; level: \w+\.$")


def plays_poker(listener: Listener) -> None:
    listener.sits("2", "h", "\r")
    company(listener, 2)
    listener.presses("s", "^Your cards: .* of .* of .* of .* of ")
    while (turn := listener.turn(r"wins \d+ CUBES"))[0]:
        keys, _ = turn
        if "[R]" in keys:
            listener.presses("r", "shows")
        elif "[D]" in keys:
            listener.presses("1", r"^1 marked: .* of ")
            listener.presses("1", r"^1 kept: .* of ")
            listener.presses("1d", "is done changing cards")
        elif "[H]" in keys:
            listener.presses("h", r"^Bet \([-0-9]+\): $")
            listener.presses("\r", "wants to see the cards")
        elif "[B]" not in keys:
            listener.presses("p", r"\(y/n\) $")
            listener.presses("y", "passes")
        else:
            listener.presses("b", r"^Bet \([-0-9]+\): $")
            listener.presses("=", r"^Pot: \d+ CUBES$")
            listener.presses("\r", "bets")
    listener.hears(r"^Keys: \[S\]")
    listener.presses("x", r"> $")


def plays_maumau(listener: Listener) -> None:
    listener.sits("3", "h", "\r")
    company(listener, 2)
    listener.presses("s", r"^Rounds \(1-\d+\): $")
    listener.presses("1\r", "Round 1 of 1")
    while (turn := listener.turn("wins the game with"))[0]:
        keys, cards = turn
        if "[F]" in keys:
            listener.presses("f", "lays all the jacks")
        elif "clubs" in keys:
            listener.presses("+", "wishes for clubs")
        elif "[T]" in keys and not first_key(cards):
            listener.presses("t", "takes|finds the stock empty")
        else:
            listener.presses(first_key(cards), "lays .* of ")
    listener.hears(r"^Keys: \[S\]")
    listener.presses("x", r"> $")


def plays_doppelkopf(listener: Listener) -> None:
    listener.sits("4", "h", "\r")
    company(listener, 3)
    listener.presses("./option rounds 1\r", "chooses how the next game is played")
    listener.presses("s", "^Your cards: ")
    while (turn := listener.turn("The match (is over|ends)"))[0]:
        keys, cards = turn
        if "[G]" in keys:
            listener.presses("g", "says: healthy")
        elif "[Y]" in keys:
            listener.presses("n", "wants to stop|The match ends")
        else:
            listener.presses(first_key(cards), "plays .* of ")
    listener.hears(r"^Keys: \[S\]")
    listener.presses("x", r"> $")


def plays_offiziersskat(listener: Listener) -> None:
    listener.sits("5", "h", "\r")
    while (turn := listener.turn("wins the match with|The match is a draw"))[0]:
        listener.presses(first_key(turn[1]), "plays .* of ")
    listener.hears(r"^Keys: \[S\]")
    listener.presses("t", "^Round 1(:| was a draw)")
    listener.presses("x", r"> $")


def plays_the_made_up_game(listener: Listener) -> None:
    listener.sits("7", "h", "\r")
    company(listener, 2)
    listener.presses("s", "^Your cards: ")
    listener.hears("^Your turn")
    for _ in range(2):
        listener.presses("t", "turns over")
    listener.hears("gets place 1")
    listener.presses("x", r"> $")


def test_all_games_are_played_on_a_terminal_that_moves_no_cursor(town: Bbs) -> None:
    anna = Listener(town).register("Anna")
    anna.presses("w", "1 user online")
    anna.presses("h1", "-- more: any key")
    anna.presses("q", r"^Help \(\[\?\]: pages\)> $")
    assert anna.said.count("] Poker: how to play") == 1, "the menu is told once"
    assert anna.said.count("The board: keys, CUBES and X-messages") == 2, "in the menu, and above the page"
    anna.presses("?", r"\] Poker: how to play")
    anna.presses("q", r"> $")
    anna.presses("l", r"done\)> $")
    assert "It looks like this" not in anna.said
    anna.presses("q", r"> $")
    anna.presses("p\r", "Registered")
    plays_poker(anna)
    plays_maumau(anna)
    plays_doppelkopf(anna)
    plays_offiziersskat(anna)
    plays_the_made_up_game(anna)
    anna.presses("sg", r"^Which game\?")
    assert not re.search(r"\w\*", anna.said), "a house player has no mark that is heard"
    anna.presses("\r", r"> $")
    bert = town.call().register("Bert")
    bert.send("xAnna\r")
    bert.see("Message:")
    bert.line("hello")
    anna.hears("hello")
    anna.caller.send("\x1bqy")
    anna.hears("Goodbye")
    assert anna.is_harmless()


def test_lines_are_chosen_at_the_name_prompt_remembered_and_given_up_at_a_table(town: Bbs) -> None:
    carl = Listener(town, b"XTERM-256COLOR")
    carl.caller.see("Name:")
    carl.presses("/linear\r", "Tables are told in lines")
    greeting = len(carl.caller.raw)
    carl.caller.line("Carl")
    carl.hears(r"\(y/n\) ")
    carl.caller.send("y")
    for question in ("Password:", "Repeat the password:"):
        carl.hears(question)
        carl.caller.line("secret-1")
    carl.hears(r"> $")
    carl.sits("2", "y")
    assert b"\x1b" not in carl.caller.raw[greeting:]
    carl.caller.hang_up()

    carl = Listener(town, b"XTERM-256COLOR")
    carl.caller.log_in("Carl")
    greeting = len(carl.caller.raw)
    carl.sits("2", "y")
    carl.presses(".hello\r", r"^Carl: hello$")
    carl.presses("z", "That key means nothing now")
    carl.presses("?", r"^Keys: \[S\] Start a game.*\[X\] Leave the table")
    carl.hears(r"\[=\] \(equals sign\) State")
    assert b"\x1b" not in carl.caller.raw[greeting:]
    carl.caller.send("./screen\r")
    carl.caller.see("Master:", "Pot:", "Tables are drawn on a screen.")
    carl.caller.send("./linear\r")
    carl.hears("Tables are told in lines")
    carl.presses("=", "^Turn: NO GAME")
    carl.presses("x", r"> $")
    carl.presses("/screen\r", "Tables are drawn on a screen")


def test_events_are_told_again_and_a_brief_caller_hears_less(town: Bbs) -> None:
    gina = Listener(town).register("Gina")
    gina.sits("2", "y")
    karin = town.call().register("Karin")
    karin.sit()
    gina.hears("Karin sits down at the table")
    gina.presses("<", r"^1: Karin sits down at the table\.$")
    gina.presses("<", r"^2: Gina sits down at the table\.$")
    gina.presses(">", r"^1: Karin")
    gina.presses(">", "There is nothing newer")
    gina.presses("./brief\r", "Lines are brief now")
    gina.presses("s", "^Your cards: .* of ")
    assert "[=]" not in gina.hears("^Your turn.*$")[0]
    assert "The pot holds" not in gina.said
    gina.caller.hang_up()
    gina = Listener(town)
    gina.hears("Name:")
    gina.caller.line("Gina")
    gina.hears("Password:")
    gina.caller.line("secret-1")
    gina.hears(r"> $")
    gina.sits("2", "y")
    gina.presses("./full\r", "Lines tell all again")


def test_a_session_in_german_names_cards_in_german_and_is_silent_while_nothing_happens(town: Bbs) -> None:
    dora = Listener(town).register("Dora")
    dora.presses("ldq", r"> $")
    dora.presses("S2", r"\(j/n\)")
    dora.presses("j", "^Am Zug: ")
    dora.presses("=", "Du besitzt")
    dora.presses("./siegel\r", "Siegel")
    while dora.caller.listen(0.3):
        pass
    before = len(dora.caller.raw)
    assert not dora.caller.listen(1.2)
    assert len(dora.caller.raw) == before
    dora.presses("x", r"> $")
    dora.presses("S5", r"\(j/n\)")
    dora.presses("h\r", "(Kreuz|Pik|Herz|Karo)(ass|koenig|dame|bube)")
    assert dora.is_harmless()


def test_who_looks_on_hears_the_table_and_may_sit_down(town: Bbs) -> None:
    emil = town.call().register("Emil")
    emil.sit()
    finn = Listener(town).register("Finn")
    finn.presses("so", r"Look on there\?")
    finn.presses("y", "^Turn: NO GAME")
    emil.send(".hello\r")
    finn.hears(r"^Chat, Emil: hello$")
    finn.presses(".psst\r", r"^Finn, watching: psst$")
    emil.send("./watchers on\r")
    finn.hears("Emil lets those who watch speak to the table")
    finn.presses(".good luck\r", r"^Finn, watching: good luck$")
    emil.hear("[Finn, watching] good luck")
    finn.presses("=", "^Turn: NO GAME")
    assert [finn.said.count(text) for text in ("psst", "good luck")] == [1, 1]
    finn.presses("?", "Hands, the best first:")
    finn.hears("Royal Flush, ace of clubs, king of clubs")
    finn.presses("s", "Finn sits down at the table")
    emil.send("s")
    finn.hears("^Your cards: ")
    emil.bet()
    finn.hears("^Your turn")
    finn.presses("x", r"Your CUBES stay in the pot. .*\(y/n\) $")
    finn.presses("y", r"> $")
    assert finn.is_harmless()


def test_who_loses_the_line_in_a_prompt_comes_back_to_the_seat_and_hears_the_state(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("hold_seconds = 0", "hold_seconds = 60")) as bbs:
        hans = Listener(bbs).register("Hans")
        hans.sits("2", "y")
        ida = Listener(bbs).register("Ida")
        ida.sits("2", "y")
        hans.presses("s", "^Your turn")
        hans.presses("b", r"^Bet \([-0-9]+\): $")
        hans.caller.hang_up()
        ida.hears("Hans's line is gone; the seat is kept")
        ida.presses("=", r"^Hans \(no line\): 5 covered cards$")
        hans = Listener(bbs)
        hans.hears("Name:")
        hans.caller.line("Hans")
        hans.hears("Password:")
        hans.caller.line("secret-1")
        hans.hears("Your seat was kept for you")
        hans.hears("^Turn: Hans")
        hans.hears("^Your turn")
        hans.presses("b\r", "Hans bets")
        assert hans.is_harmless()
