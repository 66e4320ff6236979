"""Every size of a window: nothing moves from step to step, and all can be read."""

import json

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import DESKTOP, Device, Tab, become
from tests.browser.test_browser_game import sitting
from tests.browser.web_bbs import WebBbs
from tests.thoroughness import few

AT_200_PERCENT = Device(640, 400, sharpness=2)
"""A window of 1280 by 800 whose reader has made everything twice as large."""
SIZES = (
    Device(360, 640, is_phone=True, sharpness=2),
    DESKTOP,
    Device(360, 330, is_phone=True, sharpness=2),
    Device(568, 320, is_phone=True, sharpness=2),
    Device(820, 1180, is_phone=True),
    Device(640, 360, is_phone=True, sharpness=2),
    Device(390, 844, is_phone=True, sharpness=2),
    Device(1080, 600),
    Device(1920, 1080),
    AT_200_PERCENT,
)
"""Those first that differ most; the third is a phone in portrait whose keyboard is up."""
FULL_HD = Device(1920, 1080)
OUT_OF_SIGHT = """
    const find = (name) => document.querySelector(name);
    const seen = (one, inside) => {
        const box = one.getBoundingClientRect();
        const room = inside?.getBoundingClientRect() ?? {left: 0, top: 0, right: innerWidth, bottom: innerHeight};
        return box.width > 0 && box.left >= room.left - 1 && box.right <= room.right + 1
            && box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
    };
    const met = (one) => {
        const {left, right, top, bottom} = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    };
    const out = ["#line", "#send", "#keys", "#screen"].filter((name) => !seen(find(name)));
    const keys = Array.from(document.querySelectorAll("#keys button"));
    const isSideways = getComputedStyle(find("#keys")).overflowX === "auto"; // a phone's keyboard is up
    for (const one of isSideways ? keys.slice(0, 1) : keys) {
        const {height} = one.getBoundingClientRect();
        if (!seen(one, one.closest(".own")) || !seen(one) || !met(one) || height < 36) out.push(one.dataset.code);
    }
    const asked = {
        whole: "#terminal .xterm-screen", table: "#narrow .is-status", text: "#narrow .cursor",
    }[document.body.dataset.view];
    if (find(asked) === null || !seen(find(asked), find("#screen"))) out.push(asked);
    const {scrollHeight, scrollWidth} = document.documentElement;
    if (scrollHeight > innerHeight || scrollWidth > innerWidth) out.push("the page can be scrolled");
    return out;
"""
"""Of what is asked: the prompt, the line for text, each key, which must be met there by a finger, too."""
PLACES = """
    return JSON.stringify(["#screen", "#keys", "#line", "#terminal .xterm-screen"].map((name) => {
        const {left, top, width, height} = document.querySelector(name).getBoundingClientRect();
        return [name, left, top, width, height];
    }));
"""
BUTTONS = """
    return JSON.stringify(Object.fromEntries(Array.from(document.querySelectorAll("#keys button"), (one) => {
        const {left, top, width, height} = one.getBoundingClientRect();
        return [one.dataset.code, [left, top + (one.closest(".own")?.scrollTop ?? 0), width, height]];
    })));
"""
LETTERS = "return parseFloat(getComputedStyle(document.querySelector(arguments[0])).fontSize)"
HASTE = """
    const keys = document.getElementById("keys");
    new MutationObserver((_, observer) => {
        const button = keys.querySelector(`button[data-code="${arguments[0]}"]`);
        if (button === null) return;
        observer.disconnect();
        button.dispatchEvent(new MouseEvent("click", {bubbles: true, detail: 1}));
        window.met = true;
    }).observe(keys, {subtree: true, childList: true});
"""
"""Clicks on a button at the moment at which it comes."""


def name(device: Device) -> str:
    return f"{device.width}x{device.height}"


def test_nothing_moves_from_step_to_step(web_bbs: WebBbs, desktop: Chrome) -> None:
    for device in (DESKTOP, FULL_HD, Device(820, 1180)):
        become(desktop, device)
        tab = Tab(desktop, web_bbs.url)
        tab.see("Name:")
        assert tab.view == "whole"
        before = json.loads(desktop.execute_script(PLACES))
        tab.register(f"Anna {device.width}")
        assert json.loads(desktop.execute_script(PLACES)) == before
        tab.sit()
        assert json.loads(desktop.execute_script(PLACES)) == before
        tab.leave()
        tab.tap("q")
        tab.tap("y")
        tab.wait(lambda: desktop.find_element("id", "again").is_displayed(), "the end of the call")


@pytest.mark.parametrize("device", few([SIZES[0], DESKTOP, SIZES[5], SIZES[4]], 2), ids=name)
def test_buttons_keep_their_places_while_others_come_and_go(web_bbs: WebBbs, desktop: Chrome, device: Device) -> None:
    become(desktop, device)
    anna, bert = sitting(web_bbs, desktop)
    before: dict[str, object] = {}

    def stay(key: str) -> None:
        """See that what is still there is where it was, as soon as a key is offered."""
        anna.is_offered(key)
        now = json.loads(desktop.execute_script(BUTTONS))
        assert {code: now[code] for code in before if code in now} == {
            code: place for code, place in before.items() if code in now
        }
        before.update(now)

    stay("s")
    anna.tap("s")
    stay("b")
    anna.tap("b")
    stay("1\r")
    anna.tap("1\r")
    bert.see("[B]")
    anna.wait(lambda: "b" not in anna.keys, "another's turn")
    stay("x")
    bert.bet()
    stay("d")
    anna.tap("2")
    stay("d")
    anna.tap("d")
    bert.see("[D] Done")
    stay("=")
    assert {".", "x", "=", "?"} <= set(anna.keys)


def test_a_finger_that_was_on_its_way_meets_no_button_that_has_just_come(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, _ = sitting(web_bbs, desktop)
    desktop.execute_script(HASTE, "b")
    anna.tap("s")
    anna.wait(lambda: bool(desktop.execute_script("return window.met === true")), "a hasty finger")
    anna.tap("=")
    anna.hear("Turn: Anna")
    assert "How many CUBES" not in anna.screen
    anna.point("b")
    anna.see("How many CUBES")


def test_a_large_window_has_large_letters_and_tells_nothing_twice(web_bbs: WebBbs, desktop: Chrome) -> None:
    become(desktop, FULL_HD)
    anna, _ = sitting(web_bbs, desktop)
    letters = "return parseFloat(getComputedStyle(document.querySelector('.xterm-rows')).fontSize)"
    assert desktop.execute_script(letters) >= 26
    for part in ("#log", "#keys button", "#line"):
        assert desktop.execute_script(LETTERS, part) >= 17, part
    assert len(anna.screen.split("\n")) == 24
    assert anna.screen.count("Bert sits down") == 1
