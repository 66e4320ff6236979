"""A table that is touched: what a key does is done by a tap on what it belongs to; bets by buttons; notices."""

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.browser.browser import DESKTOP, PHONE, Device, Tab, become, violations
from tests.browser.test_browser_game import HIDE, sitting
from tests.browser.web_bbs import WebBbs
from tests.end_to_end.bbs import Caller
from tests.thoroughness import few

PHONE_ON_ITS_SIDE = Device(640, 360, is_phone=True, sharpness=2)
SIZES = (PHONE_ON_ITS_SIDE, DESKTOP, Device(360, 640, is_phone=True, sharpness=2), Device(820, 1180))
TOUCH = """
    const shown = document.body.dataset.view === "whole" ? ".touches" : "#narrow";
    const found = document.querySelector(`${shown} [data-touch="${arguments[0]}"]`);
    if (found === null) return false;
    const {left, top, width, height} = found.getBoundingClientRect();
    document.elementFromPoint(left + width / 2, top + height / 2).click();
    return true;
"""
TOUCHED = "return Array.from(document.querySelectorAll('[data-touch]'), (one) => one.dataset.touch)"
WINS = """
    const screen = document.getElementById("screen");
    const look = () => { window.won ||= /Anna \\+\\d+ CUBES/.test(screen.textContent.replaceAll("\u00a0", " ")); };
    new MutationObserver(look).observe(screen, {subtree: true, childList: true, characterData: true});
"""
"""Remembers whether a win of Anna's ever stood where the pot was: two seconds are short where much else runs."""
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
        anna.wait(lambda: is_done(key), f"something to touch for {key!r}")

    def is_done(key: str) -> bool:
        if anna.view == "whole":  # as long as the window has not become the device's
            return bool(driver.execute_script(TOUCH, key))
        anna.tap(key)
        return True

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
    driver.execute_script(WINS)
    do("r")
    anna.hear("Anna wins")
    anna.wait(lambda: bool(driver.execute_script("return window.won === true")), "a win where the pot was")
    anna.wait(lambda: "Anna +" not in anna.screen, "a pot without a win")


@pytest.mark.parametrize("device", few(SIZES, 2), ids=lambda device: f"{device.width}x{device.height}")
def test_a_game_by_touch(web_bbs: WebBbs, desktop: Chrome, device: Device) -> None:
    anna, bert = sitting(web_bbs, desktop)
    a_game(anna, bert, desktop, device)
    assert violations(anna.complaints) == []


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_lines_of_a_menu_and_of_a_list_are_touched(web_bbs: WebBbs, desktop: Chrome, device: Device) -> None:
    become(desktop, device)
    bert = web_bbs.call().register("Bert").sit()
    dora = web_bbs.call().register("Dora")
    dora.send("s3y")
    dora.see("Master:")
    anna = Tab(desktop, web_bbs.url).register("Anna")
    anna.tap("s")
    bert.send("x")  # a message comes above the prompt, and what is below it stays where it is
    bert.at_prompt()
    bert.sit()
    touch(anna, desktop, "o")
    anna.see("Which table")
    touch(anna, desktop, "1")
    anna.see("Anna, watching", "Bert")
    touch(anna, desktop, "x") if anna.view == "whole" else anna.tap("x")
    anna.is_offered("o")
    anna.wait(lambda: desktop.execute_script(TOUCHED) == anna.keys, "nothing of the table to be touched")
    touch(anna, desktop, "q")
    anna.tap("x")
    anna.tap("Bert\r")
    anna.see("Bert is playing")
    assert violations(anna.complaints) == []


def test_a_button_outlines_what_it_stands_for(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, _ = sitting(web_bbs, desktop)
    anna.is_offered("s")
    anna.click("line")  # a page that nobody has touched yet hears of no focus
    focus = "document.querySelector('#keys button[data-code=s]').focus();"  # once more where the keys were drawn anew
    outlined = "return Array.from(document.querySelectorAll('.outlined'), (one) => one.dataset.touch)"
    anna.wait(lambda: desktop.execute_script(focus + outlined) == ["s"], "an outline")
    desktop.execute_script("document.getElementById('line').focus()")
    assert desktop.execute_script(outlined) == []


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


def test_who_waits_at_a_table_is_a_notice_once_it_was_asked_for_and_nobody_looks(
    web_bbs: WebBbs, desktop: Chrome
) -> None:
    noticed = "return window.noticed.map(([, body]) => body)"
    anna = Tab(desktop, web_bbs.url).register("Anna")
    desktop.execute_script(NOTICES)
    desktop.execute_script(HIDE, True)
    dora = web_bbs.call().register("Dora")
    dora.send("s3y")
    dora.see("Master:")
    anna.hear("Dora waits at the Mau-Mau table: S 3")
    assert desktop.execute_script(noticed) == []
    desktop.execute_script(HIDE, False)
    anna.choose("notices")
    on = "return document.getElementById('notices').getAttribute('aria-pressed') === 'true'"
    anna.wait(lambda: bool(desktop.execute_script(on)), "notices that are on")
    desktop.execute_script(HIDE, True)
    web_bbs.call().register("Bert").sit()
    anna.wait(
        lambda: desktop.execute_script(noticed) == ["Bert waits at the poker table: S 2"],
        "a notice of who waits, alone",
    )
