"""A table that is touched: what a key does is done by a tap on what it belongs to; bets by buttons; notices."""

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.browser.browser import DESKTOP, Device, Tab, become, violations
from tests.browser.test_browser_game import HIDE, sitting
from tests.browser.web_bbs import WebBbs
from tests.end_to_end.bbs import Caller

PHONE_ON_ITS_SIDE = Device(640, 360, is_phone=True, sharpness=2)
SIZES = (Device(360, 640, is_phone=True, sharpness=2), PHONE_ON_ITS_SIDE, Device(820, 1180), DESKTOP)
TOUCH = """
    const shown = document.body.dataset.view === "whole" ? ".touches" : "#narrow";
    const found = document.querySelector(`${shown} [data-touch="${arguments[0]}"]`);
    if (found === null) return false;
    const {left, top, width, height} = found.getBoundingClientRect();
    document.elementFromPoint(left + width / 2, top + height / 2).click();
    return true;
"""
NOTICES = """
    window.noticed = [];
    window.Notification = class extends EventTarget {
        static permission = "default";
        static async requestPermission() { return Notification.permission = "granted"; }
        constructor(title, {body}) { super(); window.noticed.push([title, body]); }
        close() {}
    };
"""
"""A browser without a window shows no notices and asks nobody: this one grants leave, and remembers what it shows."""


def touch(tab: Tab, driver: Chrome, key: str) -> None:
    """Touch what belongs to a key on the table itself."""
    tab.wait(lambda: bool(driver.execute_script(TOUCH, key)), f"something to touch for {key!r}")


def a_game(anna: Tab, bert: Caller, driver: Chrome, device: Device) -> None:
    """Play a game by touch: on the table where it shows the key, else by the button that stands for it."""
    become(driver, device)

    def do(key: str) -> None:
        touch(anna, driver, key) if anna.view == "whole" else anna.tap(key)

    anna.is_offered("s")
    do("s")
    anna.is_offered("b")
    do("b")
    anna.tap("1\r")  # the least
    bert.bet()
    anna.is_offered("d")
    touch(anna, driver, "2")
    anna.wait(lambda: "░" in anna.screen, "the back of a marked card")
    do("d")
    bert.see("[D] Done")
    bert.send("d")
    anna.is_offered("b")
    do("b")
    anna.tap("2\r")
    bert.see("[P]")
    bert.send("p")
    bert.see("(y/n)")
    bert.send("y")
    anna.is_offered("r")
    do("r")
    anna.hear("Anna wins")


@pytest.mark.parametrize("device", SIZES, ids=lambda device: f"{device.width}x{device.height}")
def test_a_game_by_touch(web_bbs: WebBbs, desktop: Chrome, device: Device) -> None:
    anna, bert = sitting(web_bbs, desktop)
    a_game(anna, bert, desktop, device)
    assert violations(anna.complaints) == []


def test_bets_of_usual_sizes_are_buttons_and_a_phone_shows_digits(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    anna.tap("s")
    anna.tap("b")
    anna.is_offered("1\r")
    labels = [one.text for one in desktop.find_elements(By.CSS_SELECTOR, "#keys .word")]
    assert labels[:2] == ["least: 1", "double: 2"]
    assert labels[-1].startswith("most: ")
    assert desktop.find_element(By.ID, "line").get_attribute("inputmode") == "numeric"
    anna.tap("2\r")
    bert.hear("Anna bets 2 CUBES")
    anna.wait(lambda: desktop.find_element(By.ID, "line").get_attribute("inputmode") == "text", "a line for text")


def test_a_notice_is_shown_once_it_was_asked_for_and_nobody_looks(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    desktop.execute_script(NOTICES)
    anna.tap("s")
    anna.tap("b")
    anna.tap("1\r")
    bert.see("[B]")
    desktop.execute_script(HIDE, True)
    bert.bet()
    anna.wait(lambda: "Your turn" in anna.title, "the turn")
    assert desktop.execute_script("return window.noticed") == []
    desktop.execute_script(HIDE, False)
    anna.choose("notices")
    anna.wait(
        lambda: desktop.find_element(By.ID, "notices").get_attribute("aria-pressed") == "true", "notices that are on"
    )
    anna.tap("d")
    bert.see("[D] Done")
    desktop.execute_script(HIDE, True)
    bert.send("d")
    anna.wait(lambda: bool(desktop.execute_script("return window.noticed.length")), "a notice")
    assert "It is your turn!" in str(desktop.execute_script("return window.noticed"))
