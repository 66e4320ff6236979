"""What a page owes those who read it otherwise: all works by keyboard, light and dark, in their language."""

from collections.abc import Callable

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys

from tests.browser.browser import Device, Tab, become, new_tab, scheme_of_the_device, violations
from tests.browser.reader import Reader
from tests.browser.test_browser_game import sitting
from tests.browser.test_browser_sizes import name
from tests.browser.web_bbs import WebBbs
from tests.thoroughness import few

CODE = "return document.activeElement.closest('#keys button')?.dataset.code"
FOCUSED = "const one = document.activeElement; return one.id || one.className || one.dataset.code || one.tagName"
GROUND = "return getComputedStyle(document.body).backgroundColor"
LOG = "return document.getElementById('log').textContent"
LOW = (
    Device(360, 330, is_phone=True, sharpness=2),
    Device(427, 240, sharpness=3),
    Device(320, 200, sharpness=4),
    Device(640, 240),
)
"""A phone whose keyboard is up; windows of 1280 by 720 and by 800 whose readers have made all larger; a strip."""
SHAPE = "return document.body.dataset.shape"
FOCUS_RING = "return getComputedStyle(document.activeElement).outlineStyle"


def test_the_keyboard_reaches_everything_and_is_not_caught(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url).register("Anna")
    desktop.execute_script("document.querySelector('.xterm textarea').focus()")
    visited = []
    for _ in range(30):
        tab.type(Keys.TAB)
        visited.append(str(desktop.execute_script(FOCUSED)))
        if visited[-1] not in {"BODY", "xterm-helper-textarea"}:
            assert desktop.execute_script(FOCUS_RING) != "none", visited[-1]
    assert {"line", "send", "log", "s"} <= set(visited)


def reached(tab: Tab, driver: Chrome, key: str) -> None:
    """Go to the button of a key by TAB, from wherever the focus is, and press ENTER on it."""
    tab.is_offered(key)
    for _ in range(80):
        if driver.execute_script(CODE) == key:
            tab.type(Keys.ENTER)
            return
        tab.type(Keys.TAB)
    raise AssertionError(f"no way to {key!r} by TAB")


def typed(tab: Tab, driver: Chrome, key: str) -> None:
    """Press a key on the table."""
    tab.is_offered(key)
    assert driver.execute_script("return document.activeElement.closest('button, input')") is None
    tab.type(key.replace("\r", Keys.ENTER))


@pytest.mark.parametrize("press", [typed, reached])
def test_a_game_by_the_keyboard_alone(
    web_bbs: WebBbs, desktop: Chrome, press: Callable[[Tab, Chrome, str], None]
) -> None:
    anna = Tab(desktop, web_bbs.url)
    anna.see("Name:")
    anna.type("Anna\n")
    for text, shown in (("y", "Password:"), ("secret-1\n", "Repeat the password:"), ("secret-1\n", "CUBES")):
        anna.type(text)
        anna.see(shown)

    def do(keys: str) -> None:
        for key in keys:
            press(anna, desktop, key)

    do("s2y")
    anna.see("Master:")
    bert = web_bbs.call().register("Bert").sit()
    anna.hear("Bert sits down")
    do("sb")
    anna.is_offered("1\r")
    do("\r")
    bert.bet()
    do("12d")
    bert.see("[D] Done")
    bert.send("d")
    do("b")
    anna.is_offered("1\r")
    do("\r")
    bert.see("[P]")
    bert.send("p")
    bert.see("(y/n)")
    bert.send("y")
    do("r")
    anna.hear("Anna wins")
    do(".")
    anna.is_offered("\x1b")
    anna.type("Good game\n")
    bert.hear("[Anna] Good game")
    do("x")
    anna.is_offered("o")
    assert violations(anna.complaints) == []


def test_the_log_is_spoken_and_the_terminal_is_not(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)
    tab.see("Name:")
    log = desktop.find_element("id", "log")
    assert (log.get_attribute("role"), log.get_attribute("aria-live")) == ("log", "polite")
    assert desktop.find_element("css selector", ".xterm-rows").get_attribute("aria-hidden") == "true"
    live = desktop.execute_script("return document.querySelectorAll('.xterm [aria-live]').length")
    assert live == 0


