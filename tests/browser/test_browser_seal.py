"""The check of a game's seal by the browser: the same findings as those of the script in docs/fairness.md."""

import re
from collections.abc import Callable

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import Tab
from tests.browser.test_browser_game import play as play_in_browser
from tests.browser.test_browser_game import sitting
from tests.browser.web_bbs import WebBbs
from tests.end_to_end.test_played import checked, page_of, play

VERDICT = re.compile(r": (True|False)$", re.MULTILINE)
CARD = re.compile(r"^ *(\S+) at position +(\d+), dealt as card +(\d+): (True|False)$", re.MULTILINE)
FORGERIES: list[Callable[[str], str]] = [
    lambda page: page,
    lambda page: re.sub(r"^( +1 )[0-9a-f]{64}$", r"\g<1>" + "0" * 64, page, flags=re.MULTILINE),
    lambda page: re.sub(r"'1 [\w/]+'", "'1 other'", page),
    lambda page: re.sub(r"(printf %s '\d+ )\S+", r"\1A+", page),
    lambda page: page.replace("\n", "   \r\n"),
]


@pytest.fixture
def page_and_seal(web_bbs: WebBbs) -> tuple[str, str]:
    """The page of a game that was played by telnet, and the seal that was told before it."""
    anna, bert = web_bbs.seat("Anna", "Bert")
    seal = play(anna, bert)
    return page_of(anna), seal


def test_browser_and_script_find_the_same(web_bbs: WebBbs, desktop: Chrome, page_and_seal: tuple[str, str]) -> None:
    tab = Tab(desktop, web_bbs.url)
    page, seal = page_and_seal
    verdicts = set()
    for forge in FORGERIES:
        for noted in (seal, seal.upper(), "0" * 40, seal[:39]):
            report = checked(forge(page), noted.lower())
            found = tab.imported("./seal.js", "module.check(values[0], values[1])", forge(page), noted)
            assert isinstance(found, dict)
            told = [str(found[name]) for name in ("noted", "row", "sealed", "order")]
            cards = [(one["card"], one["position"], one["number"], str(one["right"])) for one in found["cards"]]
            assert told == VERDICT.findall(report)[:4]
            assert cards == [(card, int(at), int(number), right) for card, at, number, right in CARD.findall(report)]
            verdicts.add((*told, *(right for *_, right in cards)))
    assert len(verdicts) >= 4


def test_text_that_is_no_page_has_no_seal(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)
    assert tab.imported("./seal.js", "module.check('nothing', '')") is None


def next_window(tab: Tab) -> None:
    """Go on in a page that is read window by window."""
    tab.see("-- ")
    before = tab.screen
    tab.tap("\r")
    tab.wait(lambda: tab.screen != before, "the next window of the page")


def test_a_player_checks_the_game_they_played(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    play_in_browser(anna, bert)
    anna.leave()
    anna.tap("s")
    anna.tap("g")
    anna.see("Which game?")
    anna.answer("1")
    while "-- end" not in anna.screen:
        next_window(anna)
    anna.choose("seal")
    anna.click("take")
    desktop.find_element("css selector", "#seal-form .row button:nth-child(2)").click()
    anna.wait(lambda: bool(desktop.find_elements("css selector", "#findings li")), "findings")
    found = [one.text for one in desktop.find_elements("css selector", "#findings li")]
    assert len(found) == 4 + 5, found
    assert all(one.startswith("Right: ") for one in found), found
