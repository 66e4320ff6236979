"""What the page says to a screen reader, with its terminal drawn: each thing once, the question at once."""

from itertools import pairwise

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import DESKTOP, PHONE, Device, Tab, found_by_axe, new_tab
from tests.browser.cable import Cable
from tests.browser.reader import Reader
from tests.browser.test_browser_game import play, sitting
from tests.browser.web_bbs import WebBbs
from tests.thoroughness import few

LISTEN = """
    window.spoken = [];
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        const how = target.getAttribute?.("aria-live") ?? "off";
        if (how !== "off") {
          window.spoken.push(...Array.from(addedNodes, (added) => [how, added.textContent]));
        }
      }
    }).observe(document, { childList: true, subtree: true });
"""
"""Note what is spoken, and how."""
IS_SPOKEN = "return document.querySelector('#log').getAttribute('aria-live') === 'polite'"
CONTRASTS = """
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => {
        const linear = (one) => one <= 10 ? one / 3294 : ((one / 255 + 0.055) / 1.055) ** 2.4;
        return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    };
    const ground = (one) => {
        for (let at = one; at !== null; at = at.parentElement) {
            const [r, g, b, a = 1] = channels(getComputedStyle(at).backgroundColor);
            if (a === 1) return [r, g, b];
        }
        return [255, 255, 255];
    };
    const found = [];
    const spans = "#terminal .xterm-rows span, #narrow span, #log p, #keys button, #state, h1";
    for (const one of document.querySelectorAll(spans)) {
        const text = one.textContent.trim();
        if (text === "" || one.getBoundingClientRect().width < 2 || /^[─-▟]+$/.test(text)) continue;
        const style = getComputedStyle(one);
        const back = ground(one);
        const [r, g, b, a = 1] = channels(style.color);
        const alpha = a * parseFloat(style.opacity);
        const front = [r, g, b].map((part, at) => part * alpha + back[at] * (1 - alpha));
        const [more, less] = [light(front), light(back)].sort((x, y) => y - x);
        found.push([one.textContent, (more + 0.05) / (less + 0.05)]);
    }
    return found;
"""


def spoken(tab: Tab, how: str) -> list[str]:
    found = tab._script("return window.spoken")
    assert isinstance(found, list)
    return [text for live, text in found if live == how and text]


@pytest.mark.parametrize("shown", ["/screen", "/linear"])
def test_a_game_is_told_once_and_each_question_asked_once_with_the_hand(
    web_bbs: WebBbs, desktop: Chrome, shown: str
) -> None:
    anna, bert = sitting(web_bbs, desktop)
    anna.answer(shown)
    anna.hear("Tables are")
    anna.wait(lambda: bool(anna._script(IS_SPOKEN)), "what happens to be spoken, no more only what happened before")
    desktop.execute_script(LISTEN)
    play(anna, bert)
    told, asked = spoken(anna, "polite"), spoken(anna, "assertive")
    assert len([text for text in told if "Anna bets" in text]) == 2
    assert [one for one in told if "Your turn" in one] == []
    assert "Your cards: " in asked[0]
    assert "[B] Bet" in asked[0]
    assert any(one.endswith("):") and "Bet (" in one for one in asked)
    assert all(first != second for first, second in pairwise(asked))
    assert {line for one in asked for line in one.split("\n") if not line.startswith("Your cards")} & set(told) == set()


