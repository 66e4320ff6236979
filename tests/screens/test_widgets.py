import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.screens.eye import texts
from yawc_poker.terminal import keys, widgets
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.text import is_harmless
from yawc_poker.terminal.widgets import Talk, draw_card, wrap

KEYS = [value for name, value in vars(keys).items() if name.isupper() and isinstance(value, str)]


def typed(keys: list[str], editor: LineEditor) -> LineEditor:
    for key in keys:
        editor = editor.key(key)
    return editor


@pytest.mark.parametrize(
    ("keys", "text", "position"),
    [
        (["a", "b", "ä"], "abä", 3),
        (["a", "b", "KEY_LEFT", "c"], "acb", 2),
        (["a", "b", "\x7f"], "a", 1),
        (["\x7f"], "", 0),
        (["a", "b", "KEY_HOME", "KEY_DELETE", "KEY_DELETE", "KEY_DELETE"], "", 0),
        (["a", "b", "KEY_HOME", "\x7f", "c", "KEY_END", "d"], "cabd", 4),
        (["a", " ", "b", "c", "\x17", "d"], "a d", 3),
        ([*"a b  ", "\x17"], "a ", 2),
        ([*"abc", "KEY_LEFT", "\x17"], "c", 0),
        ([*"abc", "\x15"], "", 0),
        ([*"abc", "KEY_LEFT", "KEY_RIGHT", "KEY_RIGHT"], "abc", 3),
        (["\r", "\x1b", "\t", "KEY_F1", "\u200d", "\x00", "ab", ""], "", 0),
        (["日", "e", "\u0301", "\x85"], "日é ", 3),
    ],
)
def test_editing(keys: list[str], text: str, position: int) -> None:
    editor = typed(keys, LineEditor())
    assert (editor.text, editor.position) == (text, position)


def test_limit() -> None:
    assert typed([*"abcdef"], LineEditor(limit=3)).text == "abc"


@given(st.lists(st.sampled_from([*KEYS, *"ab ö", "日", "\u202e"])), st.integers(0, 9), st.integers(1, 12))
def test_any_keys_leave_a_sound_editor(keys: list[str], limit: int, width: int) -> None:
    editor = typed(keys, LineEditor(limit=limit))
    shown, cursor = editor.visible(width)
    assert len(editor.text) <= limit
    assert is_harmless(editor.text) or editor.fault is not None
    assert 0 <= editor.position <= len(editor.text)
    assert 0 <= cursor < width
    assert len(shown) <= width
    assert shown in editor.text


@pytest.mark.parametrize(
    ("text", "right", "width", "shown"),
    [("abc", 0, 5, ("abc", 3)), ("abcdef", 0, 5, ("cdef", 4)), ("abcdef", 6, 5, ("abcde", 0)), ("ab", 0, 0, ("", 0))],
)
def test_the_cursor_stays_visible(text: str, right: int, width: int, shown: tuple[str, int]) -> None:
    assert LineEditor(text, right=right).visible(width) == shown


def test_talk_goes_round_and_overwrites_the_oldest() -> None:
    talk = Talk()
    assert talk.newest is None
    for number in range(1, 11):
        talk = talk.add(f"m{number}")
    assert [text for text, _ in talk.lines] == [f"m{number}" for number in range(1, 11)]
    assert talk.newest == 9
    talk = talk.add("m11", Style.NEWEST)
    assert [text for text, _ in talk.lines] == ["m11"] + [f"m{number}" for number in range(2, 11)]
    assert talk.newest == 0
    assert talk.lines[0][1] is Style.NEWEST


def test_talk_changes_one_line_a_message_and_the_arrow() -> None:
    talk = Talk().add("one").add("two")
    canvas, later = Canvas(12, 10), Canvas(12, 10)
    talk.draw(canvas, 0, 0, 12)
    talk.add("three").draw(later, 0, 0, 12)
    before, after = canvas.frame().rows, later.frame().rows
    moved = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert moved == [1, 2]


def test_talk_is_drawn_with_its_arrow_and_cut_to_its_width() -> None:
    canvas = Canvas(12, 10)
    Talk().add("first").add("second message").draw(canvas, 0, 0, 10)
    assert texts(canvas.frame())[:3] == ["   first    ", "-> second   "[:10] + "  ", " " * 12]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, []),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 8, ["one two", "three"]),
        ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]),
        ("a\n\nb", 5, ["a", "", "b"]),
        ("  x y", 3, ["  x", "y"]),
        ("ab", 0, ["a", "b"]),
        ("a     b", 3, ["a", "b"]),
        ("a\n", 5, ["a"]),
        ("a\rb\x0bc\x85d\u2028e", 9, ["a\rb\x0bc\x85d\u2028e"]),
    ],
)
def test_wrap(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


@given(st.text("ab \n", max_size=60), st.integers(1, 12))
def test_wrap_loses_nothing_but_blanks(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")


def test_cards_in_their_boxes() -> None:
    canvas = Canvas(20, 5)
    draw_card(canvas, 0, 0, "A+")
    draw_card(canvas, widgets.CARD_STEP, 0, "10#")
    draw_card(canvas, 2 * widgets.CARD_STEP, 0, None)
    frame = canvas.frame()
    assert texts(frame) == [
        "┌────┐ ┌────┐ ┌────┐",
        "│A+  │ │10# │ │░░░░│",
        "│    │ │    │ │░░░░│",
        "│  A+│ │ 10#│ │░░░░│",
        "└────┘ └────┘ └────┘",
    ]
    styles = frame.rows[1].styles
    assert (styles[1], styles[8], styles[15]) == (Style.CARD_CLUBS, Style.CARD_RED, Style.CARD_BACK)


def test_five_cards_fit_the_left_half() -> None:
    assert 4 * widgets.CARD_STEP + widgets.CARD_WIDTH <= 40