@pytest.mark.parametrize("device", LOW, ids=name)
def test_what_happens_is_spoken_however_low_the_window_is(web_bbs: WebBbs, desktop: Chrome, device: Device) -> None:
    anna, bert = sitting(web_bbs, desktop)
    become(desktop, device)
    anna.wait(lambda: desktop.execute_script(SHAPE) in {"flat", "phone"}, "the shape")
    reader = Reader(desktop, "")
    bert.send(".Do you hear?\r")
    anna.wait(lambda: "Do you hear?" in desktop.execute_script(LOG), "what Bert says")
    tree = reader.tree()
    assert "Do you hear?" in "".join(reader.log(tree))
    assert "Connected" in "".join(reader.texts(tree, lambda node: node.role == "status"))


def test_a_page_is_silent_until_its_reader_asks_for_the_bell(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url).register("Anna")
    bell = "return document.getElementById('sound').getAttribute('aria-pressed')"
    assert desktop.execute_script(bell) == "false"
    tab.choose("sound")
    tab.wait(lambda: desktop.execute_script(bell) == "true", "the bell that is on")
    desktop.refresh()
    tab.wait(lambda: desktop.execute_script(bell) == "true", "the bell that is on still")


def test_a_store_of_passwords_finds_its_fields_and_nothing_is_cut(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)

    def fills(word: str, kind: str) -> None:
        line = desktop.find_element("id", "line")
        tab.wait(lambda: (line.get_attribute("autocomplete"), line.get_attribute("type")) == (word, kind), word)

    user = desktop.find_element("id", "user")
    assert (user.get_attribute("autocomplete"), user.is_displayed()) == ("username", False)
    fills("username", "text")
    tab.answer("Anna")
    tab.see("(y/n)")
    fills("off", "text")
    assert user.get_attribute("value") == "Anna"
    tab.tap("y")
    fills("new-password", "password")
    tab.answer("secret-1" * 130)
    tab.see("That is too long")
    tab.answer("secret-1")
    tab.see("Repeat the password:")
    fills("new-password", "password")
    tab.answer("secret-1")
    tab.is_offered("s")
    fills("off", "text")
    tab.tap("q")
    tab.tap("y")
    tab.wait(lambda: desktop.find_element("id", "again").is_displayed(), "the end of the call")
    again = Tab(desktop, web_bbs.url)
    again.see("Name:")
    fills("username", "text")
    again.answer("Anna")
    fills("current-password", "password")
    assert desktop.find_element("id", "user").get_attribute("value") == "Anna"
    again.answer("secret-1")
    again.is_offered("s")
    assert again.complaints == []


def test_light_and_dark_follow_the_device_or_the_reader(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)
    dark = desktop.execute_script(GROUND)
    scheme_of_the_device(desktop, "light")
    tab.wait(lambda: desktop.execute_script(GROUND) != dark, "light colours")
    tab.choose("theme")  # light, whatever the device says
    scheme_of_the_device(desktop, "dark")
    assert desktop.execute_script(GROUND) != dark
    tab.choose("theme")
    assert desktop.execute_script(GROUND) == dark
    desktop.refresh()
    assert desktop.execute_script("return document.documentElement.dataset.theme") == "dark"


def test_larger_text(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)
    tab.see("Name:")
    size = "return parseFloat(getComputedStyle(document.querySelector('.xterm-rows')).fontSize)"
    before = desktop.execute_script(size)
    tab.choose("larger")
    tab.wait(lambda: desktop.execute_script(size) == before + 2, "larger letters")
    tab.choose("fitting")
    tab.wait(lambda: desktop.execute_script(size) == before, "letters that fit")


@pytest.mark.parametrize(
    ("language", "words"), few([("it", "Send"), ("nl", "Versturen"), ("de", "Senden"), ("fr", "Envoyer")], 2)
)
def test_the_page_speaks_the_browsers_language(web_bbs: WebBbs, chrome: Chrome, language: str, words: str) -> None:
    with new_tab(chrome, language=language) as driver:
        tab = Tab(driver, web_bbs.url)
        tab.wait(lambda: driver.find_element("id", "send").text == words, words)
        spoken = language if language != "it" else "en"
        assert driver.find_element("tag name", "html").get_attribute("lang") == spoken


def test_the_page_follows_the_language_of_the_session(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)
    tab.see("Name:")
    tab.answer("/de")
    tab.wait(lambda: desktop.find_element("id", "send").text == "Senden", "German")
