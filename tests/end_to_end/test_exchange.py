"""Shares by telnet: bought, an hour passes, sold; the profile, the seal, and the allowance; the sysop's proof."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller
from yawc_poker.extras.exchange.market import COMPANIES


@pytest.fixture
def village(tmp_path: Path) -> Iterator[Bbs]:
    """A BBS where an hour of the exchange has three seconds, and everybody begins with 2000 CUBES."""
    config = (
        FAST.replace("start_cubes = 100", "start_cubes = 2000").replace("allowance = 0", "allowance = 50")
        + "[exchange]\nhour_seconds = 3\n"
    )
    with Bbs(tmp_path / "data", config) as running:
        yield running
        running.is_sound()


def prices(caller: Caller) -> list[str]:
    """Go to the exchange, and return the prices as they stand there."""
    caller.press("sa")
    caller.see("[Q]", "Shares>")
    return re.findall(r"^  \[[A-J]\] .*? (\d+\.\d\d) ", caller.text, re.MULTILINE)


def back(caller: Caller, keys: str = "q") -> None:
    caller.press(keys)
    caller.at_prompt()


def trade(caller: Caller, key: str, shares: int) -> str:
    """Buy or sell shares of the company that is shown, at whatever price holds then; return what was agreed to."""
    caller.press(key)
    caller.see("How many shares")
    caller.press(f"{shares}\r")
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        caller.see("(y/n)")
        asked = caller.text
        caller.press("y")
        caller.wait(lambda: "Done." in caller.text or "(y/n)" in caller.text, "the answer")
        if "Done." in caller.text:
            return asked
    raise AssertionError(caller.text)


def test_shares_are_bought_an_hour_passes_and_they_are_sold(village: Bbs) -> None:
    anna, bert = village.call().register("Anna"), village.call().register("Bert")
    first = prices(anna)
    assert len(first) == len(COMPANIES)
    anna.press("j")
    anna.see("Joystick Toys: Up today", "[B] Buy", "You have 0 shares")
    bought = trade(anna, "b", 10)
    assert re.search(r"10 shares of Joystick Toys cost \d+ CUBES with the fee of \d+\.\n+Buy\? ", bought)
    anna.see("You have 10 shares")
    back(anna.at("Joystick Toys> "), "qq")
    bert.press("pAnna\r")
    bert.see("Shares worth", "10 Joystick Toys")
    moved = prices(anna)
    until = time.monotonic() + DEADLINE
    while moved == first and time.monotonic() < until:
        back(anna)
        moved = prices(anna)
    assert moved != first
    anna.press("j")
    anna.see("You have 10 shares")
    trade(anna, "s", 10)
    anna.see("You have 0 shares")
    back(anna.at("Joystick Toys> "), "qq")
    anna.press("p\r")
    anna.see("CUBES:", "Registered:")
    assert "Shares worth" not in anna.text
    anna.at_prompt()
    prices(anna)
    anna.press("v")
    anna.see("-- end")
    assert re.search(r"^  [0-9a-f]{64}$", anna.text, re.MULTILINE)
    report = json.loads(village.yawcctl("verify", "shares", "--json"))
    assert report["verdict"] == "proven"
    assert "The prices are proven." in village.yawcctl("verify", "shares")
    assert village.audit()["clean"]


def test_the_broke_get_their_allowance_when_they_come_back(village: Bbs) -> None:
    anna = village.call().register("Anna")
    village.yawcctl("take", "Anna", "1995", "--reason", "lost them all")
    anna.press("s")
    anna.see("The house gives you 50 CUBES; come again tomorrow.", "Casino>")
    anna.press("q")
    anna.at_prompt()
    village.yawcctl("take", "Anna", "50", "--reason", "lost them, too")
    anna.press("s")
    anna.see("Casino>")
    assert "The house gives" not in anna.text
    bert = village.call().register("Bert")
    village.yawcctl("take", "Bert", "2000", "--reason", "lost them all")
    bert.hang_up()
    bert = village.call().log_in("Bert")
    bert.see("The house gives you 50 CUBES", "You own 50 CUBES.")


def test_hours_of_the_exchange_are_made_up_beside_callers(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        assert bbs.yawcctl("exchange") == "The exchange was never opened.\n"
        anna = bbs.call().register("Anna")
        anna.press("sa")
        anna.see("Shares>")
        assert bbs.yawcctl("exchange") == "The latest hour of the exchange is number 0.\n"
        told = bbs.yawcctl("exchange", "--make-up", "6000")
        assert told == "6000 hours made up.\nThe latest hour of the exchange is number 6000.\n"
        assert '"latest":6000' in bbs.yawcctl("exchange", "--json")
        assert "made up 6000 hours of the share prices" in bbs.log.read_text()
        assert "proven" in bbs.yawcctl("verify", "shares")
