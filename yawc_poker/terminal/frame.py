"""A frame: a screen as a value, how to build one, and what differs between two. Pure.

Coordinates in code count from 0: column 0..columns-1, row 0..rows-1. A frame holds only characters one cell wide
(`yawc_poker.terminal.text` guarantees that), so text of n characters fills n cells on every terminal.

The last cell of the last row is never sent: writing it makes some terminals scroll. It counts as blank.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from itertools import compress
from operator import ne
from typing import Concatenate, ParamSpec

import msgspec

from yawc_poker.terminal.text import harmless

P = ParamSpec("P")


class Style(IntEnum):
    """How a cell looks; `yawc_poker.terminal.sequences` knows how each is drawn on a kind of terminal."""

    PLAIN = 0
    DIM = 1
    BOLD = 2
    RED = 3
    GREEN = 4
    YELLOW = 5
    BLUE = 6
    MAGENTA = 7
    CYAN = 8
    WHITE = 9
    REVERSE = 10
    ALERT = 11
    """White on red: an error, a reason."""
    BAR = 12
    """White on blue: status line, headings."""
    CARD_RED = 13
    """A heart, and with two colours a diamond: red on white."""
    CARD_BLACK = 14
    """A spade, and with two colours a club: black on white."""
    CARD_BACK = 15
    """The back of a card: white on blue."""
    FELT = 16
    """Lines and borders of the table: green."""
    NEWEST = 17
    """The newest message: bold yellow."""
    CARD_DIAMONDS = 18
    """A diamond: blue on white with four colours, `CARD_RED` with two."""
    CARD_CLUBS = 19
    """A club: black on green with four colours, `CARD_BLACK` with two."""
    TURN = 20
    """The status line while it calls the caller: reverse."""
    NEWEST_ON_LIGHT = 21
    """The newest message on a light background: bold magenta."""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One line: `text` has exactly one character a column, `styles` one byte (a `Style`) a column."""

    text: str
    styles: bytes


class Frame(msgspec.Struct, frozen=True):
    """A whole screen."""

    columns: int
    rows: tuple[Row, ...]
    cursor: tuple[int, int] | None = None
    """Where the cursor stands, (column, row), or None while it is hidden."""


_INK_CELLS = 256
_INK = tuple(bytes([style]) * _INK_CELLS for style in range(len(Style)))
"""Each style many times; `Canvas.put` cuts its cells from these."""


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A rectangle cut out of a canvas, to be pasted into others."""

    column: int
    row: int
    width: int
    rows: tuple[Row, ...]


class Canvas:
    """A screen being built; everything outside it is cut off, nothing ever wraps."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        self._text = [" " * self.columns] * self.rows
        self._styles = [bytes(self.columns)] * self.rows

    def put(self, column: int, row: int, text: str, style: Style = Style.PLAIN) -> None:
        """Write one line of text from (column, row) on; "?" replaces each character that is not harmless."""
        shown = harmless(text)
        if column < 0:
            shown, column = shown[-column:], 0
        room = self.columns - column
        shown = shown[:room] if room > 0 else ""
        width = len(shown)
        if not width or not 0 <= row < self.rows:
            return
        behind = column + width
        ink = _INK[style][:width] if width <= _INK_CELLS else bytes([style]) * width
        line, styles = self._text[row], self._styles[row]
        self._text[row] = line[:column] + shown + line[behind:]
        self._styles[row] = styles[:column] + ink + styles[behind:]

    def fill(
        self, column: int, row: int, width: int, height: int, character: str = " ", style: Style = Style.PLAIN
    ) -> None:
        """Fill a rectangle with one character."""
        width = min(width, self.columns - column)
        for line in range(max(row, 0), min(row + height, self.rows)):
            self.put(column, line, character[:1] * width, style)

    def cut(self, column: int, row: int, width: int, height: int) -> Piece:
        """Return a rectangle of what was drawn; it must lie inside."""
        lines = zip(self._text[row : row + height], self._styles[row : row + height], strict=True)
        end = column + width
        return Piece(column, row, width, tuple([Row(text[column:end], styles[column:end]) for text, styles in lines]))

    def paste(self, piece: Piece) -> None:
        """Put a rectangle back where it was cut out, from a canvas no larger than this one, over what is there."""
        start, end = piece.column, piece.column + piece.width
        if piece.width == self.columns:  # whole rows are replaced, not cut and joined
            rows = slice(piece.row, piece.row + len(piece.rows))
            self._text[rows] = [new.text for new in piece.rows]
            self._styles[rows] = [new.styles for new in piece.rows]
            return
        for number, new in enumerate(piece.rows, piece.row):
            line, styles = self._text[number], self._styles[number]
            self._text[number] = line[:start] + new.text + line[end:]
            self._styles[number] = styles[:start] + new.styles + styles[end:]

    def frame(self, cursor: tuple[int, int] | None = None) -> Frame:
        """Return what was drawn; a cursor beyond the edge stands at the edge."""
        if cursor is not None:
            column, row = cursor
            cursor = (min(max(column, 0), self.columns - 1), min(max(row, 0), self.rows - 1))
        return Frame(self.columns, tuple(map(Row, self._text, self._styles)), cursor)


REGION_KEPT = 4
"""Drawings of a region that are kept: those of this moment, and of a key that opens a prompt and closes it."""


