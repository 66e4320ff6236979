"""Nothing that is asked is out of sight, whatever it is, at every size of a window.

With `YAWC_PICTURES=FOLDER` in the environment each state is also a picture there, at each size.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import DESKTOP, Tab, become, violations
from tests.browser.test_browser_game import sitting
from tests.browser.test_browser_games import ENTER, Finger, Seen, choice
from tests.browser.test_browser_sizes import OUT_OF_SIGHT, SIZES, name
from tests.browser.web_bbs import WebBbs, house_config
from tests.ports import free_port
from tests.thoroughness import few

PICTURES: Final = os.environ.get("YAWC_PICTURES", "")
TOUCHED_AGAIN: Final = 5.0
"""Seconds after which something is touched again if nothing came of it."""


def fits(tab: Tab, driver: Chrome, state: str) -> None:
    """See that nothing is out of sight at any size; `make test` has half of them."""
    for device in few(SIZES, 5):
        become(driver, device)
        tab.wait(
            lambda: driver.execute_script(OUT_OF_SIGHT) == [],
            f"{state}: all in sight at {name(device)}, where there are not {driver.execute_script(OUT_OF_SIGHT)}",
            deadline=10,
        )
        if PICTURES:
            driver.save_screenshot(str(Path(PICTURES, f"{state}-{name(device)}.png")))
    become(driver, DESKTOP)


@pytest.fixture(scope="module")
def town(_xterm: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebBbs]:
    config = house_config(turn_seconds=600)
    with WebBbs(tmp_path_factory.mktemp("sight") / "data", config, web_port=free_port()) as running:
        yield running
        running.is_sound()


def test_menus_and_prompts(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)
    tab.see("Name:")
    fits(tab, desktop, "name")
    tab.answer("Anna")
    tab.is_offered("y")
    fits(tab, desktop, "question")
    tab.tap("y")
    tab.see("Password:")
    fits(tab, desktop, "password")
    tab.answer("secret-1")
    tab.see("Repeat the password:")
    tab.answer("secret-1")
    tab.is_offered("s")
    fits(tab, desktop, "menu")
    tab.tap("h")
    tab.is_offered("1")
    fits(tab, desktop, "help")
    tab.tap("1")
    tab.is_offered(ENTER)
    fits(tab, desktop, "page")
    tab.tap("q")
    tab.is_offered("1")
    tab.tap("q")
    tab.tap("s")
    tab.is_offered("o")
    fits(tab, desktop, "casino")
    assert violations(tab.complaints) == []


def test_poker(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    fits(anna, desktop, "table")
    anna.tap(".")
    anna.is_offered("\x1b")
    fits(anna, desktop, "chat")
    anna.tap("\x1b")
    anna.tap("s")
    anna.is_offered("b")
    fits(anna, desktop, "turn")
    anna.tap("b")
    anna.is_offered("1\r")
    fits(anna, desktop, "bet")
    anna.tap("1\r")
    bert.bet()
    anna.is_offered("d")
    assert {*"12345d.x=?"} <= set(anna.keys)
    fits(anna, desktop, "cards")
    anna.tap("x")
    anna.is_offered("y")
    fits(anna, desktop, "leave")
    assert violations(anna.complaints) == []


def turns(
    town: WebBbs, driver: Chrome, game: str, kind: Callable[[Seen], str], enough: int, option: str = ""
) -> set[str]:
    """Play as a guest until so many kinds of turns were seen, and see that each is all in sight; return the kinds."""
    tab, finger, rng = Tab(driver, f"{town.url}#{game}-1"), Finger(driver), Random(5)
    tab.tap("guest\r")
    tab.hear("; level: ")
    if option:
        tab.answer(f"/option {option}")
        tab.hear("tournament")
    known, touched, found = "", 0.0, set[str]()

    def goes_on() -> bool:
        nonlocal known, touched
        seen = finger.look()
        is_asked = seen.turn or seen.starts or ENTER in seen.keys
        # A touch may have met what moved away below it.
        if not is_asked or (seen.told == known and time.monotonic() < touched + TOUCHED_AGAIN):
            return False
        if seen.turn and not seen.starts and kind(seen) not in found:
            found.add(kind(seen))
            fits(tab, driver, f"{game}-{kind(seen)}")
            return True  # the window has another size than what was seen
        if "v" in seen.keys:
            finger.touch("buttons", "v")
        else:
            on, key = choice(seen, rng)
            if key:
                finger.touch(on, key)
        known, touched = seen.told, time.monotonic()
        return True

    while len(found) < enough:
        tab.wait(goes_on, "a turn")
    assert violations(tab.complaints) == []
    tab.tap("x")
    tab.tap("y")
    tab.see("You play as a guest")
    return found


@pytest.mark.timeout(300)
def test_doppelkopf(town: WebBbs, desktop: Chrome) -> None:
    def kind(seen: Seen) -> str:
        return "reservation" if "v" in seen.keys else f"{len(seen.cards)} cards" if seen.cards else "solo"

    found = turns(town, desktop, "doppelkopf", kind, 6, "tournament")
    assert {"reservation", "solo"} < found
    assert not {"12 cards", "11 cards", "10 cards"}.isdisjoint(found)


@pytest.mark.timeout(300)
def test_offiziersskat(town: WebBbs, desktop: Chrome) -> None:
    found = turns(town, desktop, "offiziersskat", lambda seen: f"{len(seen.cards)} cards, {len(seen.keys)} keys", 4)
    assert any(one.startswith("8 cards") for one in found), found


@pytest.mark.timeout(300)
def test_maumau(town: WebBbs, desktop: Chrome) -> None:
    turns(town, desktop, "maumau", lambda seen: f"{len(seen.cards)} cards", 3)
