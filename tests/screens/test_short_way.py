"""The short way of a key typed into the chat line: it draws one cell at once, with the long way's result."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.screens.eye import Eye, MemoryLine
from tests.screens.poker_pictures import ANNA, EN, LONGEST, Instance
from tests.thoroughness import sampled
from yawc_poker.games.poker.model import Options
from yawc_poker.games.poker.ui.scene import Local, Scene
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.table_ui.keys import chat_limit, may_append, press_chat
from yawc_poker.table_ui.scene import shown_seconds
from yawc_poker.table_ui.screen import STATUS_ROW, clock_cells
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.keys import BACKSPACE, KEY_HOME, KEY_LEFT, KEY_RIGHT, KILL, LineEditor
from yawc_poker.terminal.kinds import Charset

COLUMNS, ROWS = 80, 24

keys = st.lists(
    st.sampled_from("abc .?ä♥ß_\N{COMBINING DIAERESIS}\N{HIRAGANA LETTER A}")
    | st.sampled_from((BACKSPACE, KEY_LEFT, KEY_RIGHT, KEY_HOME, KILL)),
    max_size=90,
)
charsets: st.SearchStrategy[Charset] = st.sampled_from(("utf-8", "cp437", "ascii"))


def at_the_chat_line(name: str) -> tuple[Scene, Local]:
    instance = Instance(2)
    scene = replace(FACE.scene(instance.table, ANNA, 0, instance.now), name=name)
    local, _ = FACE.press(FACE.fresh(Options()), scene, ".", EN)
    assert local.mode == "chat"
    return scene, local


class Typist:
    """Types as a session does (`session.table.screen`): the short way if it is open, otherwise the long one."""

    def __init__(self, charset: Charset, name: str = "Anna") -> None:
        self.scene, self.local = at_the_chat_line(name)
        self.line = MemoryLine("xterm-256color", charset, COLUMNS, ROWS)
        self.display = Display(self.line)
        self.eye = Eye(COLUMNS, ROWS, charset)
        self.short = 0
        self.draw()

    def draw(self) -> None:
        self.display.draw(FACE.layout.render(self.scene, self.local, EN, COLUMNS, ROWS))
        self.eye.see(self.line.take())

    def press(self, key: str) -> bool:
        """Press a key; return whether it went the short way."""
        if may_append(self.local, key) and self.display.put(key):
            self.local, intent = press_chat(self.local, key)
            assert intent is None
            sent = self.line.take()
            assert len(sent) == len(key.encode()) or self.line.charset != "utf-8"
            self.eye.see(sent)
            return True
        self.local, _ = FACE.press(self.local, self.scene, key, EN)
        self.draw()
        return False

    def seen_whole(self) -> Eye:
        line = MemoryLine("xterm-256color", self.line.charset, COLUMNS, ROWS)
        eye = Eye(COLUMNS, ROWS, self.line.charset)
        Display(line).draw(FACE.layout.render(self.scene, self.local, EN, COLUMNS, ROWS))
        eye.see(line.take())
        return eye


@settings(max_examples=sampled(40))
@given(keys, charsets, st.sampled_from(("Anna", LONGEST)))
def test_the_short_way_shows_what_the_long_one_does(typed: list[str], charset: Charset, name: str) -> None:
    typist = Typist(charset, name)
    for key in typed:
        before, scene = typist.local, typist.scene
        if typist.press(key):
            assert typist.local == FACE.press(before, scene, key, EN)[0]
        typist.draw()  # sends the differences, which are none
        assert (typist.eye.cells(), typist.eye.cursor) == (typist.seen_whole().cells(), typist.seen_whole().cursor)


@settings(max_examples=sampled(40))
@given(keys)
def test_after_the_short_way_nothing_is_left_to_draw(typed: list[str]) -> None:
    typist = Typist("utf-8")
    for key in typed:
        if typist.press(key):
            typist.display.draw(FACE.layout.render(typist.scene, typist.local, EN, COLUMNS, ROWS))
            assert not typist.line.take()


def test_a_line_typed_to_its_end_goes_the_short_way_until_it_would_scroll() -> None:
    typist = Typist("utf-8")
    ways = [typist.press("x") for _ in range(chat_limit("Anna"))]
    assert all(ways)
    assert not typist.press("x")  # no room
    long_name = Typist("utf-8", LONGEST)
    assert all(long_name.press("x") for _ in range(chat_limit(LONGEST)))


def test_where_the_short_way_is_closed_nothing_is_sent() -> None:
    canvas = Canvas(COLUMNS, ROWS)
    canvas.put(3, 5, "x", Style.BOLD)
    canvas.put(4, 5, " ", Style.BAR)
    line = MemoryLine(columns=COLUMNS, rows=ROWS)
    display = Display(line)
    assert not display.put("a")  # nothing is shown
    for cursor in (None, (3, 5), (4, 5), (COLUMNS - 2, 5), (COLUMNS - 1, 5)):
        display.draw(canvas.frame(cursor))
        line.take()
        assert not display.put("a")
        assert not line.take()
    display.draw(canvas.frame((5, 5)))
    assert display.put("a")
    line.columns = 79  # the window changed: its content is no longer known
    assert not display.put("b")


def test_only_a_character_with_room_at_the_end_of_the_chat_line_is_appended() -> None:
    _, local = at_the_chat_line("Anna")
    assert may_append(local, "a")
    assert not may_append(local, BACKSPACE)
    assert not may_append(local, "\N{HIRAGANA LETTER A}")
    assert not may_append(replace(local, mode="menu"), "a")
    assert not may_append(replace(local, editor=LineEditor("ab", right=1)), "a")
    assert not may_append(replace(local, editor=LineEditor("ab", limit=2)), "a")


@settings(max_examples=sampled(40))
@given(st.lists(st.floats(-5, 700000), min_size=1, max_size=5), charsets)
def test_a_clock_written_over_shows_what_a_drawing_does(lefts: list[float], charset: Charset) -> None:
    line = MemoryLine("xterm-256color", charset, COLUMNS, ROWS)
    display, eye = Display(line), Eye(COLUMNS, ROWS, charset)
    scene = replace(Instance(2).scene(ANNA), deadline=0.0)
    for now in (-10000.0, *(-left for left in lefts)):
        shown = display.shown
        cells = None if shown is None else clock_cells(shown, shown_seconds(replace(scene, now=now)))
        if cells is not None and display.write(*cells):
            eye.see(line.take())
            display.draw(FACE.layout.render(replace(scene, now=now), Local(), EN, COLUMNS, ROWS))
            assert not line.take()
        else:
            display.draw(FACE.layout.render(replace(scene, now=now), Local(), EN, COLUMNS, ROWS))
            eye.see(line.take())
        assert f" {shown_seconds(replace(scene, now=now)) // 60}:" in eye.rows[STATUS_ROW]


def test_nothing_is_written_over_where_a_cursor_would_jump() -> None:
    line = MemoryLine(columns=COLUMNS, rows=ROWS)
    display = Display(line)
    assert not display.write(3, 3, "x", Style.BAR)  # nothing is shown
    display.draw(Canvas(COLUMNS, ROWS).frame((0, 0)))
    line.take()
    assert not display.write(3, 3, "x", Style.BAR)
    assert not line.take()
    display.draw(Canvas(COLUMNS, ROWS).frame())
    assert display.write(3, 3, "x", Style.BAR)
