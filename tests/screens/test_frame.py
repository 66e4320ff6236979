from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.terminal.frame import REGION_KEPT, Canvas, Frame, Row, Run, Style, changes, is_bare, region

Put = tuple[int, int, str, Style]
puts = st.lists(
    st.tuples(st.integers(-3, 22), st.integers(-1, 6), st.text("abc  █", max_size=12), st.sampled_from(list(Style))),
    max_size=12,
)


def drawn(marks: list[Put]) -> Frame:
    canvas = Canvas(20, 5)
    for mark in marks:
        canvas.put(*mark)
    return canvas.frame()


def applied(old: Frame, runs: list[Run]) -> Frame:
    """Apply runs by hand as a terminal does."""
    texts = [list(row.text) for row in old.rows]
    styles = [bytearray(row.styles) for row in old.rows]
    for run in runs:
        end = run.column + len(run.text)
        texts[run.row][run.column : end] = run.text
        styles[run.row][run.column : end] = run.styles
        if run.clear:
            texts[run.row][end:] = " " * (old.columns - end)
            styles[run.row][end:] = bytes(old.columns - end)
    rows = (Row("".join(text), bytes(style)) for text, style in zip(texts, styles, strict=True))
    return Frame(old.columns, tuple(rows))


def looks(frame: Frame) -> list[tuple[str, int]]:
    """Return the cells as seen, all plain blanks alike, without the last one, which is never drawn."""
    cells = [cell for row in frame.rows for cell in zip(row.text, row.styles, strict=True)]
    return [(" ", 0) if is_bare(*cell) else cell for cell in cells][:-1]


def test_canvas_clips_and_never_wraps() -> None:
    canvas = Canvas(5, 2)
    canvas.put(3, 0, "abcd")
    canvas.put(-2, 1, "wxyz", Style.RED)
    canvas.put(5, 0, "beyond")
    canvas.put(0, 2, "below")
    canvas.put(0, -1, "above")
    canvas.put(-9, 0, "left")
    assert canvas.frame().rows == (Row("   ab", bytes(5)), Row("yz   ", bytes([3, 3, 0, 0, 0])))


def test_canvas_fills_a_rectangle_within_its_edges() -> None:
    canvas = Canvas(4, 3)
    canvas.fill(1, -1, 9, 3, "#", Style.FELT)
    assert [row.text for row in canvas.frame().rows] == [" ###", " ###", "    "]


def test_canvas_takes_only_harmless_characters() -> None:
    canvas = Canvas(6, 1)
    canvas.put(0, 0, "a\x1b日\u0301b")
    assert canvas.frame().rows[0].text == "a???b "


def test_cursor_stays_inside() -> None:
    assert Canvas(5, 2).frame((9, -3)).cursor == (4, 0)
    assert Canvas(5, 2).frame().cursor is None


@given(puts, st.lists(st.tuples(st.text("ab ", max_size=8), st.sampled_from(list(Style))), max_size=3 * REGION_KEPT))
def test_a_region_shows_what_it_was_drawn_from_and_touches_nothing_else(
    marks: list[Put], values: list[tuple[str, Style]]
) -> None:
    calls = []

    def draw(canvas: Canvas, text: str, style: Style) -> None:
        calls.append(text)
        canvas.put(6, 2, text, style)

    remembered = region(5, 1, 7, 3)(draw)
    for value in values:
        mine, other = Canvas(20, 5), Canvas(20, 5)
        for mark in marks:
            mine.put(*mark)
            other.put(*mark)
        remembered(mine, *value)
        other.fill(5, 1, 7, 3)
        other.put(6, 2, value[0][:6], value[1])
        assert mine.frame() == other.frame()
    assert len(calls) <= len(values)


def test_a_region_is_drawn_once_for_the_same_values() -> None:
    drawn_from = []

    @region(0, 0, 4, 1)
    def label(canvas: Canvas, text: str) -> None:
        drawn_from.append(text)
        canvas.put(0, 0, text)

    for text in ("a", "b", "a", "b", "a"):
        label(Canvas(4, 1), text)
    assert drawn_from == ["a", "b"]
    for number in range(REGION_KEPT + 1):
        label(Canvas(4, 1), str(number))
    label(Canvas(4, 1), "a")
    assert drawn_from.count("a") == 2


@given(puts, puts)
def test_changes_turn_one_frame_into_the_other(before: list[Put], after: list[Put]) -> None:
    old, new = drawn(before), drawn(after)
    assert looks(applied(old, changes(old, new))) == looks(new)


@given(puts)
def test_changes_from_nothing_give_the_frame(marks: list[Put]) -> None:
    blank = Canvas(20, 5).frame()
    assert looks(applied(blank, changes(None, drawn(marks)))) == looks(drawn(marks))
    assert changes(Canvas(19, 5).frame(), drawn(marks)) == changes(None, drawn(marks))


@given(puts)
def test_nothing_changed_gives_no_run(marks: list[Put]) -> None:
    assert changes(drawn(marks), drawn(marks)) == []


def test_the_last_cell_is_never_sent() -> None:
    canvas = Canvas(20, 5)
    canvas.fill(0, 0, 20, 5, "x")
    runs = changes(None, canvas.frame())
    assert [(run.row, run.column, len(run.text)) for run in runs] == [(row, 0, 20) for row in range(4)] + [(4, 0, 19)]


def runs_of(old: str, new: str, style: Style = Style.PLAIN) -> list[tuple[int, str, bool]]:
    before, after = Canvas(40, 2), Canvas(40, 2)
    before.put(0, 0, old)
    after.put(0, 0, new, style)
    return [(run.column, run.text, run.clear) for run in changes(before.frame(), after.frame())]


def test_near_changes_are_joined_far_ones_are_not() -> None:
    assert runs_of("a.....a", "b.....b") == [(0, "b.....b", False)]
    assert runs_of("a" + "." * 8 + "a", "b" + "." * 8 + "b") == [(0, "b", False), (9, "b", False)]


def test_a_long_blank_end_is_cleared_a_short_one_overwritten() -> None:
    assert runs_of("hello world", "hello") == [(5, "", True)]
    assert runs_of("hello you", "howdy") == [(1, "owdy", True)]
    assert runs_of("abc", "a") == [(1, "  ", False)]


def test_blanks_on_a_coloured_ground_are_drawn() -> None:
    assert runs_of("", "    ", Style.BAR) == [(0, "    ", False)]
    assert runs_of("", "    ", Style.GREEN) == []
