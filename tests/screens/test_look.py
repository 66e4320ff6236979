"""How a caller wants things shown: symbols of suits, colours, a light background; the golden screens of `golden_look/`.

After a wanted change, `YAWC_GOLDEN=1 pytest` writes them anew.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from wcwidth import wcswidth

from tests.screens import maumau_pictures, offiziersskat_pictures, poker_pictures
from tests.screens.eye import Cell, Eye, MemoryLine
from tests.screens.golden import agrees
from yawc_poker.appearance.preferences import Preferences
from yawc_poker.cards import SIGNS, SYMBOLS, Rank, Suit, card, cards, deck
from yawc_poker.catalogues import words
from yawc_poker.games.maumau.model import Options as MauMauOptions
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU
from yawc_poker.games.offiziersskat.model import Options as OffiziersskatOptions
from yawc_poker.games.offiziersskat.ui.screen import FACE as OFFIZIERSSKAT
from yawc_poker.games.poker.model import Options as PokerOptions
from yawc_poker.games.poker.ui.screen import FACE as POKER
from yawc_poker.session.caller.appearance import Appearance
from yawc_poker.table_ui.screen import STATUS_ROW, clock_cells, lit
from yawc_poker.table_ui.speech import card_text, cards_text, in_symbols, suit_name
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.sequences import _COLOURED, AS_SHIPPED, palette, worn
from yawc_poker.terminal.widgets import card_style
from yawc_poker.words import Words

GOLDEN = Path(__file__).parent / "golden_look"
EN = words("en")
SYMBOLIC = words("en", symbols=True)
EVERYTHING = Preferences(suits="symbols", colours=4)
LIGHT = replace(EVERYTHING, background="light")
DARK_LETTERS = {"default": ".", "brown": "y", "white": "w", "black": "k"}


def at_poker(picture: poker_pictures.Picture, speech: Words) -> Frame:
    instance, who, keys, waiting = picture
    scene = instance.scene(who, waiting)
    local = POKER.hear(POKER.follow(POKER.fresh(PokerOptions()), scene), instance.table.log, who, speech)
    for key in keys:
        local, _ = POKER.press(local, scene, key, speech)
    return POKER.layout.render(scene, local, speech, 80, 24)


def poker_hand(speech: Words) -> Frame:
    return at_poker(poker_pictures.swap_fourth_card(), speech)


def poker_showdown(speech: Words) -> Frame:
    return at_poker(poker_pictures.showdown_own_turn(), speech)


def maumau_wish(speech: Words) -> Frame:
    instance, who, _ = maumau_pictures.wish()
    scene = instance.scene(who)
    local = MAUMAU.follow(MAUMAU.hear(MAUMAU.fresh(MauMauOptions()), instance.table.log, who, speech), scene)
    return MAUMAU.layout.render(scene, local, speech, 80, 24)


def offiziersskat_trick(speech: Words) -> Frame:
    instance, who, *_ = offiziersskat_pictures.must_follow()
    scene = instance.scene(who)
    local = OFFIZIERSSKAT.hear(OFFIZIERSSKAT.fresh(OffiziersskatOptions()), instance.table.log, who, speech)
    return OFFIZIERSSKAT.layout.render(scene, OFFIZIERSSKAT.follow(local, scene), speech, 80, 24)


FRAMES = {
    "poker_hand": poker_hand,
    "poker_showdown": poker_showdown,
    "maumau_wish": maumau_wish,
    "offiziersskat_trick": offiziersskat_trick,
}


def seen(frame: Frame, preferences: Preferences, kind: str = "xterm-256color") -> Eye:
    """Return what a terminal in UTF-8 shows of a frame."""
    line, eye = MemoryLine(kind), Eye()
    display = Display(line)
    display.wear(palette(preferences))
    display.draw(frame)
    eye.see(line.take())
    return eye


def colours(cell: Cell) -> str:
    """Return a letter for each look: capital on a ground of its own."""
    if cell.reverse:
        return "%"
    front = DARK_LETTERS.get(cell.front, cell.front[0])
    if cell.ground == "default":
        return front if cell.character != " " else "."
    return {"white": front.upper(), "green": "G", "blue": "=", "red": "!"}[cell.ground]


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("background", ["dark", "light"])
def test_a_table_with_symbols_and_four_colours_is_the_golden_one(name: str, background: str) -> None:
    eye = seen(lit(FRAMES[name](SYMBOLIC)), EVERYTHING if background == "dark" else LIGHT)
    text = "".join(row.rstrip() + "\n" for row in eye.rows)
    looks = ("".join(map(colours, row)).rstrip(".") + "\n" for row in eye.cells())
    agrees(f"{text}\n{''.join(looks)}", GOLDEN / f"{name}.{background}.txt")


def test_there_are_no_other_golden_screens() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {
        f"{name}.{background}.txt" for name in FRAMES for background in ("dark", "light")
    }


@pytest.mark.parametrize("name", FRAMES)
def test_symbols_stand_where_signs_stood_and_nothing_else_differs(name: str) -> None:
    plain, symbolic = FRAMES[name](EN), FRAMES[name](SYMBOLIC)
    for number, (before, after) in enumerate(zip(plain.rows, symbolic.rows, strict=True)):
        assert wcswidth(after.text) == 80
        if "Wish for" in before.text:
            assert "[+]♣ [*]♠ [#]♥ [-]♦ Wish for a suit" in after.text
        else:
            assert after.text.translate(str.maketrans(SYMBOLS, SIGNS)) == before.text, number
            assert after.styles == before.styles, number
    assert any(symbol in row.text for row in symbolic.rows for symbol in SYMBOLS)


# --- cards as text ----------------------------------------------------------------------------------------------------


def test_a_card_is_written_by_signs_or_symbols_and_always_by_one_of_them() -> None:
    assert (card_text(card("10#"), EN), card_text(card("10#"), SYMBOLIC)) == ("10#", "10♥")
    assert (card_text(card("Q+"), words("de")), card_text(card("Q+"), words("de", symbols=True))) == ("D+", "D♣")
    assert cards_text(cards("A+ K* Q# J-"), SYMBOLIC) == "A♣ K♠ Q♥ J♦"
    assert cards_text(cards("A+ K* Q# J-"), words("nl")) == "A+ H* V# B-"
    assert cards_text(cards("A+ K* Q# J-"), words("nl", english_cards=True)) == "A+ K* Q# J-"
    assert (suit_name(Suit.HEARTS, EN), suit_name(Suit.HEARTS, SYMBOLIC)) == ("hearts #", "hearts ♥")
    assert in_symbols("Suits: + clubs, - diamonds.", EN) == "Suits: + clubs, - diamonds."
    assert in_symbols("Suits: + clubs, - diamonds.", SYMBOLIC) == "Suits: ♣ clubs, ♦ diamonds."
    for one in deck(Rank):
        assert card_style(card_text(one, EN)) == card_style(card_text(one, SYMBOLIC))


@pytest.mark.parametrize(
    ("kind", "charset", "suits", "symbols"),
    [
        ("xterm-256color", "utf-8", "symbols", True),
        ("xterm-256color", "utf-8", "signs", False),
        ("xterm-256color", "ascii", "symbols", False),
        ("syncterm", "cp437", "symbols", False),
        ("ansi-bbs", "cp437", "symbols", False),
    ],
)
def test_symbols_are_shown_in_utf_8_alone(kind: str, charset: Charset, suits: str, symbols: bool) -> None:
    line = MemoryLine(kind, charset)
    appearance = Appearance(line, Display(line), "en")
    appearance.prefer(Preferences(suits="symbols" if suits == "symbols" else "signs"))
    assert appearance.symbols is appearance.words.symbols is symbols
    appearance.show_as("utf-8")
    assert appearance.words.symbols is (suits == "symbols")
    appearance.show_as("cp437")
    assert not appearance.words.symbols


# --- colours ----------------------------------------------------------------------------------------------------------

preferred = st.builds(Preferences, colours=st.sampled_from((2, 4)), background=st.sampled_from(("dark", "light")))


@given(preferred)
def test_what_is_worn_once_is_worn(preferences: Preferences) -> None:
    table = palette(preferences)
    assert table.translate(table) == table
    frame = worn(poker_hand(EN), table)
    assert worn(frame, table) == frame


def test_as_shipped_a_suit_is_red_or_black() -> None:
    looks = {sign: _COLOURED[Style(AS_SHIPPED[card_style(f"A{sign}")])] for sign in SIGNS + SYMBOLS}
    assert [looks[sign] for sign in SIGNS] == ["red_on_white", "red_on_white", "black_on_white", "black_on_white"]
    assert [looks[sign] for sign in SYMBOLS] == [looks[sign] for sign in SIGNS]
    assert all(AS_SHIPPED[style] == style for style in Style if style not in {Style.CARD_DIAMONDS, Style.CARD_CLUBS})


def test_four_colours_are_four() -> None:
    table = palette(Preferences(colours=4))
    looks = {_COLOURED[Style(table[card_style(f"A{sign}")])] for sign in SIGNS}
    assert looks == {"black_on_green", "black_on_white", "red_on_white", "blue_on_white"}


def test_nothing_is_yellow_green_cyan_or_white_on_a_light_background() -> None:
    table = palette(Preferences(background="light"))
    for style in Style:
        look = _COLOURED[Style(table[style])]
        if "_on_" not in look:
            assert not {"yellow", "green", "cyan", "white"} & set(look.split("_")), style


def test_scrolling_text_wears_the_palette_too() -> None:
    line, eye = MemoryLine(), Eye()
    display = Display(line)
    display.wear(palette(Preferences(background="light")))
    display.text("x", Style.YELLOW)
    eye.see(line.take())
    assert eye.cell(0, 0).front == "magenta"
    display.draw(poker_hand(EN))
    line.take()
    display.wear(palette(Preferences()))
    assert display.shown is None, "the next frame is drawn whole"


# --- the status line --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["xterm-256color", "vt100", "ansi-bbs", "linux"])
def test_a_status_line_that_calls_looks_different_as_a_whole(kind: str) -> None:
    frame = poker_hand(EN)
    quiet, calling = seen(frame, Preferences(), kind), seen(lit(frame), Preferences(), kind)
    different = [
        column
        for column in range(80)
        if quiet.cell(column, STATUS_ROW) != calling.cell(column, STATUS_ROW)
        and Style(frame.rows[STATUS_ROW].styles[column]) == Style.BAR
    ]
    assert len(different) == bytes(frame.rows[STATUS_ROW].styles).count(Style.BAR)
    assert quiet.rows[STATUS_ROW][1:] == calling.rows[STATUS_ROW][1:]
    assert (quiet.rows[STATUS_ROW][0], calling.rows[STATUS_ROW][0]) == (" ", ">")
    for row in set(range(24)) - {STATUS_ROW}:
        assert quiet.cells()[row] == calling.cells()[row]


@given(st.integers(0, 4000))
def test_a_clock_goes_on_in_a_status_line_that_calls(seconds: int) -> None:
    cells = clock_cells(lit(poker_hand(EN)), seconds)
    assert cells is None or cells[3] == Style.TURN


def test_a_small_window_calls_by_its_first_line() -> None:
    instance, who, keys, _ = poker_pictures.round_1_own_turn()
    frame = POKER.layout.render(instance.scene(who), instance.local(who, keys), EN, 60, 20)
    assert set(lit(frame).rows[0].styles) == {Style.TURN}
    assert lit(frame).rows[0].text == frame.rows[0].text
    assert lit(frame).rows[1:] == frame.rows[1:]
