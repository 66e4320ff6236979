"""The deal of the day as callers meet it: the same cards for two, played once, also if the session is killed."""

import os
import re
import signal
import time
from contextlib import closing

import pytest

from tests.end_to_end.bbs import Bbs, Caller
from tests.end_to_end.listener import Listener
from tests.isolation.stores import bank_in_file
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.extras.daily.course import SECONDS
from yawc_poker.extras.daily.rows import play_of

SKAT = "5"
TIME_OVER = f"UPDATE daily_play SET began = began - {SECONDS + 1}"
CARD = re.compile(r"(?:10|[7-9JQKA])[-+*#]")


def begin(caller: Caller) -> str:
    """Begin the deal of Offiziersskat, and return the cards of both sides."""
    caller.press("SD")
    caller.see("Deal of the day: the same cards", "Offiziersskat: not played yet")
    caller.press(SKAT)
    caller.see("The seal of these cards", "Your five minutes begin now")
    caller.press("y")
    return on_turn(caller)


def leave(caller: Caller) -> None:
    caller.press("x")
    caller.see("Your time runs on.", "Deal of the day>")


def change_books(bbs: Bbs, *changes: str) -> None:
    with closing(bank_in_file(bbs.data / BANK_FILE)) as bank, bank.store.writing() as books:
        for change in changes:
            books.execute(change)


def on_turn(caller: Caller, unlike: str = "") -> str:
    """Wait for the caller's turn, with other cards on the table than before, and return those."""
    caller.wait(lambda: "turn!" in caller.text and "Choose a card" in caller.text and cards(caller) != unlike, "a turn")
    return cards(caller)


def cards(caller: Caller) -> str:
    """Return what lies on the table."""
    return " ".join(CARD.findall(caller.left(1, 11)))


def test_two_callers_have_the_same_cards_and_play_once(bbs: Bbs) -> None:
    anna, bert = bbs.call().register("Anna"), bbs.call().register("Bert")
    dealt = begin(anna)
    assert begin(bert) == dealt
    answers = []
    for caller in (anna, bert):
        caller.send("1")
        answers.append(on_turn(caller, unlike=dealt))
    assert answers[0] == answers[1]


def test_who_left_before_midnight_plays_on_behind_it(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    before = begin(anna)
    anna.send("1")
    after = on_turn(anna, unlike=before)
    leave(anna)
    change_books(bbs, "UPDATE daily_deal SET day = day - 1", "UPDATE daily_play SET day = day - 1")
    anna.press("QSD")
    anna.see("Offiziersskat: your time runs:")
    anna.press(SKAT)
    assert on_turn(anna) == after


def test_a_killed_session_loses_nothing_and_wins_no_second_try(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    before = begin(anna)
    anna.send("1")
    after = on_turn(anna, unlike=before)
    os.kill(bbs.session("Anna").pid, signal.SIGKILL)
    anna.ended()
    again = bbs.call().log_in("Anna")
    again.press("SD")
    again.see("Offiziersskat: your time runs:")
    again.press(SKAT)
    assert on_turn(again) == after
    leave(again)
    change_books(bbs, TIME_OVER)
    again.press("QSD")
    again.see("place 1 of 1")
    again.press(SKAT)
    again.see("Ranking of the day: Offiziersskat", "1. Anna", "5:00")
    day = int(time.time()) // 86400
    with closing(bank_in_file(bbs.data / BANK_FILE, look_only=True)) as bank:
        play = next(play for one in (day, day - 1) if (play := play_of(bank.store, one, "offiziersskat", 1)))
    assert len(play.moves) == 1
    assert play.result is not None
    again.press("QN")
    again.see("Deal of the day: Offiziersskat Anna (")


def test_yesterday_s_is_solved(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    begin(anna)
    leave(anna)
    change_books(
        bbs,
        "UPDATE daily_deal SET day = day - 1",
        "UPDATE daily_play SET day = day - 1, began = began - 86400",
    )
    anna.press("QSD")
    anna.see("Offiziersskat: not played yet", "Your series: 1 day.")
    anna.press("y")
    anna.see("Ranking of the day: Offiziersskat", "1. Anna", "Yesterday's>")
    anna.press(SKAT)
    anna.see("The seal, the secret, and the cards")


def test_it_is_told_in_lines(bbs: Bbs) -> None:
    cara = Listener(bbs).register("Cara")
    cara.presses("SD", r"Deal of the day> ")
    cara.presses(SKAT, r"\(y/n\)")
    cara.presses("y", r"^Your cards: \[1\]")
    cara.hears(r"^Your turn, \d+ seconds")
    assert cara.said.count("Your cards: ") == 1, "as they are now, not as they were dealt"
    cara.presses("1", r"takes trick 1")
    cara.hears(r"^Your turn, \d+ seconds")
    cara.presses("x", r"Your time runs on")
    assert cara.is_harmless()


def test_a_lesson_gives_advice_at_each_turn_and_leaves_nothing_behind(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    anna.press("SL")
    anna.see("A lesson: a first round", "[5] Offiziersskat")
    anna.press(SKAT)
    before = on_turn(anna)
    anna.hear("Advice:")
    anna.hear("You win the round: ")
    anna.send("1")
    on_turn(anna, unlike=before)
    anna.press("x")
    anna.see("The lesson is over.")
    with closing(bank_in_file(bbs.data / BANK_FILE, look_only=True)) as bank, bank.store.reading() as books:
        for table in ("daily_play", "game"):
            assert books.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


@pytest.mark.parametrize("key", ["q", "\x1b", "g", "X"])
def test_a_lesson_ends_by_any_key_that_the_game_does_not_use(bbs: Bbs, key: str) -> None:
    anna = bbs.call().register(f"Anna {ord(key)}")
    anna.press("SL" + SKAT)
    on_turn(anna)
    anna.send("?")
    anna.see("Any key: back")
    anna.send("q")  # takes the help away, and does nothing else
    anna.send("t!")  # there are no tricks to be seen yet, but the game has that key
    anna.wait(lambda: anna.text.count("Advice:") == 2, "the advice once more")
    anna.press(key)
    anna.see("The lesson is over.", "(M: menu, ?: help)>")


def test_a_deal_of_former_house_players_is_refused_and_says_so(bbs: Bbs) -> None:
    """As after an upgrade in the middle of a day."""
    anna = bbs.call().register("Anna")
    begin(anna)
    leave(anna)
    change_books(bbs, "UPDATE daily_deal SET program = 'normal 0'")
    anna.press(SKAT)
    anna.see("The house players have changed since this was dealt", "your time runs:")
    change_books(bbs, TIME_OVER)
    anna.press("QSD")
    anna.see("Offiziersskat: it cannot be played on")
