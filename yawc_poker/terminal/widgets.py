"""Small pieces of screens: keys by name, a line being typed, the ten messages, wrapped text, card boxes. Pure.

Everything here is a value or draws on a `Canvas`; nothing knows a game, a caller or a terminal.
"""

from functools import lru_cache

import msgspec

from yawc_poker.terminal.frame import Canvas, Piece, Style
from yawc_poker.terminal.text import is_harmless

ENTER = "\r"
ESCAPE = "\x1b"
BACKSPACE = "\x7f"
TAB = "\t"
KILL = "\x15"
"""^U: delete the whole line."""
WORD = "\x17"
"""^W: delete the last word."""
REDRAW = "\x0c"
"""^L: draw the screen anew."""
BREAK = "\x03"
"""^C."""
KEY_UP = "KEY_UP"
KEY_DOWN = "KEY_DOWN"
KEY_LEFT = "KEY_LEFT"
KEY_RIGHT = "KEY_RIGHT"
KEY_HOME = "KEY_HOME"
KEY_END = "KEY_END"
KEY_DELETE = "KEY_DELETE"
KEY_PGUP = "KEY_PGUP"
KEY_PGDOWN = "KEY_PGDOWN"
KEY_F1 = "KEY_F1"


def is_character(key: str) -> bool:
    """Tell whether a key is a printable character rather than one of the named keys."""
    return len(key) == 1 and is_harmless(key)


class LineEditor(msgspec.Struct, frozen=True):
    """A line of text being typed; every key gives a new value. ENTER and ESCAPE are its owner's."""

    text: str = ""
    limit: int = 70
    """Most characters."""
    digits_only: bool = False
    right: int = 0
    """Characters right of the cursor, 0..len(text)."""

    @property
    def position(self) -> int:
        """Where the cursor stands in the text, 0..len(text)."""
        return len(self.text) - self.right

    def key(self, key: str) -> "LineEditor":
        """Give the line after a key; keys that mean nothing here, or find no room, change nothing."""
        if is_character(key):
            return self._inserted(key)
        before, behind = self.text[: self.position], self.text[self.position :]
        match key:
            case "\x7f":
                return self._with(before[:-1], behind)
            case "KEY_DELETE":
                return self._with(before, behind[1:])
            case "\x15":
                return self._with("", "")
            case "\x17":
                return self._with(_without_word(before), behind)
        return self._moved(key)

    def _inserted(self, character: str) -> "LineEditor":
        if len(self.text) >= self.limit or (self.digits_only and character not in "0123456789"):
            return self
        return self._with(self.text[: self.position] + character, self.text[self.position :])

    def _moved(self, key: str) -> "LineEditor":
        steps = {
            KEY_LEFT: min(self.right + 1, len(self.text)),
            KEY_RIGHT: max(self.right - 1, 0),
            KEY_HOME: len(self.text),
            KEY_END: 0,
        }
        return msgspec.structs.replace(self, right=steps.get(key, self.right))

    def _with(self, before: str, behind: str) -> "LineEditor":
        return msgspec.structs.replace(self, text=before + behind, right=len(behind))

    def visible(self, width: int, mask: str = "") -> tuple[str, int]:
        """Give the part to show in `width` cells, scrolled so that the cursor is in it, and the cursor's column there.

        With `mask`, one character, that is shown for every character of the text (a password).
        """
        width = max(width, 1)
        start = max(self.position - width + 1, 0)
        shown = mask * len(self.text) if mask else self.text
        return shown[start : start + width], self.position - start


def _without_word(text: str) -> str:
    kept = text.rstrip(" ")
    return kept[: kept.rfind(" ") + 1]


MESSAGES = 10


class TalkRow(msgspec.Struct, frozen=True):
    """One line of the messages; the newest carries the arrow."""

    arrow: bool
    text: str
    style: Style


