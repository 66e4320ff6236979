import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.screens.eye import BLANK, Cell, Eye, MemoryLine
from yawc_poker.page.protocol import Area
from yawc_poker.terminal.display import MOUSE, PASTES, Display, clipped
from yawc_poker.terminal.frame import SOLID, Canvas, Frame, Row, Style
from yawc_poker.terminal.kinds import DUMB, KINDS, MODE_KINDS, OWN_KINDS, PC_KINDS, Charset
from yawc_poker.terminal.sequences import LineTerminal, pen, warm
from yawc_poker.terminal.text import clean, encode
from yawc_poker.transport import LineClosed

EYED = ["xterm-256color", "ansi", "linux", "vt100", "screen-256color", "ansi-bbs", "syncterm", "putty-256color"]
"""Kinds whose sequences pyte knows."""
kinds = st.sampled_from(EYED)
marks = st.lists(
    st.tuples(st.integers(-3, 22), st.integers(0, 5), st.text("ab  █ä♥", max_size=12), st.sampled_from(list(Style))),
    max_size=8,
)
cursors = st.none() | st.tuples(st.integers(0, 19), st.integers(0, 4))
frames = st.builds(lambda marks, cursor: drawn(marks, cursor), marks, cursors)


def drawn(marks: list[tuple[int, int, str, Style]], cursor: tuple[int, int] | None = None) -> Frame:
    canvas = Canvas(20, 5)
    for mark in marks:
        canvas.put(*mark)
    return canvas.frame(cursor)


def charset_of(kind: str) -> Charset:
    return "cp437" if kind in {"ansi-bbs", "syncterm"} else "utf-8"


def stage(kind: str, columns: int = 20, rows: int = 5) -> tuple[MemoryLine, Display, Eye]:
    charset = charset_of(kind)
    line = MemoryLine(kind, charset, columns, rows)
    return line, Display(line), Eye(columns, rows, charset)


def seen_whole(kind: str, frame: Frame) -> list[list[Cell]]:
    line, display, eye = stage(kind)
    display.draw(frame)
    eye.see(line.take())
    return eye.cells()


@given(kinds, st.lists(frames, min_size=2, max_size=4))
def test_differences_show_what_a_whole_drawing_shows(kind: str, story: list[Frame]) -> None:
    line, display, eye = stage(kind)
    for frame in story:
        display.draw(frame)
        eye.see(line.take())
        assert eye.cells() == seen_whole(kind, frame)
        assert eye.rows[:-1] == [row.text for row in frame.rows[:-1]]
        if kind != "vt100" or frame.cursor is not None:  # a VT100 cannot hide its cursor
            assert eye.cursor == frame.cursor


@pytest.mark.parametrize("kind", EYED)
@pytest.mark.parametrize("style", list(Style))
def test_every_style_shows_as_it_should(kind: str, style: Style) -> None:
    letter, blank, behind = seen_whole(kind, drawn([(0, 0, "x ", style)]))[0][:3]
    colourless = kind == "vt100"
    grounded = blank.ground != "default" or blank.reverse
    assert behind == BLANK
    assert grounded == (style in SOLID and not (colourless and style.name.startswith(("CARD", "TURN"))))
    if not colourless and style not in {Style.PLAIN, Style.DIM}:
        assert letter != Cell("x", *BLANK[1:])
    if colourless:
        assert (letter.front, letter.ground) == ("default", "default")


def test_cards_and_alerts_are_coloured() -> None:
    looks = {
        style: seen_whole("ansi-bbs", drawn([(0, 0, "x", style)]))[0][0][1:4]
        for style in (Style.CARD_RED, Style.CARD_BLACK, Style.ALERT, Style.NEWEST, Style.FELT)
    }
    assert looks == {
        Style.CARD_RED: ("red", "white", False),
        Style.CARD_BLACK: ("black", "white", False),
        Style.ALERT: ("white", "red", True),
        Style.NEWEST: ("brown", "default", True),
        Style.FELT: ("green", "default", False),
    }


@pytest.mark.parametrize("kind", EYED)
def test_the_last_cell_is_never_written_and_nothing_scrolls(kind: str) -> None:
    line, display, eye = stage(kind)
    canvas = Canvas(20, 5)
    canvas.fill(0, 0, 20, 5, "x", Style.BAR)
    display.draw(canvas.frame((19, 4)))
    eye.see(line.take())
    assert eye.cell(19, 4) == BLANK
    assert eye.rows == ["x" * 20] * 4 + ["x" * 19 + " "]


