"""A caller has a game that is over analysed, and reads what their decisions cost."""

from tests.end_to_end.bbs import Bbs
from tests.end_to_end.test_passwords import queue_held
from tests.end_to_end.test_played import play, read_page
from yawc_poker.casino.instance.instance import LONG_ERRANDS_FILE

NEEDS = "yawc_poker.extras.analysis"


def test_a_finished_game_is_analysed_and_both_read_of_their_own_decisions(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    play(anna, bert)
    pages = []
    for caller in (anna, bert):
        caller.send("x")
        caller.at_prompt()
        caller.press("SV")
        caller.see("Which game?")
        caller.press("1\r")
        pages.append(read_page(caller))
        caller.see("Which game?")
    for page in pages:
        assert "Analysis of game 1: Poker" in page
        assert "cost nothing" in page
    caller.press("1\r")
    assert read_page(caller) == pages[1]


def test_a_key_stops_it(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    play(anna, bert)
    anna.send("x")
    anna.at_prompt()
    anna.press("SV")
    anna.see("Which game?")
    with queue_held(bbs, LONG_ERRANDS_FILE):  # else it may be done before the key comes
        anna.press("1\r")
        anna.see("(any key stops)")
        anna.press("q")
        anna.see("Stopped.", "Which game?")
