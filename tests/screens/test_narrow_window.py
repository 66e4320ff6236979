"""A table in a window of 40 columns: the regions of the whole one below each other, in every game and language."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.screens import doppelkopf_pictures, maumau_pictures, offiziersskat_pictures, poker_pictures
from tests.screens.golden import agrees, drawn
from tests.screens.poker_pictures import ANNA, EN, Instance
from yawc_poker.catalogues import words
from yawc_poker.games.doppelkopf.ui.screen import FACE as DOPPELKOPF
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU
from yawc_poker.games.offiziersskat.ui.screen import FACE as OFFIZIERSSKAT
from yawc_poker.games.poker.ui.scene import Local
from yawc_poker.games.poker.ui.screen import FACE as POKER
from yawc_poker.table_ui.screen import BORDER, COMMAND_ROW, LOWER_LINE, RIGHT, STATUS_ROW, TALK_ROW
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import LANGUAGES, Language

Draw = Callable[[Language, int, int], Frame]
"""Draws a table in a window of so many columns and rows."""
GOLDEN = Path(__file__).parent / "golden_narrow"
LINES = "─│┬┼┤├ "
PAGES = {"doppelkopf rounds", "offiziersskat tricks_and_rounds"}
"""Pictures of an open page, which stands in place of the table."""
SHOWN = ("poker round_3_see_prompt", "maumau just_taken", "doppelkopf own_turn_with_calls", "offiziersskat must_follow")


def poker(picture: Callable[[], poker_pictures.Picture]) -> Draw:
    instance, who, keys, waiting = picture()
    scene, local = instance.scene(who, waiting), instance.local(who, keys)
    return lambda language, *size: POKER.layout.render(scene, local, words(language), *size)


def maumau(picture: Callable[[], maumau_pictures.Picture]) -> Draw:
    instance, who, keys = picture()
    scene = instance.scene(who)
    return lambda language, *size: MAUMAU.layout.render(
        scene, instance.local(who, keys, language), words(language), *size
    )


def doppelkopf(picture: Callable[[], doppelkopf_pictures.Picture]) -> Draw:
    instance, who, keys, _, _, earlier = picture()
    scene = instance.scene(who)
    return lambda language, *size: DOPPELKOPF.layout.render(
        scene, instance.local(who, keys, language, earlier), words(language), *size
    )


def offiziersskat(picture: Callable[[], offiziersskat_pictures.Picture]) -> Draw:
    instance, who, keys, _, _ = picture()
    scene = instance.scene(who)
    return lambda language, *size: OFFIZIERSSKAT.layout.render(
        scene, instance.local(who, keys, language), words(language), *size
    )


def pictures() -> Iterator[tuple[str, Draw]]:
    yield from ((f"poker {one.__name__}", poker(one)) for one in poker_pictures.PICTURES)
    yield from ((f"maumau {one.__name__}", maumau(one)) for one in maumau_pictures.PICTURES)
    yield from ((f"doppelkopf {one.__name__}", doppelkopf(one)) for one in doppelkopf_pictures.PICTURES)
    yield from ((f"offiziersskat {one.__name__}", offiziersskat(one)) for one in offiziersskat_pictures.PICTURES)


def halves(frame: Frame, rows: range) -> Iterator[str]:
    """Yield what stands in both halves of these rows of a whole table."""
    for at in rows:
        text = frame.rows[at].text
        yield text[:BORDER].strip(LINES)
        yield text[RIGHT if at >= COMMAND_ROW and at < STATUS_ROW else BORDER + 1 :].strip(LINES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_a_whole_table_shows_is_there_in_40_columns_and_22_rows(language: Language) -> None:
    for name, draw in pictures():
        rows = 24 if name in PAGES else 22
        whole, narrow = draw(language, 80, 24), draw(language, 40, rows)
        assert (narrow.columns, len(narrow.rows)) == (40, rows)
        shown = drawn(narrow)
        wanted = list(halves(whole, range(TALK_ROW, LOWER_LINE) if name in PAGES else range(STATUS_ROW)))
        keys = [row.text[RIGHT:].strip() for row in whole.rows[COMMAND_ROW:STATUS_ROW]]
        assert [text for text in (*wanted, *keys) if text not in shown] == [], (name, shown)
        clock = whole.rows[STATUS_ROW].text.split()[-1]
        assert ":" not in clock or narrow.rows[0].text.rstrip().endswith(clock)
        if whole.cursor is not None and whole.cursor[1] < STATUS_ROW:
            assert narrow.cursor is not None
            column, row = narrow.cursor
            before = whole.rows[whole.cursor[1]].text[RIGHT : whole.cursor[0]]
            assert narrow.rows[row].text[:column] == before


@pytest.mark.parametrize("name", SHOWN)
def test_a_narrow_screen_is_the_golden_one(name: str) -> None:
    draw = dict(pictures())[name]
    agrees(drawn(draw("en", 40, 25)), GOLDEN / f"{name.replace(' ', '_')}.txt")


def test_a_higher_window_has_more_messages_and_a_wider_one_longer_lines() -> None:
    draw = dict(pictures())["poker round_3_own_turn"]
    low, high, wide = (drawn(draw("en", *size)) for size in ((40, 24), (40, 40), (60, 40)))
    assert "Anna starts a game." not in low
    assert "Anna starts a game." in high
    assert "[INFO] Abcdefghijklmnopqrst bets 5\n  CUBES." in high
    assert "[INFO] Abcdefghijklmnopqrst bets 5 CUBES." in wide


def test_the_chat_line_is_the_last_one() -> None:
    instance = Instance(2)
    frame = POKER.layout.render(instance.scene(ANNA), instance.local(ANNA, ".hello"), EN, 40, 24)
    assert frame.rows[-1].text.rstrip() == "Anna: hello"
    assert frame.cursor == (11, 23)
    assert "[ENTER] Send the message" in drawn(frame)


def test_a_window_that_is_lower_or_narrower_tells_the_table_in_lines() -> None:
    scene = Instance(2).scene(ANNA)
    for columns, rows in ((39, 24), (40, 21), (100, 21)):
        assert f"Your window has {columns}x{rows}" in " ".join(
            drawn(POKER.layout.render(scene, Local(), EN, columns, rows)).split()
        )