def region(
    column: int, row: int, width: int, height: int
) -> Callable[[Callable[Concatenate[Canvas, P], None]], Callable[Concatenate[Canvas, P], None]]:
    """Decorate a function that draws one rectangle from hashable values: the same values are drawn only once.

    A key typed or a line of chat changes one region of a screen; the others are pasted.
    """

    def decorate(draw: Callable[Concatenate[Canvas, P], None]) -> Callable[Concatenate[Canvas, P], None]:
        kept: dict[tuple[object, ...], Piece] = {}

        @wraps(draw)
        def drawn(canvas: Canvas, /, *values: P.args, **named: P.kwargs) -> None:
            key = (*values, *named.items())
            piece = kept.get(key)
            if piece is None:
                if len(kept) >= REGION_KEPT:
                    del kept[next(iter(kept))]
                own = Canvas(column + width, row + height)
                draw(own, *values, **named)
                piece = kept[key] = own.cut(column, row, width, height)
            canvas.paste(piece)

        return drawn

    return decorate


class Run(msgspec.Struct, frozen=True, gc=False):
    """Cells of one row to send: go to (column, row), write `text`; with `clear` the rest of the row is plain blank."""

    column: int
    row: int
    text: str
    styles: bytes
    """One `Style` a character, as in `Row`."""
    clear: bool = False


MOVE = 7
"""Bytes that a cursor move costs, about (`ESC [ 12 ; 40 H` is eight)."""
CLEAR = 3
"""Bytes that clearing to the end of a line costs (`ESC [ K`)."""
SWITCH = 6
"""Bytes that another style costs, about."""

SOLID = frozenset(
    {
        Style.REVERSE,
        Style.ALERT,
        Style.BAR,
        Style.TURN,
        Style.CARD_BACK,
        Style.CARD_RED,
        Style.CARD_BLACK,
        Style.CARD_DIAMONDS,
        Style.CARD_CLUBS,
    }
)  # styles that show on a blank, too; in any other style a blank is just blank


_BARE = bytes(set(Style) - SOLID)


def is_bare(character: str, style: int) -> bool:
    """Return whether a cell looks like a plain blank."""
    return character == " " and style not in SOLID


def changes(old: Frame | None, new: Frame) -> list[Run]:
    """Return the runs that make a screen showing `old` show `new`, top to bottom, in about the fewest bytes.

    `old` None, or of another size, stands for a screen just cleared. Cursors are not considered.
    """
    blank = Row(" " * new.columns, bytes(new.columns))
    same_size = old is not None and (old.columns, len(old.rows)) == (new.columns, len(new.rows))
    before = old.rows if old is not None and same_size else (blank,) * len(new.rows)
    last = len(new.rows) - 1
    runs: list[Run] = []
    for number, (was, becomes) in enumerate(zip(before, new.rows, strict=True)):
        if was != becomes:
            runs += _row_changes(number, was, becomes, new.columns - (number == last))
    return runs


def _row_changes(number: int, old: Row, new: Row, width: int) -> list[Run]:
    changed, clear_at = _changed(old, new, width), None
    if changed and is_bare(new.text[changed[-1]], new.styles[changed[-1]]):
        end = _plain_from(new, width)
        if _clearing_pays(changed, end):
            changed, clear_at = [x for x in changed if x < end], end
    spans = _spans(new, changed, clear_at)
    return [Run(start, number, new.text[start:stop], new.styles[start:stop], stop == clear_at) for start, stop in spans]


def _changed(old: Row, new: Row, width: int) -> list[int]:
    """Return the columns that look different: another character, or another style that shows."""
    if old.styles == new.styles:
        return list(compress(range(width), map(ne, old.text, new.text)))
    cells = zip(old.text[:width], new.text[:width], old.styles, new.styles, strict=False)
    return [
        x
        for x, (was, becomes, style, other) in enumerate(cells)
        if was != becomes or (style != other and not (was == " " and style not in SOLID and other not in SOLID))
    ]


def _clearing_pays(changed: list[int], end: int) -> bool:
    """Return whether to clear the row from `end` on, where the new one is blank, rather than send changed blanks."""
    behind = [x for x in changed if x >= end]
    if not behind:
        return False
    before = changed[-len(behind) - 1] if len(behind) < len(changed) else -MOVE
    first = end if end - before <= MOVE else behind[0]
    return behind[-1] + 1 - first > CLEAR


def _plain_from(row: Row, width: int) -> int:
    text_ends = len(row.text[:width].rstrip(" "))
    return text_ends + len(row.styles[text_ends:width].rstrip(_BARE))


def _spans(row: Row, changed: list[int], clear_at: int | None) -> list[tuple[int, int]]:
    """Join neighbours among the changed columns; the column to clear from ends the last span, which may be empty."""
    wanted = [(x, x + 1) for x in changed] + ([] if clear_at is None else [(clear_at, clear_at)])
    spans: list[tuple[int, int]] = []
    for start, stop in wanted:
        if spans and (start == spans[-1][1] or _price_of_gap(row, spans[-1][1], start) <= MOVE):
            spans[-1] = (spans[-1][0], stop)
        else:
            spans.append((start, stop))
    return spans


def _price_of_gap(row: Row, start: int, stop: int) -> int:
    """Count the bytes that sending unchanged cells costs, beyond those of the style needed behind them anyway."""
    if stop - start > MOVE:
        return stop - start
    style = before = row.styles[start - 1]
    price = 0
    for character, wanted in zip(row.text[start:stop], row.styles[start:stop], strict=True):
        price += len(character.encode())
        if wanted != style and not (is_bare(character, wanted) and style not in SOLID):
            price += SWITCH
            style = wanted
    behind = row.styles[stop] if stop < len(row.styles) else Style.PLAIN
    return price + SWITCH * ((style != behind) - (before != behind))