class Talk(msgspec.Struct, frozen=True):
    """The last ten messages, circular like talk's (spec/poker.md 13.1): each keeps its line until it is overwritten."""

    lines: tuple[tuple[str, Style], ...] = (("", Style.PLAIN),) * MESSAGES
    newest: int | None = None
    """The line of the newest message, 0..9; None while there is none."""

    def add(self, text: str, style: Style = Style.PLAIN) -> "Talk":
        """Write a message on the line after the newest, from the last back to the first."""
        at = 0 if self.newest is None else (self.newest + 1) % MESSAGES
        return Talk((*self.lines[:at], (text, style), *self.lines[at + 1 :]), at)

    @property
    def rows(self) -> tuple[TalkRow, ...]:
        """Ten lines, top to bottom."""
        return tuple(TalkRow(at == self.newest, text, style) for at, (text, style) in enumerate(self.lines))

    def latest(self, most: int) -> list[tuple[str, Style]]:
        """Return the newest messages, oldest first."""
        newest = -1 if self.newest is None else self.newest
        ordered = [line for line in self.lines[newest + 1 :] + self.lines[: newest + 1] if line[0]]
        return ordered[max(len(ordered) - most, 0) :]

    def draw(self, canvas: Canvas, column: int, row: int, width: int) -> None:
        """Draw the ten lines: arrow or its room, three cells, then the text, cut at `width`."""
        for offset, (text, style) in enumerate(self.lines):
            canvas.paste(_talk_row(column, row + offset, width, offset == self.newest, text, style))


@lru_cache(maxsize=4 * MESSAGES)
def _talk_row(column: int, row: int, width: int, arrow: bool, text: str, style: Style) -> Piece:
    """Draw one line, once: it stays until it is overwritten, with the arrow first and without it then."""
    canvas = Canvas(width, 1)
    canvas.put(0, 0, "->" if arrow else "  ", Style.NEWEST)
    canvas.put(3, 0, text, style)
    return Piece(column, row, width, canvas.cut(0, 0, width, 1).rows)


def wrap(text: str, width: int) -> list[str]:
    """Break text at blanks into lines of at most `width` characters; longer words are cut. Empty text: no line.

    Line feeds stay; blanks in front of a paragraph are kept, those at a break vanish. No other character ends a line: a
    stranger's may be among them.
    """
    width = max(width, 1)
    paragraphs = text.removesuffix("\n").split("\n") if text else []
    return [line for paragraph in paragraphs for line in _wrap_paragraph(paragraph, width)]


def _wrap_paragraph(text: str, width: int) -> list[str]:
    lines: list[str] = []
    rest = text.rstrip(" ")
    while len(rest) > width:
        cut = rest.rfind(" ", 0, width + 1)
        if not rest[: max(cut, 0)].strip(" "):
            cut = width
        lines.append(rest[:cut].rstrip(" "))
        rest = rest[cut:].lstrip(" ")
    return [*lines, rest]


CARD_WIDTH = 6
CARD_HEIGHT = 5
CARD_STEP = 7
"""From one card to the next in a row; five cards fill 34 columns."""
RED_SIGNS = "#-"
"""Hearts and diamonds."""


def card_style(label: str) -> Style:
    """Give the colour of a card written as rank and sign (``A+``)."""
    return Style.CARD_RED if label[-1:] in RED_SIGNS else Style.CARD_BLACK


def draw_card(canvas: Canvas, column: int, row: int, label: str | None) -> None:
    """Draw a card, 6 cells wide and 5 high; `label` is its rank and sign (``A+``, ``10*``), None shows its back."""
    style = Style.CARD_BACK if label is None else card_style(label)
    inner = ["░░░░"] * 3 if label is None else [f"{label:<4}", " " * 4, f"{label:>4}"]
    canvas.put(column, row, "┌────┐", style)
    for offset, text in enumerate(inner, 1):
        canvas.put(column, row + offset, f"│{text[:4]}│", style)
    canvas.put(column, row + 4, "└────┘", style)