def test_cards_are_buttons_with_names_and_the_state_is_a_button(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    reader = Reader(anna.driver, "")
    anna.tap("s")
    anna.tap("b")
    anna.tap("\r")
    bert.bet()
    anna.is_offered("d")
    reader.wait(lambda: any(" of " in name for name in reader.buttons(reader.tree())), "cards")
    names = reader.buttons(reader.tree())
    assert len([name for name in names if " of " in name]) == 5
    assert not [name for name in names if any(sign in name for sign in "+*#[]")]
    first = names[0] if " of " in names[0] else next(name for name in names if " of " in name)
    reader.press(first)
    reader.wait(lambda: f"{first} (marked)" in reader.buttons(reader.tree()), "the mark")
    before = len(reader.log(reader.tree()))
    reader.press("State")
    reader.wait(lambda: any("Pot: 22 CUBES" in line for line in reader.log(reader.tree())[before:]), "the state")


def test_the_log_is_there_after_a_reload_and_is_not_spoken_again(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    for number in range(3):
        bert.send(f".Line {number}\r")
        anna.hear(f"Line {number}")
    before = anna.messages
    desktop.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
    desktop.refresh()
    anna.wait(lambda: "Line 2" in "\n".join(anna.messages), "the log")
    assert anna.messages == before[-50:]
    anna.wait(lambda: bool(desktop.execute_script(IS_SPOKEN)), "speech")
    assert [text for text in spoken(anna, "polite") if "Line" in text] == []
    bert.send(".And now?\r")
    anna.wait(lambda: any("And now?" in text for text in spoken(anna, "polite")), "what is new")
    assert len(anna.messages) == len(before) + 1


def test_the_focus_stays_among_the_keys(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, _ = sitting(web_bbs, desktop)
    anna.tap("s")
    anna.is_offered("b")
    desktop.execute_script("document.querySelector('#keys [data-code=b]').focus()")
    anna.type("\ue007")
    anna.wait(lambda: "b" not in anna.keys, "the prompt")
    assert desktop.execute_script("return document.activeElement.id") == "keys"
    anna.type("\ue007")  # ENTER is a key of the BBS there
    anna.wait(lambda: "Anna bets" in "\n".join(anna.messages), "the bet")


APPEARANCES = [
    pytest.param(DESKTOP, "dark", id="desktop-dark"),
    pytest.param(PHONE, "light", id="phone-light"),
    pytest.param(DESKTOP, "light", id="desktop-light"),
    pytest.param(PHONE, "dark", id="phone-dark"),
]


@pytest.mark.parametrize(("device", "scheme"), few(APPEARANCES, 2))
def test_axe_finds_nothing_and_nothing_is_pale_in_any_state(
    web_bbs: WebBbs, axe: str, chrome: Chrome, device: Device, scheme: str
) -> None:
    def faults() -> list[str]:
        pale = [f"{text!r}: {ratio:.2f}" for text, ratio in driver.execute_script(CONTRASTS) if ratio < 4.5]
        return found_by_axe(driver, axe) + pale

    with new_tab(chrome, device, scheme) as driver, Cable(web_bbs.web_port) as cable:
        tab = Tab(driver, web_bbs.url)
        tab.see("Name:")
        states = {"the name": faults()}
        tab.answer("Zoe")
        tab.tap("y")
        tab.wait(lambda: driver.find_element("id", "line").get_attribute("type") == "password", "a hidden line")
        states["a password"] = faults()
        anna, bert = sitting(web_bbs, driver, cable.port)
        states["alone"] = faults()
        anna.tap("s")
        anna.is_offered("b")
        states["the turn"] = faults()
        turn = [ratio for text, ratio in driver.execute_script(CONTRASTS) if text.strip().startswith(">Anna")]
        assert turn, anna.screen
        assert min(turn) >= 7
        driver.execute_script("document.getElementById('settings').open = true")
        states["the settings"] = faults()
        driver.execute_script("document.getElementById('settings').open = false")
        anna.choose("seal")
        states["a seal"] = faults()
        anna.click("seal-close")
        anna.tap("b")
        anna.is_offered("\r")
        states["a number"] = faults()
        anna.tap("\r")
        bert.bet()
        anna.is_offered("d")
        states["cards"] = faults()
        anna.tap("1")
        anna.wait(lambda: "░" in anna.screen, "the back of a marked card")
        states["a marked card"] = faults()
        anna.click("share")
        anna.wait(lambda: bool(driver.execute_script("return document.getElementById('share-dialog').open")), "a link")
        states["a link"] = faults()
        anna.click("share-close")
        cable.cut()
        anna.says("The line is broken")
        states["a broken line"] = faults()
        cable.mend()
        anna.says("Connected")
        anna.tap("?")
        anna.tap("\r")
        anna.tap(".")
        anna.is_offered("\x1b")
        states["chat"] = faults()
        driver.refresh()
        anna.hear("Bert sits down")
        states["loaded anew"] = faults()
        for key in ("\x1b", "x", "y"):
            anna.tap(key)
        anna.is_offered("o")
        states["the casino"] = faults()
        for key in "qqy":
            anna.tap(key)
        anna.wait(lambda: driver.find_element("id", "again").is_displayed(), "the end of the call")
        states["the end"] = faults()
        assert {name: found for name, found in states.items() if found} == {}
