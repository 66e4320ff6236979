"""The sequences of one kind of terminal: styles, moves, clearing, the cursor on and off.

Owns one blessed `Terminal` per kind in a process, made before the fork (`warm`) and bound to no descriptor: making one
writes nothing, asks nothing and waits for nothing. A process has one caller: `yawc_poker.terminal.display` puts the
size of the window into it, `yawc_poker.terminal.keyboard` the typed characters. Never sends, never reads.

Only plain sequences are given: absolute moves, clear, clear to the end of the line, styles, cursor on and off. Saving
and restoring the cursor, scrolling regions, repetition and the alternate screen differ between kinds.
"""

import io
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from functools import cache

from blessed import Terminal
from blessed.formatters import ParameterizingString
from blessed.terminal import WINSZ

from yawc_poker.appearance.preferences import Preferences
from yawc_poker.terminal.frame import Frame, Row, Style
from yawc_poker.terminal.kinds import DUMB, OWN_KINDS, PC_KINDS, SILENT, VT52

_COLOURED = {
    Style.PLAIN: "",
    Style.DIM: "dim",
    Style.BOLD: "bold",
    Style.RED: "red",
    Style.GREEN: "green",
    Style.YELLOW: "yellow",
    Style.BLUE: "blue",
    Style.MAGENTA: "magenta",
    Style.CYAN: "cyan",
    Style.WHITE: "bold_white",
    Style.REVERSE: "reverse",
    Style.ALERT: "bold_white_on_red",
    Style.BAR: "bold_white_on_blue",
    Style.CARD_RED: "red_on_white",
    Style.CARD_BLACK: "black_on_white",
    Style.CARD_BACK: "white_on_blue",
    Style.FELT: "green",
    Style.NEWEST: "bold_yellow",
    Style.CARD_DIAMONDS: "blue_on_white",
    Style.CARD_CLUBS: "black_on_green",
    Style.TURN: "reverse",
    Style.NEWEST_ON_LIGHT: "bold_magenta",
}
_COLOURLESS = {
    Style.BOLD: "bold",
    Style.RED: "bold",
    Style.YELLOW: "bold",
    Style.WHITE: "bold",
    Style.REVERSE: "reverse",
    Style.ALERT: "reverse",
    Style.BAR: "reverse",
    Style.CARD_RED: "bold",
    Style.NEWEST: "bold",
    Style.CARD_DIAMONDS: "bold",
    Style.TURN: "bold",
    Style.NEWEST_ON_LIGHT: "bold",
}
"""Styles not listed are plain. `TURN` must differ from `BAR`, which is reverse here."""
_GREY = dict.fromkeys(PC_KINDS, "bold_black")
"""Dim on kinds that lack it but show bold black as grey, as a PC does."""
_SIXTEEN = re.compile(r"(?P<ground>[34])8;5;(?P<colour>[0-7])(?=[;m])")
"""One of the first eight of 256 colours, which PC kinds get as one of 16: bold brightens only those."""


_TWO_COLOURS = {Style.CARD_DIAMONDS: Style.CARD_RED, Style.CARD_CLUBS: Style.CARD_BLACK}
_ON_LIGHT = {
    Style.GREEN: Style.BLUE,
    Style.FELT: Style.BLUE,
    Style.CYAN: Style.BLUE,
    Style.YELLOW: Style.MAGENTA,
    Style.WHITE: Style.BOLD,
    Style.NEWEST: Style.NEWEST_ON_LIGHT,
}
"""What can hardly be read on white, and what stands in its place. Styles with a ground of their own stay."""


def palette(preferences: Preferences) -> bytes:
    """Return by which style each one is drawn for a caller with these preferences, for `bytes.translate`.

    Invariant: a style that stands for another stands for itself, too, so doing it twice does no harm.
    """
    others = (_TWO_COLOURS if preferences.colours != 4 else {}) | (
        _ON_LIGHT if preferences.background == "light" else {}
    )
    table = bytearray(range(256))
    for style, other in others.items():
        table[style] = other
    return bytes(table)


AS_SHIPPED = palette(Preferences())


def worn(frame: Frame, palette: bytes) -> Frame:
    """Return a frame in the styles of a palette."""
    columns = frame.columns
    before = b"".join([row.styles for row in frame.rows])
    styles = before.translate(palette)
    if styles == before:
        return frame
    starts = range(0, len(styles), columns)
    rows = [Row(row.text, styles[at : at + columns]) for at, row in zip(starts, frame.rows, strict=True)]
    return Frame(columns, tuple(rows), frame.cursor)


_VT52_FAR = 94
"""The last column, and the last row, that a VT52's move can name."""


class _Nowhere(io.StringIO):
    """The stream blessed is given: in memory, and of no descriptor, or it would look at the server's own terminal."""

    def fileno(self) -> int:
        return -1


def _leave_out_patterns(terminal: Terminal) -> None:
    """Compile none of the patterns by which blessed measures texts with sequences in them: nobody here does.

    Compiling them for each kind of terminal took a fifth of the time that the BBS needs to start.
    """
    terminal.caps = OrderedDict()


