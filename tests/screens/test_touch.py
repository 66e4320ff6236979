"""What can be touched at a table: every key of its screen, once, where it is drawn."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.screens import doppelkopf_pictures, maumau_pictures, offiziersskat_pictures, poker_pictures
from yawc_poker.catalogues import words
from yawc_poker.games.doppelkopf.ui.screen import FACE as DOPPELKOPF
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU
from yawc_poker.games.offiziersskat.ui.screen import FACE as OFFIZIERSSKAT
from yawc_poker.games.poker.ui.screen import FACE as POKER
from yawc_poker.page.protocol import Area, Offers
from yawc_poker.table_ui.layout import offers
from yawc_poker.table_ui.screen import nobody, shows_table
from yawc_poker.table_ui.touch import areas, in_text
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import LANGUAGES, Language, Words

EN = words("en")


def cells(area: Area) -> set[tuple[int, int]]:
    columns = range(area.column, area.column + area.width)
    return {(column, row) for column in columns for row in range(area.row, area.row + area.height)}


def text(frame: Frame, area: Area) -> str:
    rows = frame.rows[area.row : area.row + area.height]
    return "\n".join(row.text[area.column : area.column + area.width] for row in rows)


def are_right(frame: Frame, told: Offers) -> tuple[Area, ...]:
    """See that no two areas share a cell, that each shows its key, and that no key of the screen is left out."""
    keys = {offer.key for offer in told.keys}
    found = areas(frame, keys)
    if not shows_table(frame):
        assert found == ()
        return found
    covered: set[tuple[int, int]] = set()
    for area in found:
        assert area.key in keys
        assert f"[{area.key}]".lower() in text(frame, area).lower(), text(frame, area)
        assert not covered & cells(area), text(frame, area)
        covered |= cells(area)
    for row, line in enumerate(frame.rows[:11]):
        for key in keys - {"?"}:
            sign = f"[{key.upper() if len(key) == 1 else key}]"
            at = line.text[:80].upper().find(sign.upper())
            assert at < 0 or (at, row) in covered, (sign, line.text)
    return found


def at_poker(picture: Callable[[], poker_pictures.Picture], said: Words) -> tuple[Frame, Offers]:
    instance, who, keys, _ = picture()
    scene, local = instance.scene(who), instance.local(who, keys)
    layout = POKER.layout
    return layout.render(scene, local, said, 80, 24), offers(scene, local, said, layout.small(scene, local, said))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", poker_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_what_is_touched_at_poker(picture: Callable[[], poker_pictures.Picture], language: Language) -> None:
    are_right(*at_poker(picture, words(language)))


@pytest.mark.parametrize("picture", maumau_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_what_is_touched_at_maumau(picture: Callable[[], maumau_pictures.Picture]) -> None:
    instance, who, keys = picture()
    scene, local, layout = instance.scene(who), instance.local(who, keys), MAUMAU.layout
    are_right(layout.render(scene, local, EN, 80, 24), offers(scene, local, EN, layout.small(scene, local, EN)))


@pytest.mark.parametrize("picture", doppelkopf_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_what_is_touched_at_doppelkopf(picture: Callable[[], doppelkopf_pictures.Picture]) -> None:
    instance, who, *_ = picture()
    scene, local, layout = instance.scene(who), instance.local(who), DOPPELKOPF.layout
    are_right(layout.render(scene, local, EN, 80, 24), offers(scene, local, EN, layout.small(scene, local, EN)))


@pytest.mark.parametrize("picture", offiziersskat_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_what_is_touched_at_offiziersskat(picture: Callable[[], offiziersskat_pictures.Picture]) -> None:
    instance, who, *_ = picture()
    scene, local, layout = instance.scene(who), instance.local(who), OFFIZIERSSKAT.layout
    are_right(layout.render(scene, local, EN, 80, 24), offers(scene, local, EN, layout.small(scene, local, EN)))


def test_a_card_is_touched_wherever_it_is_drawn() -> None:
    frame, told = at_poker(poker_pictures.swap_fourth_card, EN)
    cards = {area.key: area for area in are_right(frame, told) if area.key in "12345"}
    assert len(cards) == 5
    assert all((area.width, area.height) == (6, 5) for area in cards.values())


def test_what_people_write_is_no_button() -> None:
    frame, told = at_poker(poker_pictures.swap_fourth_card, EN)
    row = frame.rows[15]
    rows = (*frame.rows[:15], replace(row, text="   [Bert] press [D] now".ljust(80)), *frame.rows[16:])
    said = Frame(frame.columns, rows, frame.cursor)
    assert areas(said, {offer.key for offer in told.keys}) == areas(frame, {offer.key for offer in told.keys})


def test_where_nobody_sits_somebody_may_be_brought() -> None:
    instance, who, *_ = poker_pictures.alone()
    frame = POKER.layout.render(instance.scene(who), instance.local(who), EN, 80, 24)
    seat = (0, 1, len(nobody(EN)), 1)
    assert Area("+", *seat) in areas(frame, {"+", "x"}, nobody(EN))
    assert Area("s", *seat) in areas(frame, {"s"}, nobody(EN))
    assert all(area.row != 1 for area in areas(frame, {"x"}, nobody(EN)))
    others, _ = at_poker(poker_pictures.round_1_own_turn, EN)
    assert all(area.row != 1 for area in areas(others, {"+", "s"}, nobody(EN)))


def test_above_a_prompt_keys_and_lines_of_a_list_are_touched_and_nothing_that_others_write() -> None:
    rows = (
        ("  [W] Who is online", ""),
        ("   2  Poker: Anna, [B]ert", "2"),
        ("[Bert] Press [W] now", None),
        ("  3  Skat: Bert, [O]tto", "3"),
        ("[W] write, [O] older ones  or the number ", ""),
    )
    assert in_text(rows, {"w", "o", "2"}) == (
        Area("w", 2, -5, 17, 1),
        Area("2", 3, -4, 22, 1),
        Area("w", 0, -1, 10, 1),
        Area("o", 11, -1, 14, 1),
    )
    assert in_text(rows, {"o"}) == (Area("o", 11, -1, 14, 1),)
