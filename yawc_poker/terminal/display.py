"""What a caller sees: frames and scrolling text become bytes for the caller's kind of terminal.

Owns what the caller's screen shows now, so that `draw` sends only the difference, in one piece. Never reads, never
waits; input is decoded by `yawc_poker.terminal.keyboard`. It sends only escape sequences of the `Pen` of this kind of
terminal (`yawc_poker.terminal.sequences`), those of its window (`appearance.osc`), and its private modes (`MODES`).
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from yawc_poker.appearance import osc
from yawc_poker.page.protocol import Area
from yawc_poker.terminal.frame import SOLID, Frame, Row, Run, Style, changes, is_bare
from yawc_poker.terminal.keys import typed_for
from yawc_poker.terminal.kinds import DUMB, MODE_KINDS, PC_KINDS
from yawc_poker.terminal.line import Line
from yawc_poker.terminal.sequences import AS_SHIPPED, LineTerminal, Pen, pen, worn
from yawc_poker.terminal.text import encode
from yawc_poker.transport import LineClosed


class Mode(NamedTuple):
    """A private mode of a terminal."""

    on: bytes
    off: bytes


PASTES: Final = Mode(b"\x1b[?2004h", b"\x1b[?2004l")
"""What is pasted is marked (bracketed paste)."""
MOUSE: Final = Mode(b"\x1b[?1000h\x1b[?1006h", b"\x1b[?1006l\x1b[?1000l")
"""A button that is pressed is reported, with its cell in decimal numbers."""
MODES: Final = (PASTES, MOUSE)


class Display:
    """The screen of one caller. Every method that sends raises `LineClosed`, except `restore`."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._in_lines = False
        """The caller prefers lines to frames."""
        self._pen = pen(line.kind)
        self._terms = self._terms_now()
        self._shown: Frame | None = None
        self._screen = False
        """A frame is on the screen, whole or in part, rather than scrolling text."""
        self._hidden = False
        """The cursor is switched off."""
        self._palette = AS_SHIPPED
        self._title = ""
        """What the window is called by us; empty: it has its own name."""
        self._keeps_title = False
        """The window has put its own name aside."""
        self._wanted = set[Mode]()
        """What the terminal is to do, if its kind does that."""
        self._set = set[Mode]()
        """What it was asked to do."""
        self._touches: tuple[Area, ...] = ()
        """Cells of the frame that mean a key."""

    @property
    def terminal(self) -> LineTerminal:
        """The caller's terminal as blessed sees it."""
        return self._pen.terminal

    @property
    def can_draw(self) -> bool:
        """Whether frames are shown; a caller who wants lines, or whose terminal moves no cursor, gets text only."""
        return self.moves_cursor and not self._in_lines

    @property
    def moves_cursor(self) -> bool:
        """Whether the caller's terminal can move its cursor."""
        return self.line.kind != DUMB

    @property
    def shown(self) -> Frame | None:
        """The frame on the screen; None where the screen's content is not known."""
        return self._shown

    def refit(self) -> None:
        """Take up a new kind, charset or size of the line: the next frame is drawn whole. Free if nothing changed."""
        if self._terms_now() != self._terms:
            self._terms = self._terms_now()
            self._pen = self._fitting_pen()
            self.terminal.columns, self.terminal.rows = self.line.columns, self.line.rows
            self.forget()
            self._renew_modes()

    @property
    def has_modes(self) -> bool:
        """Whether the terminal marks what is pasted and reports the mouse, as far as its kind is known to."""
        return self.can_draw and self.line.kind in MODE_KINDS

    def mark_pastes(self, *, on: bool = True) -> None:
        """Ask the terminal to mark what is pasted, or not to, if its kind does that, until `restore`."""
        if on:
            self._wanted.add(PASTES)
        else:
            self._wanted.discard(PASTES)
        self._renew_modes()

    def touch(self, areas: tuple[Area, ...]) -> None:
        """Let cells of the frame mean keys when a mouse is pressed there; none: the mouse is the terminal's again."""
        self._touches = areas
        if areas:
            self._wanted.add(MOUSE)
        else:
            self._wanted.discard(MOUSE)
        self._renew_modes()

    def touched(self, column: int, row: int) -> list[str]:
        """Return the keys that a cell of the frame stands for; none: it means nothing."""
        return typed_for(next((one.key for one in self._touches if one.covers(column, row)), ""))

    def _renew_modes(self) -> None:
        for mode in MODES:
            is_set = mode in self._wanted and self.has_modes
            if is_set != (mode in self._set):
                self._set ^= {mode}
                self._send(mode.on if is_set else mode.off)

    def mistrust(self) -> None:
        """Trust neither the screen nor the terminal's state: somebody else has written there, or it is another one."""
        self.forget()
        self._hidden = False
        self._set.clear()
        self._renew_modes()

    def show_lines(self, lines: bool) -> None:
        """Send scrolling text only from now on, without any escape sequence, or frames again; a frame is taken away."""
        if lines == self._in_lines:
            return
        if lines and self._screen:
            self.leave_screen()
        if lines:
            self._send(self._shown_cursor())
        self._in_lines = lines
        self._renew_modes()
        self._pen = self._fitting_pen()
        self.forget()

    def _fitting_pen(self) -> Pen:
        return pen(DUMB if self._in_lines else self.line.kind)

    def _terms_now(self) -> tuple[str, str, int, int]:
        return self.line.kind, self.line.charset, self.line.columns, self.line.rows

    def wear(self, palette: bytes) -> None:
        """Draw in the styles of this palette from now on (`sequences.palette`); the next frame is drawn whole."""
        if palette != self._palette:
            self._palette = palette
            self.forget()

    def forget(self) -> None:
        """Trust nothing on the screen: the next `draw` clears it and draws the frame whole. Sends nothing."""
        self._shown = None

    def draw(self, frame: Frame) -> None:
        """Bring the frame to the screen with one `send` of what differs from the last one; nothing if nothing does."""
        self.refit()
        if not self.can_draw:
            return
        frame = worn(clipped(frame, self.line.columns, self.line.rows), self._palette)
        if frame == self._shown:
            return
        drawing = _Drawing(self._pen, self._encoded, self._hidden)
        if self._shown is None:
            drawing.clear()
        drawing.draw(self._shown, frame)
        self._screen = True
        self._shown, self._hidden = frame, drawing.hidden
        self._send(bytes(drawing.data))

    def put(self, character: str) -> bool:
        """Show one plain character at the cursor of the frame that is shown, at once, with the cursor behind it.

        A fast path for a `draw` in which nothing else differs. Return False and send nothing where it does not apply:
        no frame or no cursor is shown, the cell is taken, or the cursor would come to the last column.
        """
        shown = self._shown
        if shown is None or shown.cursor is None or self._hidden or self._terms_now() != self._terms:
            return False
        column, row = shown.cursor
        line = shown.rows[row]
        if column + 2 >= shown.columns or line.text[column] != " " or line.styles[column] != Style.PLAIN:
            return False
        self._send(self._encoded(character))
        self.line.flush()
        line = Row(line.text[:column] + character + line.text[column + 1 :], line.styles)
        self._shown = Frame(shown.columns, (*shown.rows[:row], line, *shown.rows[row + 1 :]), (column + 1, row))
        return True

    def write(self, column: int, row: int, text: str, style: Style) -> bool:
        """Write over a few cells of the frame that is shown, all in one style; they do not reach the frame's last one.

        A fast path for a `draw` in which nothing else differs. Return False and send nothing where it does not apply:
        no frame is shown, or its cursor would be seen jumping about.
        """
        shown = self._shown
        if shown is None or not self._hidden or shown.cursor is not None or self._terms_now() != self._terms:
            return False
        style = Style(self._palette[style])
        line, behind = shown.rows[row], column + len(text)
        line = Row(
            line.text[:column] + text + line.text[behind:],
            line.styles[:column] + bytes([style]) * len(text) + line.styles[behind:],
        )
        self._shown = Frame(shown.columns, (*shown.rows[:row], line, *shown.rows[row + 1 :]), shown.cursor)
        opening = self._pen.move(column, row, None) + self._pen.switch(Style.PLAIN, style)
        closing = self._pen.switch(style, Style.PLAIN)
        self._send(opening.encode("ascii") + self._encoded(text) + closing.encode("ascii"))
        return True

    def text(self, text: str, style: Style = Style.PLAIN) -> None:
        """Send scrolling text where the cursor stands; a line feed begins a line. Not harmless: "?"."""
        self.refit()
        self.forget()
        style = Style(self._palette[style])
        opening = self._pen.switch(Style.PLAIN, style).encode("ascii")
        closing = self._pen.switch(style, Style.PLAIN).encode("ascii")
        lines = map(self._encoded, text.split("\n"))
        self._send(self._shown_cursor() + b"\r\n".join(line and opening + line + closing for line in lines))

    def erase(self, count: int = 1) -> None:
        """Wipe out characters of scrolling text left of the cursor, on the cursor's line."""
        self._send(b"\b \b" * count)

    def erase_line(self) -> None:
        """Empty the cursor's line of scrolling text and go to its beginning; begin a new one where that cannot be."""
        self._send(f"\r{self._pen.clear_line}".encode("ascii") if self.can_draw else b"\r\n")

    def bell(self) -> None:
        """Make the terminal beep (BEL)."""
        self._send(b"\a")

    # --- the window ---------------------------------------------------------------------------------------------------

    def title(self, text: str) -> None:
        """Name the window, where the terminal is known to take that; an empty text gives it its own name back.

        A window that cannot keep its name meanwhile has none then; most show their own again.
        """
        if text == self._title or (text and not self.can_draw):
            return
        takes = osc.takes(self.line.terminal_name)
        if not takes.title:
            return
        command = osc.title(self._for_window(text))
        if not text and self._keeps_title:
            command, self._keeps_title = command + osc.GIVE_BACK, False
        elif not self._title and takes.stack:
            command, self._keeps_title = osc.KEEP + command, True
        self._title = text
        self._send(command)

    def notice(self, heading: str, text: str) -> None:
        """Show a notice on the caller's desktop, where the terminal is known to take that."""
        kind = osc.takes(self.line.terminal_name).notice
        if kind is not None and self.can_draw:
            self._send(osc.notice(kind, self._for_window(heading), self._for_window(text)))

    def _for_window(self, text: str) -> bytes:
        """Return a text without any control; outside UTF-8 in ASCII, as a byte from 0x80 on might be one."""
        return encode(text, "utf-8" if self.line.charset == "utf-8" else "ascii", pc=False)

    def leave_screen(self) -> None:
        """Go back to scrolling text on an empty screen, cursor in the upper left corner."""
        self.refit()
        self.touch(())
        self.forget()
        self._screen = False
        self._send((self._pen.normal + self._pen.clear).encode("ascii") + self._shown_cursor())

    def restore(self) -> None:
        """Restore the terminal for the shell: plain style, cursor on, no frame, its own title. Never raise."""
        try:
            self.title("")
            if self._screen:
                self.leave_screen()
            else:
                self._send(self._shown_cursor())
            for mode in self._set:
                self._send(mode.off)
            self._set.clear()
        except LineClosed:
            pass

    def _shown_cursor(self) -> bytes:
        if not self._hidden:
            return b""
        self._hidden = False
        return self._pen.show.encode("ascii")

    @property
    def _encoded(self) -> Callable[[str], bytes]:
        return partial(encode, charset=self.line.charset, pc=self.line.kind in PC_KINDS)

    def _send(self, data: bytes) -> None:
        if data:
            self.line.send(data)


