"""Four games to their end in the page, by somebody who knows it by its accessibility tree alone: roles and names.

`make test` plays one in each language, and of Offiziersskat's match the first cards.
"""

import math
from collections.abc import Iterator
from random import Random

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import new_tab
from tests.browser.reader import Reader
from tests.browser.web_bbs import WebBbs, house_config
from tests.ports import free_port
from tests.thoroughness import SOAK
from yawc_poker.words import LANGUAGES, Language

GAMES = ("Poker", "Mau-Mau", "Doppelkopf", "Offiziersskat")
PATIENCE = 300.0
"""A match of Offiziersskat has some 150 cards."""
CASES = [
    (game, language)
    for at, game in enumerate(GAMES)
    for language in (LANGUAGES if SOAK else (LANGUAGES[at % len(LANGUAGES)],))
]


@pytest.fixture(scope="module")
def town(_xterm: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebBbs]:
    with WebBbs(tmp_path_factory.mktemp("reader") / "data", house_config(), web_port=free_port()) as running:
        yield running
        running.is_sound()


def play(reader: Reader, rng: Random, enough: float) -> int:
    """Press what is asked for, from the start of a game to its end, or so often; return how many keys that took."""
    start = reader.words("[S] Start a game").partition("] ")[2]
    turn = reader.words("Your turn, {seconds} seconds: {keys}").partition(",")[0]
    has_played, pressed, known = False, 0, ("", [""])

    def is_over() -> bool:
        nonlocal has_played, pressed, known
        tree = reader.tree()
        may_start = start in reader.buttons(tree)
        has_played |= turn in reader.asked(tree)
        if (may_start and has_played) or pressed >= enough:
            return True
        asked, choices = reader.asked(tree), reader.choices(tree)
        choices = [one for one in choices if f"[P] {one}" not in asked] or choices  # who passes at poker plays no more
        now = asked, reader.log(tree)  # which keeps its length once the page forgets the oldest
        if now != known and (may_start or choices):
            reader.press_in(tree, start if may_start else rng.choice(choices))
            pressed, known = pressed + (not may_start), now
        return False

    reader.wait(is_over, "the end", PATIENCE)
    return pressed


@pytest.mark.timeout(PATIENCE + 100)
@pytest.mark.parametrize(("game", "language"), CASES)
def test_a_game_is_played_to_its_end_without_sight(town: WebBbs, chrome: Chrome, game: str, language: Language) -> None:
    enough = 20 if game == "Offiziersskat" and not SOAK else math.inf
    with new_tab(chrome, language=language) as driver:
        reader = Reader(driver, town.url, language).register(f"{game} {language}")
        reader.sit(game)
        assert play(reader, Random(33), enough) > 2
        reader.leave(is_asked=enough < math.inf)