class LineTerminal(Terminal):
    """A terminal at the end of a line, seen by blessed: size and typed text are what we say, nothing is ever asked.

    `kbhit` and `getch` are blessed's hooks for input of one's own; `_height_and_width` and what compiles its patterns
    have no public names.
    """

    def __init__(self, kind: str) -> None:
        self.typed: deque[str] = deque()
        self.columns, self.rows = 80, 24
        super().__init__(kind=kind, stream=_Nowhere(), force_styling=True)

    _Terminal__init__capabilities = _leave_out_patterns

    @property
    def does_styling(self) -> bool:
        """Always: the server's own NO_COLOR says nothing about a caller."""
        return True

    def _height_and_width(self) -> WINSZ:
        return WINSZ(ws_row=self.rows, ws_col=self.columns, ws_xpixel=None, ws_ypixel=None)

    def kbhit(self, timeout: float | None = None) -> bool:
        """Return whether typed text waits; never waits itself."""
        return bool(self.typed)

    def getch(self, decode_latin1: bool = False) -> str:
        """Return the next typed character."""
        return self.typed.popleft()


class Pen:
    """The sequences of one kind of terminal."""

    def __init__(self, kind: str) -> None:
        self._to_cell: Callable[[int, int], str] = _move
        self._to_column: ParameterizingString | None = None
        self.terminal = LineTerminal(SILENT[0] if kind in OWN_KINDS else kind)
        if self.terminal.kind != kind:  # unknown to blessed, which took the server's own TERM instead
            self.terminal = LineTerminal(SILENT[0])
        if kind == DUMB:
            self._be_silent()
        elif kind == VT52:
            self._be_vt52()
        else:
            self._learn(self.terminal, kind)

    def _be_silent(self) -> None:
        """Use no sequence at all."""
        self.normal = self.hide = self.show = self.clear = self.clear_line = ""
        self._switches = {(int(old), int(new)): "" for old in Style for new in Style}
        self._moves = False

    def _be_vt52(self) -> None:
        """Use the sequences of a VT52, which has neither styles nor a cursor that can be hidden."""
        self.normal = self.hide = self.show = ""
        self.clear, self.clear_line = "\x1bH\x1bJ", "\x1bK"
        self._switches = {(int(old), int(new)): "" for old in Style for new in Style}
        self._moves, self._to_cell = True, _vt52_move

    def _learn(self, term: LineTerminal, kind: str) -> None:
        self.normal = str(term.normal)
        self.hide = str(term.hide_cursor)
        self.show = str(term.normal_cursor)
        self.clear = str(term.home) + str(term.clear)
        self.clear_line = str(term.clear_eol)
        self._is_pc = kind in PC_KINDS
        looks = _COLOURED | {Style.DIM: _GREY.get(kind, "dim")} if str(term.red) else _COLOURLESS
        self._looks = [looks.get(style, "") for style in Style]
        self._switches = {(int(old), int(new)): self._switch(old, new) for old in Style for new in Style}
        # Terminals of kind "ansi" are of every sort, DOS's too, which knows no move within a row.
        self._to_column = None if term.kind == "ansi" else _parameterized(term.hpa)
        self._as_all_within_row = self._to_column is not None and str(self._to_column(39)) == _to_column(39)
        self._moves = True
        as_all = str(term.move_yx(11, 39)) == _move(39, 11)
        self._to_cell = _move if as_all else lambda column, row: str(term.move_yx(row, column))

    def _switch(self, old: Style, new: Style) -> str:
        before, after = self._looks[old], self._looks[new]
        if before == after:
            return ""
        opening = str(getattr(self.terminal, after)) if after else ""
        switch = _merged(opening if _traits(before) <= _traits(after) else self.normal + opening)
        return _SIXTEEN.sub(r"\g<ground>\g<colour>", switch) if self._is_pc else switch

    def switch(self, old: int, new: int) -> str:
        """Return the sequence that changes from one `Style` to another."""
        return self._switches[old, new]

    def move(self, column: int, row: int, here: tuple[int, int] | None) -> str:
        """Return the sequence that moves the cursor to a cell, from `here` where that is known; always absolute."""
        if here == (column, row) or not self._moves:
            return ""
        if here is not None and here[1] == row and self._to_column is not None:
            return _to_column(column) if self._as_all_within_row else str(self._to_column(column))
        return self._to_cell(column, row)


def _move(column: int, row: int) -> str:
    """Write the move that nearly all kinds have; asking terminfo for it each time takes ten times as long."""
    return f"\x1b[{row + 1};{column + 1}H"


def _vt52_move(column: int, row: int) -> str:
    """Write the move of a VT52, by printable characters: what lies beyond them is reached step by step."""
    at_column, at_row = min(column, _VT52_FAR), min(row, _VT52_FAR)
    steps = "\x1bC" * (column - at_column) + "\x1bB" * (row - at_row)
    return f"\x1bY{chr(32 + at_row)}{chr(32 + at_column)}{steps}"


def _to_column(column: int) -> str:
    return f"\x1b[{column + 1}G"


def _merged(styles: str) -> str:
    """Make one sequence of several that select styles."""
    return styles.replace("\x1b[m\x1b[", "\x1b[0;").replace("m\x1b[", ";")


def _parameterized(capability: str) -> ParameterizingString | None:
    return capability if isinstance(capability, ParameterizingString) and capability else None


def _traits(look: str) -> frozenset[str]:
    """Name what a look sets; a look that sets no less than another may follow it without a reset."""
    front, _, back = look.partition("_on_")
    words = {word if word in {"bold", "dim", "reverse"} else "colour" for word in front.split("_") if word}
    return frozenset(words | {"ground"} if back else words)


@cache
def pen(kind: str) -> Pen:
    """Return the sequences of a kind, the same object for the whole process. `kind` is one of `kinds.KINDS`."""
    return Pen(kind)


def warm(kinds: Iterable[str]) -> None:
    """Prepare these kinds now, so that processes forked later need not."""
    for kind in kinds:
        pen(kind)
