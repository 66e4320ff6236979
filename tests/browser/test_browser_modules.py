"""The page's pure functions, run by the browser: text for a narrow screen, the line for text, pauses, pieces."""

from collections.abc import Iterator
from hashlib import sha256

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import Tab, new_tab
from tests.browser.web_bbs import WebBbs, web_config
from tests.end_to_end.bbs import FAST
from tests.ports import free_port


@pytest.fixture(scope="module")
def tab(_xterm: None, chrome: Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """One page for all tests of this file, which change nothing of it."""
    port = free_port()
    data = tmp_path_factory.mktemp("modules") / "data"
    with WebBbs(data, FAST + web_config(), web_port=port) as bbs, new_tab(chrome) as driver:
        yield Tab(driver, bbs.url)


NOTHING = "Array.from(text, () => '')"
ROWS = f"values[0].map((text) => ({{chars: Array.from(text), looks: {NOTHING}, means: {NOTHING}}}))"
LINES = f"module.lines({ROWS}, values[1]).map(({{row, isArt}}) => [module.textOf(row), isArt])"


def lines(tab: Tab, *rows: str, cursor: int = -1) -> list[tuple[str, bool]]:
    found = tab.imported("./cells.js", LINES, list(rows), cursor)
    assert isinstance(found, list)
    return [(str(text), bool(is_art)) for text, is_art in found]


def test_lines_that_were_full_are_one_again(tab: Tab) -> None:
    full = "the quick brown fox jumps over the lazy dog and goes on to the next one by"
    assert lines(tab, full, "the river.", "", "", "A new one") == [
        (f"{full} the river.", False),
        ("", False),
        ("A new one", False),
    ]
    assert lines(tab, "short", "lines stay") == [("short", False), ("lines stay", False)]
    assert lines(tab, full, "   a list      with columns") == [(full, False), ("   a list      with columns", False)]
    assert lines(tab, full, "Name: ", cursor=1) == [(full, False), ("Name:", False)]
    assert lines(tab, f"   S   {full[7:]}", "       indented more") == [(f"   S   {full[7:]} indented more", False)]
    box = "┌" + "─" * 74 + "┐"
    assert lines(tab, box, "words") == [(box, True), ("words", False)]


@pytest.mark.parametrize(
    ("line", "now", "sent"),
    [
        ("Anna", {"mode": "line", "keys": []}, {"send": "Anna\r"}),
        ("", {"mode": "line", "keys": []}, {"send": "\r"}),
        ("hello", {"mode": "menu", "keys": [{"key": "."}]}, {"send": ".hello\r"}),
        ("/word x", {"mode": "menu", "keys": [{"key": "."}]}, {"send": "./word x\r"}),
        ("/join poker", {"mode": "menu", "keys": [{"key": "s"}]}, {"send": "/join poker\r"}),
        ("s", {"mode": "menu", "keys": [{"key": "s"}]}, {"send": "s"}),
        ("hello", {"mode": "menu", "keys": [{"key": "s"}]}, {"refuse": "notNow"}),
    ],
)
def test_the_line_for_text_sends_what_is_meant(
    tab: Tab, line: str, now: dict[str, object], sent: dict[str, str]
) -> None:
    assert tab.imported("./keys.js", "module.answer(values[0], values[1])", line, now) == sent


@pytest.mark.parametrize(
    ("before", "now", "is_new_step", "places"),
    [
        ("", "bph", True, "bph"),
        ("bph", "bh", False, "b-h"),
        ("b-h", "bth", False, "bth"),
        ("b-h", "bthx", False, "bthx"),
        ("bph", "p", False, "-p"),
        ("-p", "p", True, "p"),
        ("bph", "cph", True, "cph"),
        ("bph", "hc", True, "hc"),
        ("bph", "ch", True, "ch"),
        ("bph", "", False, ""),
    ],
)
def test_a_button_keeps_its_place_while_it_is_there(
    tab: Tab, before: str, now: str, is_new_step: bool, places: str
) -> None:
    codes = [None if code == "-" else code for code in before]
    found = tab.imported("./keys.js", "module.places(values[0], values[1], values[2])", codes, list(now), is_new_step)
    assert isinstance(found, list)
    assert "".join(code or "-" for code in found) == places


def test_pauses_double_and_end(tab: Tab) -> None:
    expression = "[0, 1, 2, 9].map(module.pause)"
    assert tab.imported("./connection.js", expression) == [0.5, 1, 2, 15]


def test_pasted_text_is_sent_in_pieces_that_the_server_takes(tab: Tab) -> None:
    text = "ä😀x" * 1000
    found = tab.imported("./connection.js", "module.pieces(values[0])", text)
    assert isinstance(found, list)
    assert "".join(found) == text
    assert max(len(piece.encode()) for piece in found) < 4096


def test_useful_sizes_of_a_terminal(tab: Tab) -> None:
    expression = "[[80, 24], [119, 29], [120, 30], [300, 200]].map(([x, y]) => module.useful(x, y))"
    found = tab.imported("./screen.js", expression)
    assert isinstance(found, list)
    assert [(size["columns"], size["rows"]) for size in found] == [(80, 24), (80, 24), (120, 30), (132, 60)]


@pytest.mark.parametrize(
    "text", ["", "abc", "\u00e4\u20ac", *("x" * size for size in (55, 56, 63, 64, 65, 119, 120, 1000))]
)
def test_the_pages_own_sha256_is_sha256(tab: Tab, text: str) -> None:
    assert tab.imported("./sha256.js", "module.sha256(values[0])", text) == sha256(text.encode()).hexdigest()


ANSWER = "[module.answer(values[0], values[1], (bytes) => bytes.fill(1)), values[1]]"
DRAWN = "b" * 8 + "/" + "01" * 16


def told(seal: str = "s", mine: str = "", *, frozen: bool = False) -> dict[str, object]:
    return {"seal": seal, "mine": mine, "frozen": frozen}


def test_a_page_commits_to_a_text_of_its_own_and_reveals_it_when_that_is_frozen(tab: Tab) -> None:
    nothing, kept = {"seal": "", "text": ""}, {"seal": "s", "text": DRAWN}
    mine = sha256(DRAWN.encode()).hexdigest()
    assert tab.imported("./commitments.js", ANSWER, told(), nothing) == [{"kind": "c", "text": mine}, kept]
    assert tab.imported("./commitments.js", ANSWER, told(), kept) == [{"kind": "c", "text": mine}, kept], "a reload"
    assert tab.imported("./commitments.js", ANSWER, told(mine=mine), kept) == [None, kept]
    assert tab.imported("./commitments.js", ANSWER, told("", ""), kept) == [None, kept]
    opened = [{"kind": "o", "text": DRAWN}, kept]
    assert tab.imported("./commitments.js", ANSWER, told(mine=mine, frozen=True), kept) == opened


@pytest.mark.parametrize("asked", [told("other", "m", frozen=True), told("s", "m", frozen=True), told(frozen=True)])
def test_a_page_reveals_nothing_for_another_deck_nor_another_commitment(tab: Tab, asked: dict[str, object]) -> None:
    kept = {"seal": "s", "text": DRAWN}
    assert tab.imported("./commitments.js", ANSWER, asked, kept) == [None, kept]