@pytest.mark.parametrize("kind", sorted(KINDS - {DUMB}))
def test_one_draw_is_one_send_plain_at_the_end_and_only_plain_sequences(kind: str) -> None:
    line, display, _ = stage(kind)
    display.draw(drawn([(0, 0, "abc", Style.ALERT), (4, 3, "def", Style.NEWEST)], (1, 1)))
    assert line.sends == 1
    sent = line.take()
    assert sent.decode().count(pen(kind).normal) >= 2
    for forbidden in (
        b"\x1b[s",
        b"\x1b[u",
        b"\x1b7",
        b"\x1b8",
        b"\x1b[?1049",
        b"\x1b[?69",
        b"\x1bP",
        b"c\x1b[?",
        b"r\x1b",
    ):
        assert forbidden not in sent


def test_nothing_is_sent_when_nothing_changed() -> None:
    line, display, _ = stage("xterm-256color")
    frame = drawn([(0, 0, "abc", Style.RED)], (3, 0))
    display.draw(frame)
    line.take()
    display.draw(drawn([(0, 0, "abc", Style.RED)], (3, 0)))
    assert (line.take(), line.sends) == (b"", 1)


def test_a_small_change_costs_a_small_part() -> None:
    line, display, _ = stage("xterm-256color", 80, 24)
    canvas = Canvas(80, 24)
    for row in range(24):
        canvas.put(
            0, row, f"row {row} of a screen that is rather full of text, with a wide right half too", Style.GREEN
        )
    display.draw(canvas.frame())
    whole = len(line.take())
    canvas.put(50, 3, "POT 1234", Style.BOLD)
    canvas.put(0, 13, "-> [INFO] somebody bets 20 CUBES", Style.NEWEST)
    display.draw(canvas.frame())
    assert 0 < len(line.take()) < 0.08 * whole


def test_a_typed_character_does_not_make_the_cursor_flicker() -> None:
    line, display, eye = stage("xterm-256color")
    display.draw(drawn([(0, 4, "hell", Style.PLAIN)], (4, 4)))
    eye.see(line.take())
    display.draw(drawn([(0, 4, "hello", Style.PLAIN)], (5, 4)))
    sent = line.take()
    eye.see(sent)
    assert sent == pen("xterm-256color").move(4, 4, None).encode() + b"o"
    assert (eye.cursor, eye.rows[4].rstrip()) == ((5, 4), "hello")


@given(kinds, frames, st.text(st.characters(codec=None, exclude_categories=()), max_size=30))
def test_a_strangers_text_changes_no_cell_outside_its_own(kind: str, frame: Frame, text: str) -> None:
    line, display, eye = stage(kind)
    canvas = Canvas(20, 5)
    canvas.fill(0, 0, 20, 5, ".")
    canvas.put(5, 2, text[:7])
    display.draw(canvas.frame())
    eye.see(line.take())
    expected = [["."] * 20 for _ in range(5)]
    expected[4][19] = " "
    for row, wanted in enumerate(expected):
        for column, character in enumerate(wanted):
            if row != 2 or not 5 <= column < 5 + len(text[:7]):
                assert eye.cell(column, row).character == character
    display.leave_screen()
    display.text(clean(text, 15), Style.RED)
    eye.see(line.take())
    assert eye.cursor == (len(clean(text, 15)), 0)
    assert all(row == " " * 20 for row in eye.rows[1:])


def test_forget_repaints_all_and_leave_screen_goes_back_to_text() -> None:
    line, display, eye = stage("ansi")
    frame = drawn([(2, 2, "felt", Style.FELT)])
    display.draw(frame)
    eye.see(line.take())
    eye.see(b"\x1b[3;3Hjunk on the line")
    display.forget()
    display.draw(frame)
    eye.see(line.take())
    assert eye.rows[2].strip() == "felt"
    display.leave_screen()
    display.text("one\ntwo\x1b[5m", Style.YELLOW)
    eye.see(line.take())
    assert [row.rstrip() for row in eye.rows] == ["one", "two?[5m", "", "", ""]
    assert eye.cell(0, 0).front == "brown"
    display.erase(4)
    display.bell()
    sent = line.take()
    eye.see(sent)
    assert eye.rows[1].rstrip() == "two"
    assert sent.endswith(b"\a")


