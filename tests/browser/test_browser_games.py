"""Four games by touch alone, at every size: on the table where it shows the key, else by its button.

`make touch` and `make soak` play all games at each size, to their ends; `make test` plays each at one size of its own,
and of Offiziersskat's match a round.

A stranger opens the link to a table and plays as a guest with house players; nothing is typed. What is touched is a
place of the window: what lies below something else there, or out of sight, is not met.
"""

import time
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Final

import msgspec
import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import DESKTOP, Device, Tab, become, new_tab, violations
from tests.browser.test_browser_sizes import AT_200_PERCENT, OUT_OF_SIGHT, name
from tests.browser.web_bbs import WebBbs, house_config
from tests.ports import free_port
from tests.thoroughness import SOAK

GAMES: Final = ("poker", "maumau", "doppelkopf", "offiziersskat")
PATIENCE: Final = 400.0 if SOAK else 100.0
"""A whole match of Offiziersskat has some 300 cards."""
AGAIN: Final = 2.0
"""Seconds after which something else is touched where nothing has changed."""
ENTER: Final = "\r"
CARDS: Final = "1234567890abcdeghijklmnopqruvwyz"
"""Keys of cards, from the left."""
ALWAYS: Final = frozenset(".,x=+-?!/ \r\x1b")
"""Keys that move no game."""
SIZES: Final = (
    Device(360, 640, is_phone=True, sharpness=2),
    Device(640, 360, is_phone=True, sharpness=2),
    DESKTOP,
    Device(820, 1180, is_phone=True),
    Device(390, 844, is_phone=True, sharpness=2),
    Device(1920, 1080),
    AT_200_PERCENT,
)
CASES: Final = list(product(GAMES, SIZES)) if SOAK else list(zip(GAMES, SIZES, strict=False))
ENOUGH: Final = () if SOAK else ("Round 2: trump", "Round 2 is")
"""What ends a match before its end."""
LOOK: Final = """
    const shown = document.body.dataset.view === "whole" ? ".touches" : "#narrow";
    const texts = (where) => Array.from(document.querySelectorAll(where), (one) => one.textContent).join("|");
    return JSON.stringify({
        turn: document.body.classList.contains("turn"),
        keys: Array.from(document.querySelectorAll("#keys button"), (one) => one.dataset.code),
        areas: Array.from(document.querySelectorAll(`${shown} [data-touch]`), (one) => one.dataset.touch),
        cards: Array.from(document.querySelectorAll("#keys .cards button"), (one) => one.dataset.code),
        words: Array.from(document.querySelectorAll("#keys .word"), (one) => one.dataset.code),
        starts: texts("#keys button[data-code=s]").includes("Start a game"),
        told: texts("#log p") + texts("#asked"),
    });
"""
TOUCH: Final = """
    const [on, key] = arguments;
    const table = document.body.dataset.view === "whole" ? ".touches" : "#narrow";
    const found = Array.from(document.querySelectorAll(on === "table" ? `${table} [data-touch]` : "#keys button"))
        .find((one) => (on === "table" ? one.dataset.touch : one.dataset.code) === key);
    if (found === undefined) return "gone";
    found.scrollIntoView({block: "nearest"});
    const {left, top, width, height} = found.getBoundingClientRect();
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    if (met === null || !(found.contains(met) || met.dataset.touch === key)) return "hidden";
    met.click();
    return "met";
"""
"""In one script, so that nothing moves between the look and the touch."""


class Seen(msgspec.Struct, frozen=True):
    """What a finger could meet."""

    turn: bool
    keys: list[str]
    areas: list[str]
    cards: list[str]
    """In the order of their buttons."""
    words: list[str]
    """Keys that answer a question."""
    starts: bool
    """A game may be started."""
    told: str


class Finger:
    """One player's finger."""

    def __init__(self, driver: Chrome) -> None:
        self._driver = driver
        self.touched = 0
        """How often it met the table itself."""

    def look(self) -> Seen:
        return msgspec.json.decode(self._driver.execute_script(LOOK), type=Seen)

    def touch(self, on: str, key: str) -> None:
        """Touch a key on the table or among the buttons, if it is there still."""
        result = self._driver.execute_script(TOUCH, on, key)
        assert result != "hidden", f"{key!r} lies below something else, or out of sight"
        self.touched += on == "table" and result == "met"


@pytest.fixture(scope="module")
def town(_xterm: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebBbs]:
    with WebBbs(tmp_path_factory.mktemp("games") / "data", house_config(), web_port=free_port()) as running:
        yield running
        running.is_sound()


def play(tab: Tab, finger: Finger, rng: Random) -> int:
    """Touch what is asked for, from the start of a game to its end; return how many touches that took."""
    has_played, touches, known, when = False, 0, "", 0.0

    def is_over() -> bool:
        nonlocal has_played, touches, known, when
        seen, now = finger.look(), time.monotonic()
        has_played |= seen.turn and not seen.starts
        assert seen.cards == sorted(seen.cards, key=CARDS.find), "cards lie in another order on the table"
        if (seen.starts and has_played) or any(text in seen.told for text in ENOUGH):
            return True
        if (seen.turn or seen.starts or ENTER in seen.keys) and (seen.told != known or now >= when + AGAIN):
            on, key = choice(seen, rng)
            if key:
                finger.touch(on, key)
                touches, known, when = touches + (not seen.starts), seen.told, now
        return False

    tab.wait(is_over, "the end", PATIENCE)
    return touches


def choice(seen: Seen, rng: Random) -> tuple[str, str]:
    """Return where to touch, and what: on the table if it can be, and nothing that gives a hand up."""
    if ENTER in seen.keys:  # a line is asked for
        return "buttons", [*seen.words, ENTER][0]
    keys, areas = ([key for key in found if key not in ALWAYS] for found in (seen.keys, seen.areas))
    if seen.starts:
        return ("table" if "s" in areas else "buttons"), "s"
    yes = [key for key in keys if key == "y"]
    on, found = ("buttons", yes) if yes else ("table", areas) if areas and rng.random() < 0.8 else ("buttons", keys)
    found = [key for key in found if key != "p"] or found
    return on, (rng.choice(found) if found else "")


@pytest.mark.timeout(PATIENCE + 100)
@pytest.mark.parametrize(("game", "device"), CASES, ids=[f"{game}-{name(device)}" for game, device in CASES])
def test_a_game_is_played_to_its_end_by_touch(town: WebBbs, chrome: Chrome, game: str, device: Device) -> None:
    with new_tab(chrome, device) as driver:
        become(driver, device)
        tab = Tab(driver, f"{town.url}#{game}-1")
        finger, rng, touches = Finger(driver), Random(34), 0
        tab.is_offered("guest\r")
        finger.touch("buttons", "guest\r")
        tab.hear("; level: ")
        while touches < 3 or finger.touched == 0:  # at poker all others may pass before a card can be touched
            touches += play(tab, finger, rng)
        tab.wait(
            lambda: driver.execute_script(OUT_OF_SIGHT) == [],
            f"all in sight, where there are not {driver.execute_script(OUT_OF_SIGHT)}",
        )
        assert violations(tab.complaints) == []
        tab.tap("x")
        tab.wait(lambda: not {"y", "o", "i"}.isdisjoint(tab.keys), "a question, or a prompt")
        if "y" in tab.keys:
            tab.tap("y")
        tab.see("You play as a guest")
