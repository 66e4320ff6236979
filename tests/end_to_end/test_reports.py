"""A report goes to the sysops' desk with the last lines, and is answered by letter."""

from collections.abc import Iterator

import pytest

from tests.end_to_end.bbs import Bbs
from tests.end_to_end.test_desk import desk, sysop
from tests.end_to_end.test_sysop import entered
from yawc_poker.casino.instance.instance import Instance

NEEDS = "yawc_poker.extras.reports"


@pytest.fixture
def instance(town: Bbs) -> Iterator[Instance]:
    with entered(town) as instance:
        yield instance


def test_a_report_is_read_at_the_desk_with_what_was_said_and_answered_by_letter(town: Bbs, instance: Instance) -> None:
    chief = sysop(town, instance, "Chief Reader")
    chief.send("q")
    chief.at_prompt()
    anna, bert = town.call().register("Hurt Anna").sit(), town.call().register("Rude Bert").sit()
    bert.send(".you play like a cow\r")
    anna.hear("[Rude Bert] you play like a cow")
    anna.send("./report\r")
    anna.see("What do you report?")
    anna.send("./report Rude Bert is rude\r")
    anna.see("The sysops read it, with the last")
    chief.see("*** A report from Hurt Anna has come: ! R")
    chief.press("!")
    desk(chief)
    chief.press("r")
    chief.see("Hurt Anna", "Rude Bert is rude", "Number of the report")
    chief.press("1\r")
    chief.see("[Rude Bert] you play like a cow", "At the poker table:", "[A] answer by letter")
    chief.press("a")
    chief.see("up to 10 lines")
    chief.send("We have talked to Bert.\r\r")
    chief.see("The letter lies in the box of Hurt Anna.", "No report waits.")
    anna.send("x")
    anna.see("*** A letter from Chief Reader has come: B")
    anna.at_prompt()
    anna.press("b1\r")
    anna.see("We have talked to Bert.")


def test_a_report_at_the_prompt_has_the_last_messages_and_only_so_many_wait(town: Bbs, instance: Instance) -> None:
    anna, bert = town.call().register("Quiet Anna"), town.call().register("Noisy Bert")
    bert.press("xQuiet Anna\rbuy my soap\r")
    bert.see("Sent to Quiet Anna.")
    anna.see("buy my soap")
    for number in range(5):
        anna.press(f"/report number {number}\r")
        anna.see("The sysops read it")
        anna.at_prompt()
    anna.press("/report once more\r")
    anna.see("Your last reports are not answered yet")
    chief = sysop(town, instance, "Chief Counter")
    chief.press("r")
    chief.see("number 4", "Number of the report")
    chief.press("1\r")
    chief.see("Noisy Bert: buy my soap", "[C] close without an answer")
    chief.press("c")
    chief.see("Number of the report")
    assert "number 0" not in chief.text
    chief.send("\r")
    desk(chief)
    chief.send("q")
    chief.at_prompt()
    chief.send("qy")
    chief.ended()
    chief = town.call().log_in("Chief Counter")
    assert "4 reports wait: ! R" in chief.text