@pytest.mark.parametrize("kind", EYED)
def test_restore_leaves_a_usable_terminal_and_never_raises(kind: str) -> None:
    line, display, eye = stage(kind)
    display.draw(drawn([(0, 0, "abc", Style.BAR)]))
    display.restore()
    eye.see(line.take() + b"$ ")
    assert eye.cursor == (2, 0)
    assert eye.rows == ["$" + " " * 19] + [" " * 20] * 4
    assert eye.cell(0, 0) == Cell("$", "default", "default", False, False)
    display.draw(drawn([(0, 0, "abc", Style.BAR)]))
    line.closed = True
    display.restore()
    with pytest.raises(LineClosed):
        display.draw(drawn([(0, 0, "xyz", Style.BAR)]))


def test_a_new_kind_charset_or_size_is_taken_up() -> None:
    line, display, _ = stage("ansi")
    frame = drawn([(0, 0, "ä", Style.RED)])
    display.draw(frame)
    line.take()
    line.kind, line.charset = "vt100", "ascii"
    display.draw(frame)
    sent = line.take()
    assert b"a" in sent
    assert b"31m" not in sent
    assert display.terminal.kind == "vt100"
    line.columns = 10
    display.draw(frame)
    assert pen("vt100").clear.encode() in line.take()
    assert (display.terminal.width, display.terminal.height) == (10, 5)


def test_a_frame_larger_than_the_window_is_clipped() -> None:
    frame = drawn([(0, 0, "x" * 20, Style.PLAIN)], (15, 3))
    assert clipped(frame, 30, 30) is frame
    assert clipped(frame, 4, 1) == Frame(4, (Row("xxxx", bytes(4)),), None)


@pytest.mark.parametrize("name", ["NO_COLOR", "COLORTERM", "TERM"])
def test_the_servers_own_terminal_says_nothing_of_a_caller(name: str) -> None:
    code = (
        "from yawc_poker.terminal.sequences import pen;"
        "print(ascii([pen(k).switch(0, 3) + pen(k).move(4, 5, None) for k in ('xterm-256color', 'vt100', 'no-such')]))"
    )
    environment = {key: value for key, value in os.environ.items() if key != name}
    without = subprocess.check_output([sys.executable, "-c", code], env=environment)
    with_it = subprocess.check_output([sys.executable, "-c", code], env=environment | {name: "truecolor"})
    assert without == with_it
    assert b"31m" in with_it


@pytest.mark.parametrize("kind", sorted(KINDS - OWN_KINDS))
def test_blessed_knows_every_kind_and_writes_nothing(kind: str) -> None:
    line = MemoryLine(kind)
    Display(line)
    terminal = LineTerminal(kind)
    assert terminal.kind == kind
    assert (line.sends, terminal.stream.tell()) == (0, 0)
    assert all(pen(kind).switch(a, b) == "" or "\x1b[" in pen(kind).switch(a, b) for a in Style for b in Style)


def vt52(data: bytes, columns: int, rows: int) -> list[str]:
    """Return what a VT52 shows that was sent this; any other sequence than its own is an error."""
    cells = [[" "] * columns for _ in range(rows)]
    column = row = at = 0
    text = data.decode("ascii")
    while at < len(text):
        assert text[at] == "\x1b" or text[at].isprintable(), text[at:]
        command = text[at + 1] if text[at] == "\x1b" else ""
        at += 1 + len(command)
        match command:
            case "":
                cells[row][column] = text[at - 1]
                column = min(column + 1, columns - 1)
            case "H":
                column = row = 0
            case "J":
                cells[row:] = [cells[row][:column] + [" "] * (columns - column)] + [[" "] * columns] * (rows - row - 1)
                cells = [list(line) for line in cells]
            case "K":
                cells[row][column:] = [" "] * (columns - column)
            case "Y":
                row, column = ord(text[at]) - 32, ord(text[at + 1]) - 32
                at += 2
            case "B":
                row += 1
            case "C":
                column += 1
            case _:
                raise AssertionError(f"no command of a VT52: ESC {command}")
    return ["".join(line).rstrip() for line in cells]


