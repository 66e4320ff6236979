"""Pieces of screens: the ten messages, wrapped text, card boxes. Pure.

Each is a value or draws on a `Canvas`. None knows a game, a caller or a terminal.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from yawc_poker.terminal.frame import Canvas, Piece, Row, Style

MESSAGES = 10


class Talk(msgspec.Struct, frozen=True):
    """The last ten messages, circular like talk's (spec/poker.md 13.1): each keeps its line until it is overwritten."""

    lines: tuple[tuple[str, Style], ...] = (("", Style.PLAIN),) * MESSAGES
    newest: int | None = None
    """The line of the newest message, 0..9; None while there is none."""

    def add(self, text: str, style: Style = Style.PLAIN) -> "Talk":
        """Write a message on the line after the newest, from the last back to the first."""
        at = 0 if self.newest is None else (self.newest + 1) % MESSAGES
        return Talk((*self.lines[:at], (text, style), *self.lines[at + 1 :]), at)

    def latest(self, most: int) -> list[tuple[str, Style]]:
        """Return the newest messages, oldest first."""
        newest = -1 if self.newest is None else self.newest
        ordered = [line for line in self.lines[newest + 1 :] + self.lines[: newest + 1] if line[0]]
        return ordered[max(len(ordered) - most, 0) :]

    def draw(self, canvas: Canvas, column: int, row: int, width: int) -> None:
        """Draw the ten lines: arrow or its room, three cells, then the text, cut at `width`."""
        rows = [_talk_row(width, at == self.newest, text, style) for at, (text, style) in enumerate(self.lines)]
        canvas.paste(Piece(column, row, width, tuple(rows)))


@lru_cache(maxsize=4 * MESSAGES)
def _talk_row(width: int, arrow: bool, text: str, style: Style) -> Row:
    """Draw one line, once: it stays until it is overwritten, with the arrow first and without it then."""
    canvas = Canvas(width, 1)
    canvas.put(0, 0, "->" if arrow else "  ", Style.NEWEST)
    canvas.put(3, 0, text, style)
    return canvas.cut(0, 0, width, 1).rows[0]


def wrap(text: str, width: int) -> list[str]:
    """Break text at blanks into lines of at most `width` characters; longer words are cut. Empty text: no line.

    Line feeds stay; blanks in front of a paragraph are kept, those at a break vanish. No other character ends a line,
    as others' text may hold any.
    """
    width = max(width, 1)
    paragraphs = text.removesuffix("\n").split("\n") if text else []
    return [line for paragraph in paragraphs for line in _wrap_paragraph(paragraph, width)]


def hanging(line: str, width: int, indent: str) -> list[str]:
    """Break a line as `wrap` does; all but the first of its parts are indented."""
    lines = wrap(line, width)
    if len(lines) < 2 or not indent:
        return lines
    rest = line[len(lines[0]) :].lstrip(" ")
    return [lines[0], *(indent + one for one in wrap(rest, width - len(indent)))]


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
_SUIT_STYLES = {
    **dict.fromkeys("+♣", Style.CARD_CLUBS),
    **dict.fromkeys("*♠", Style.CARD_BLACK),
    **dict.fromkeys("#♥", Style.CARD_RED),
    **dict.fromkeys("-♦", Style.CARD_DIAMONDS),
}


def card_style(label: str) -> Style:
    """Return the style of a card written as rank and sign (``A+``, ``A♣``). How it looks is the caller's choice."""
    return _SUIT_STYLES.get(label[-1:], Style.CARD_BLACK)


def draw_card(canvas: Canvas, column: int, row: int, label: str | None) -> None:
    """Draw a card, 6 cells wide and 5 high; `label` is its rank and sign (``A+``, ``10*``), None shows its back."""
    style = Style.CARD_BACK if label is None else card_style(label)
    inner = ["░░░░"] * 3 if label is None else [f"{label:<4}", " " * 4, f"{label:>4}"]
    canvas.put(column, row, "┌────┐", style)
    for offset, text in enumerate(inner, 1):
        canvas.put(column, row + offset, f"│{text[:4]}│", style)
    canvas.put(column, row + 4, "└────┘", style)


LARGE_HEIGHT = 7
LARGE_STEP = 10
"""From one large card to the next in a row; five cards fill 49 columns."""


def draw_large_card(canvas: Canvas, column: int, row: int, label: str | None) -> None:
    """Draw a card, 9 cells wide and 7 high, with its sign in the middle; `label` as for `draw_card`."""
    style = Style.CARD_BACK if label is None else card_style(label)
    inner = ["░" * 7] * 5 if label is None else [f"{label:<7}", "", f"{label[-1:]:^7}", "", f"{label:>7}"]
    canvas.put(column, row, "┌───────┐", style)
    for offset, text in enumerate(inner, 1):
        canvas.put(column, row + offset, f"│{text:<7}│", style)
    canvas.put(column, row + LARGE_HEIGHT - 1, "└───────┘", style)


class FlatCard(NamedTuple):
    """A card in one line."""

    text: str
    """Rank and sign."""
    key: str
    """The key that plays it; empty: it may not be played now."""
    style: Style
    is_chosen: bool = False


def draw_flat_card(canvas: Canvas, column: int, row: int, card: FlatCard) -> None:
    """Draw a card of the viewer's, 5 cells wide, with its key below it."""
    before, behind = "><" if card.is_chosen else "  "
    canvas.put(column, row, f"{before}{card.text:<3}{behind}", card.style)
    if card.key:
        canvas.put(column + 1, row + 1, f"[{card.key}]", Style.NEWEST if card.is_chosen else Style.GREEN)


class PlayedCard(NamedTuple):
    """A card of a trick."""

    name: str
    """Who played it."""
    text: str
    """Rank and sign."""
    is_best: bool
    """It takes the trick, unless a better one follows."""


TRICK_ROWS = LARGE_HEIGHT + 4
"""Rows of a large trick, with a title, names, marks and a blank row."""


def draw_large_trick(canvas: Canvas, column: int, row: int, title: str, trick: Sequence[PlayedCard], most: int) -> None:
    """Draw a trick of at most `most` cards in the order in which they were played, below a title.

    Each stands below its player's name and above its number. The one that takes the trick is marked. The cards are
    smaller where the window has no room for large ones.
    """
    room = canvas.columns - column
    is_large = room >= most * LARGE_STEP - 1
    step = min(LARGE_STEP, (room + 1) // most)
    canvas.put(column, row, title if trick else "", Style.GREEN)
    for at, card in enumerate(trick):
        left, style = column + step * at, Style.NEWEST if card.is_best else Style.BOLD
        canvas.put(left, row + 1, card.name[: step - 1], style)
        (draw_large_card if is_large else draw_card)(canvas, left, row + 2, card.text)
        below = row + 2 + (LARGE_HEIGHT if is_large else CARD_HEIGHT)
        canvas.put(left, below, f"{at + 1}{' !' if card.is_best else ''}", style)


def draw_played_card(canvas: Canvas, column: int, row: int, label: str, style: Style, *, is_best: bool) -> None:
    """Draw a card of a trick, ``1[A+]``: its number in the trick, its text, a mark if it is the best so far."""
    number, bracket, card = label.partition("[")
    canvas.put(column, row, number, Style.CYAN)
    canvas.put(column + len(number), row, bracket + card, style)
    if is_best:
        canvas.put(column + len(label), row, "!", Style.NEWEST)
