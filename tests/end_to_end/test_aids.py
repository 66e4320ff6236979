"""What helps a caller at a table, by telnet: `?`, the question before a stake is lost, moves decided ahead, windows."""

import re
from pathlib import Path

from tests.end_to_end.bbs import FAST, Bbs, Caller

CLOCK = re.compile(r"\b[01]:\d\d\b")


def shown_below(caller: Caller) -> str:
    """Return what a high window shows below the table."""
    return "\n".join(caller.lines[24:])


def test_a_game_with_help_questions_and_decisions(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        anna = bbs.call().register("Anna").sit()
        anna.send("x")  # nothing is at stake: no question
        anna.at_prompt()
        anna.press("\u65e5g\u65e5q")
        anna.at_prompt()
        assert "You ignore nobody." in anna.text
        anna.sit()
        bert = bbs.call(132, 43).register("Bert").sit()
        carl = bbs.call().register("Carl").sit()
        anna.see("[?] Help")
        has_help(anna, bert)
        asks_before_a_stake_is_lost(anna, bert)
        decides_ahead(anna, bert, carl)
        bbs.is_sound()


def has_help(anna: Caller, bert: Caller) -> None:
    """The help lies over the screen while a game begins, and the clock goes on in it."""
    anna.send("\u65e5?\u65e5")  # what cannot be shown is no key: it neither asks for the help nor takes it away
    anna.see("Any key: back", "Full House", "Next seal:", "Anna   100 CUBES")
    bert.send(".is somebody there?\r")
    bert.hear("is somebody there?")
    anna.send("s")  # takes it away, and starts nothing
    anna.see("[Bert] is somebody there?", "[S] Start a game")
    assert anna.field("Pot:") == "NO GAME"
    anna.send("s")
    bert.see("Turn:   Anna")
    bert.send("?")
    bert.see("yours", "Seal now:", "your turn, SHOWDOWN")
    anna.bet("5")
    bert.wait(lambda: CLOCK.search(bert.lines[11]) is not None, "the clock")
    shown = CLOCK.findall(bert.lines[11])
    bert.wait(lambda: CLOCK.findall(bert.lines[11]) not in ([], shown), "the clock, which goes on")
    bert.send("?")
    bert.see("[B] Bet", "Bets by round", "Hands, the best first")
    assert any("Full House" in line[82:] for line in bert.lines)
    assert "Anna bets 5 CUBES." in shown_below(bert)


def asks_before_a_stake_is_lost(anna: Caller, bert: Caller) -> None:
    bert.send("b1x")
    bert.see("Your CUBES stay in the pot.", "(y/n)")
    bert.send(".wait \u65e5\r")  # a page would show it
    anna.hear("[Bert] wait ?")
    bert.see("Your CUBES stay in the pot.")
    bert.send("n")
    bert.see("Bet (5-90): 1")
    bert.send("2\r")
    anna.until("Turn:", "Carl")
    anna.hear("Bert bets 12 CUBES.")


def decides_ahead(anna: Caller, bert: Caller, carl: Caller) -> None:
    """All cards are kept as soon as it is Bert's turn; Carl passes as soon as it is his. The others see only that."""
    carl.bet()
    bert.see("[D] On your turn: keep all cards")
    bert.send("d")
    bert.see("[D] Chosen: keep all (again: undo)")
    carl.see("[D] On your turn: keep all cards")
    carl.send("d")
    carl.see("[D] Chosen: keep all (again: undo)")
    carl.send("d")
    carl.see("[D] On your turn: keep all cards")
    anna.see("[D] Done")
    assert "Chosen" not in anna.transcript
    anna.send("12d")
    anna.until("Turn:", "Carl")
    anna.hear("Bert is done changing cards.")
    carl.see("[D] Done")
    carl.send("d")
    anna.until("Turn:", "Anna")
    carl.see("[P] Pass when it is your turn")
    carl.send("p")
    carl.see("Pass as soon as it is your turn? (y/n)")
    carl.send("y")
    carl.see("[P] Chosen: pass (again: undo)")
    bert.send("py")
    bert.see("[P] Chosen: pass (again: undo)")
    bert.send("p")
    bert.see("[P] Pass when it is your turn")
    anna.send("h")
    anna.send("20\r")
    bert.see("[B] Bet")
    bert.send("b\r")
    anna.hear("Carl passes.")
    anna.until("Round:", "SHOWDOWN")
    bert.see("[R] Show when it is your turn")
    bert.send("r")
    bert.see("[R] Chosen: show (again: undo)")
    anna.send("r")
    anna.hear("Bert shows: ")
    anna.hear("wins ")
    winner = next(name for name in ("Anna", "Bert") if any(f"{name} wins" in one for one in anna.messages))
    other = {"Anna": bert, "Bert": anna}[winner]
    other.wait(lambda: f"{winner} !" in other.left(2, 5), "the mark of the winner")
    carl.wait(lambda: f"{winner} !" in carl.left(2, 5), "the mark of the winner")


def test_help_at_the_other_tables_and_in_a_small_window(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        anna = bbs.call().register("Anna")
        for key, texts in {
            "3": ("What the cards do and count", "[T] Take cards"),
            "4": ("Order of the cards, and calls", "Trumps, the highest first: 10#"),
            "5": ("Order of the cards, and points", "Trumps, the highest first: J+"),
        }.items():
            anna.press(f"s{key}")
            anna.see("(y/n)")
            anna.send("y")
            anna.see("Master:")
            anna.send("?")
            anna.see(*texts, "Any key: back")
            anna.send("q")
            anna.see("[S] Start a game")
            anna.send("x")
            anna.at_prompt()
        anna.sit()
        anna.resize(60, 20)
        anna.see("Your window has 60x20 characters")
        anna.send("?")
        anna.see("Turn: NO GAME", "[S] Start a game", "Royal Flush")
        anna.send("?")
        anna.see("Your window has 60x20 characters")