@pytest.mark.parametrize("columns", [20, 80, 132])
def test_a_vt52_is_sent_nothing_but_its_own_sequences(columns: int) -> None:
    line = MemoryLine("vt52", "ascii", columns, 5)
    display = Display(line)
    sent = b""
    for text, styled in (("first", Style.ALERT), ("second", Style.RED), ("x", Style.BAR)):
        canvas = Canvas(columns, 5)
        canvas.put(2, 1, text, styled)
        canvas.put(columns - 5, 3, "end", Style.PLAIN)
        display.draw(canvas.frame((3, 4)))
        sent += line.take()
        assert vt52(sent, columns, 5) == ["", f"  {text}", "", f"{'':{columns - 5}}end", ""]
    display.restore()
    assert b"[" not in sent + line.take()


@pytest.mark.parametrize("kind", sorted(PC_KINDS))
def test_a_pc_is_given_sixteen_colours(kind: str) -> None:
    """In SyncTERM bold does not brighten the first of 256 colours: dim text would be black on black."""
    every = {pen(kind).switch(a, b) for a in Style for b in Style}
    assert not [one for one in every if "8;5;" in one]
    assert pen(kind).switch(Style.PLAIN, Style.DIM) == "\x1b[1;30m"
    assert pen(kind).switch(Style.PLAIN, Style.ALERT) == "\x1b[1;37;41m"


def test_a_dumb_terminal_is_sent_no_sequence() -> None:
    line, display, _ = stage(DUMB)
    display.text("Name: ", Style.BOLD)
    display.erase_line()
    display.erase()
    display.text("*** news\n", Style.ALERT)
    display.draw(drawn([(0, 0, "abc", Style.ALERT)], (1, 1)))
    display.leave_screen()
    display.restore()
    assert line.take() == b"Name: \r\n\b \b*** news\r\n"
    assert not display.can_draw


def test_warming_makes_the_kinds_once() -> None:
    warm(["ansi", "vt100"])
    assert pen("ansi") is pen("ansi")


def test_on_a_tty_with_a_silent_caller_nothing_is_written_and_nothing_waits() -> None:
    code = (
        "from yawc_poker.terminal.tty import TtyLine; from yawc_poker.terminal.display import Display;"
        "from yawc_poker.terminal.sequences import warm; from yawc_poker.terminal.keyboard import Keyboard;"
        "line = TtyLine(0); warm(['ansi']);"
        "Keyboard(Display(line)); line.send(b'ready'); line.close()"
    )
    master, slave = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BLESSED")} | {"TERM": "xterm"}
    child = subprocess.Popen([sys.executable, "-c", code], stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    began = time.monotonic()
    written = b""
    try:
        while b"ready" not in written and time.monotonic() < began + 30:
            if select.select([master], [], [], 1)[0]:
                written += os.read(master, 1000)
        assert written == b"ready"
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.wait()
        os.close(master)


def test_bytes_of_a_frame_are_those_of_its_charset() -> None:
    line, display, _ = stage("ansi-bbs")
    display.draw(drawn([(0, 0, "┌♥Ä", Style.PLAIN)]))
    assert encode("┌♥Ä", "cp437", pc=True) in line.take()


def test_blessed_compiles_no_patterns_that_nobody_uses() -> None:
    assert [name for name, value in vars(LineTerminal("xterm")).items() if isinstance(value, re.Pattern)] == []


def test_the_mouse_is_asked_for_while_something_can_be_touched_and_given_back_in_the_end() -> None:
    line = MemoryLine()
    display = Display(line)

    def sent() -> bytes:
        data = bytes(line.sent)
        line.sent.clear()
        return data

    area = (Area("b", 0, 0, 1, 1),)
    display.mark_pastes()
    sent()
    display.touch(area)
    assert sent() == MOUSE.on
    display.touch((*area, *area))
    assert sent() == b""
    display.mistrust()
    assert sent() == PASTES.on + MOUSE.on
    display.leave_screen()
    assert sent().startswith(MOUSE.off)
    display.touch(area)
    display.restore()
    assert set(re.findall(rb"\x1b\[\?\d+[hl]", sent())) >= {MOUSE.off[:8], MOUSE.off[8:], PASTES.off}
    display.restore()
    assert sent() == b""


@pytest.mark.parametrize("kind", sorted(KINDS - MODE_KINDS))
def test_other_kinds_are_not_asked_for_their_mouse(kind: str) -> None:
    line = MemoryLine(kind)
    Display(line).touch((Area("b", 0, 0, 1, 1),))
    assert bytes(line.sent) == b""