def clipped(frame: Frame, columns: int, rows: int) -> Frame:
    """Return the upper left part of a frame that fits a window; the frame itself if all of it does."""
    if frame.columns <= columns and len(frame.rows) <= rows:
        return frame
    columns = min(frame.columns, columns)
    kept = tuple(Row(row.text[:columns], row.styles[:columns]) for row in frame.rows[:rows])
    at = frame.cursor
    return Frame(columns, kept, at if at is not None and at[0] < columns and at[1] < rows else None)


class _Drawing:
    """The bytes of one draw. Begins and ends in the plain style; the cursor's place at the start is not relied on."""

    def __init__(self, pen: Pen, encoded: Callable[[str], bytes], hidden: bool) -> None:
        self.data = bytearray()
        self.hidden = hidden
        self._pen = pen
        self._encoded = encoded
        self._here: tuple[int, int] | None = None
        self._style = int(Style.PLAIN)

    def _escape(self, sequence: str) -> None:
        self.data += sequence.encode("ascii")

    def clear(self) -> None:
        self._escape(self._pen.normal + self._pen.clear)

    def draw(self, old: Frame | None, new: Frame) -> None:
        """Send what differs, hiding a cursor that would be seen jumping about, and place it in the end."""
        runs = changes(old, new)
        jumps = len(runs) > 1 or (runs and new.cursor is not None and runs[0].row != new.cursor[1])
        if not self.hidden and (jumps or new.cursor is None):
            self._escape(self._pen.hide)
            self.hidden = True
        for run in runs:
            self._run(run, new.columns)
        self._switch(Style.PLAIN)
        # Where a terminal cannot hide its cursor, it rests in the last row, out of the way.
        self._place(new.cursor, None if self._pen.hide else (0, len(new.rows) - 1))

    def _place(self, cursor: tuple[int, int] | None, rest: tuple[int, int] | None) -> None:
        if cursor is None:
            if rest is not None:
                self._move(*rest)
            return
        self._move(*cursor)
        if self.hidden:
            self._escape(self._pen.show)
            self.hidden = False

    def _move(self, column: int, row: int) -> None:
        self._escape(self._pen.move(column, row, self._here))
        self._here = (column, row)

    def _switch(self, style: int) -> None:
        if style != self._style:
            self._escape(self._pen.switch(self._style, style))
            self._style = style

    def _run(self, run: Run, columns: int) -> None:
        self._move(run.column, run.row)
        sent = 0
        if run.styles.count(self._style) < len(run.styles):
            for at, (character, style) in enumerate(zip(run.text, run.styles, strict=True)):
                if style != self._style and not (is_bare(character, style) and self._style not in SOLID):
                    self.data += self._encoded(run.text[sent:at])
                    self._switch(style)
                    sent = at
        self.data += self._encoded(run.text[sent:])
        if run.clear:
            if self._style in SOLID:  # many terminals clear in the colour of the ground
                self._switch(Style.PLAIN)
            self._escape(self._pen.clear_line)
        behind = run.column + len(run.text)
        # Behind the last column some terminals stay, some go on to the next row.
        self._here = (behind, run.row) if behind < columns else None
