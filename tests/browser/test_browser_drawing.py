"""A drawing on the page: the course of one's ratings, with words for those who do not see it; hints by a button."""

from contextlib import closing
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import Tab, found_by_axe, violations
from tests.browser.web_bbs import WebBbs, web_config
from tests.end_to_end.bbs import FAST
from tests.isolation.stores import bank_in_file
from tests.ports import free_port
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.extras.ratings.reckoning import LEAST_GAMES

NEEDS = "yawc_poker.extras.hints"
GAMES = LEAST_GAMES + 5
SHOWN = "return document.querySelector('#drawing svg title').textContent"
OPEN = "return document.getElementById('drawing-dialog').open"
POINTS = "return document.querySelector('#drawing polyline').points.length"
PLAYED = "INSERT INTO game (id, table_no, kind, opened, closed, outcome) VALUES (?, 0, 'poker', 0, 0, 'won')"
KEPT = "INSERT INTO rating (kind, user, number, mu, sigma, games) VALUES ('poker', ?, ?, ?, ?, ?)"


def rated(bbs: WebBbs, user: int) -> None:
    """Note ratings of a user, as after games that nobody played."""
    with closing(bank_in_file(bbs.data / BANK_FILE)) as bank, bank.store.writing() as books:
        for number in range(1, GAMES + 1):
            books.execute(PLAYED, (1000 + number,))
            books.execute("INSERT INTO rated (number, game) VALUES (?, ?)", (number, 1000 + number))
            books.execute(KEPT, (user, number, 25 + number / 4, 8 - number / 4, number))


@pytest.mark.usefixtures("_xterm")
def test_one_s_ratings_are_drawn(tmp_path: Path, desktop: Chrome, axe: str) -> None:
    with WebBbs(tmp_path / "data", FAST + web_config(), web_port=free_port()) as bbs:
        anna = Tab(desktop, bbs.url).register("Anna")
        rated(bbs, 1)
        anna.tap("r")
        anna.see("Ratings: Poker", "Yours: ")
        anna.tap("c")
        anna.wait(lambda: bool(desktop.execute_script(OPEN)), "the drawing")
        assert "Ratings: Poker. Yours: 1575, give or take 85; lately between" in str(desktop.execute_script(SHOWN))
        assert desktop.execute_script(POINTS) == GAMES
        assert found_by_axe(desktop, axe) == []
        assert violations(anna.complaints) == []
        desktop.execute_script("document.getElementById('drawing-close').click()")
        anna.tap("q")
        anna.is_offered("s")


@pytest.mark.usefixtures("_xterm")
def test_a_hint_is_a_button_on_one_s_own_turn(tmp_path: Path, desktop: Chrome) -> None:
    config = FAST.replace("players = 0", "players = 1\npace = [0.0, 0.1]") + web_config()
    with WebBbs(tmp_path / "data", config, web_port=free_port()) as bbs:
        anna = Tab(desktop, bbs.url).register("Anna")
        anna.tap("s")
        anna.tap("5")
        anna.tap("h")
        anna.tap("\r")
        anna.tap("!")
        anna.hear("Anna takes hints in this game.")
        anna.hear("Advice: ")
        assert not any(sign in one for one in anna.messages if "Advice" in one for sign in "♣♠♥♦"), "cards by name"
        assert violations(anna.complaints) == []
        bbs.is_sound()
