"""What can be touched: which cells of a table's screen, or of the text above a prompt, mean which key. Pure.

Every key is drawn where it means something: in brackets before its text, or on the edge of its card. So the areas are
read from what is shown, for the keys that are offered, and cannot differ from what callers see. The rows in which
people speak have none: who writes `[B]` there makes no button.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from yawc_poker.page.protocol import Area
from yawc_poker.table_ui.keys import HELP
from yawc_poker.table_ui.onlookers import SIT
from yawc_poker.table_ui.screen import BORDER, COLUMNS, LOWER_LINE, STATUS_ROW, shows_table
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.terminal.widgets import CARD_HEIGHT, CARD_WIDTH

_KEY: Final = re.compile(r"\[([^\[\] ]{1,6})\]")
_LABEL: Final = re.compile(r"[^ \[│]+|(?: [^ \[│]+)*")
"""The text of a key: a word right behind it, or all up to two blanks, another key, or a border."""
_CARDS: Final = frozenset(
    {Style.CARD_RED, Style.CARD_BLACK, Style.CARD_BACK, Style.CARD_DIAMONDS, Style.CARD_CLUBS, Style.REVERSE}
)
_BEFORE: Final = 1
"""Cells of a card before its key."""
_COMING: Final = ("+", SIT.lower())
"""The keys by which a free seat is taken: by a house player, or by somebody who looks on."""


def areas(frame: Frame, keys: Collection[str], free: str = "") -> tuple[Area, ...]:
    """Return where these keys stand on a table's screen; nothing in a window that is too small for one.

    `free` is what stands in the place of the others where nobody sits: it means the key by which somebody comes there.
    """
    if not shows_table(frame):
        return ()
    above = [area for row in range(STATUS_ROW) for area in _in_row(frame, row, set(keys) - {HELP})]
    seats = [Area(key, 0, 1, len(free), 1) for key in _COMING if key in keys][:1]
    if not free or not frame.rows[1].text.startswith(free):
        seats = []
    return (*above, *seats, *_in_row(frame, LOWER_LINE, {HELP} & set(keys)))  # above, `[?]` is a card that nobody sees


def over_help(frame: Frame) -> tuple[Area, ...]:
    """Return the same where the help lies over a table: its topmost row says what leads back."""
    return (Area("ENTER", 0, 0, COLUMNS, 1),) if shows_table(frame) else ()


def in_text(rows: Sequence[tuple[str, str | None]], keys: Collection[str]) -> tuple[Area, ...]:
    """Return where these keys stand in rows of scrolling text, of which the last one is the prompt's last.

    Behind each row stands what all of it means: a key that answers the prompt; empty: only what stands in brackets
    means something; None: nothing does, since it is what others have written.
    """
    found: list[Area] = []
    for row, (text, means) in enumerate(rows, -len(rows)):
        if means and means in keys:
            start = len(text) - len(text.lstrip())
            found.append(Area(means, start, row, len(text.rstrip()) - start, 1))
        elif means == "":
            marks = ((mark, _key_of(mark)) for mark in _KEY.finditer(text))
            found += [_label(text, row, mark.span(), key, len(text)) for mark, key in marks if key in keys]
    return tuple(found)


def _key_of(mark: re.Match[str]) -> str:
    return mark[1].lower() if len(mark[1]) == 1 else mark[1]


def _in_row(frame: Frame, row: int, keys: Collection[str]) -> Iterator[Area]:
    text = frame.rows[row].text[:COLUMNS]
    for mark in _KEY.finditer(text):
        if (key := _key_of(mark)) in keys:
            card, end = _card(frame, row, *mark.span()), BORDER if mark.start() < BORDER else COLUMNS
            yield replace(card, key=key) if card is not None else _label(text, row, mark.span(), key, end)


def _label(text: str, row: int, mark: tuple[int, int], key: str, end: int) -> Area:
    """Return the area of a key with its text, which ends at `end`."""
    start, behind = mark
    label = _LABEL.match(text, behind, end)
    return Area(key, start, row, (behind if label is None else label.end()) - start, 1)


def _card(frame: Frame, row: int, start: int, behind: int) -> Area | None:
    """Return the area of the card that has its key on its edge or below it; None: there is none."""
    bottom = row if _style(frame, row, start) in _CARDS else row - 1
    style = _style(frame, bottom, start)
    if bottom < 0 or style not in _CARDS:
        return None
    left, top, right = max(start - _BEFORE, 0), bottom, behind
    while left < start and _style(frame, bottom, left) != style:
        left += 1
    while top > 0 and bottom - top + 1 < CARD_HEIGHT and _style(frame, top - 1, start) == style:
        top -= 1
    while right - left < CARD_WIDTH and _style(frame, bottom, right) == style and not _begins(frame, row, right):
        right += 1
    return Area("", left, top, right - left, row - top + 1)


def _begins(frame: Frame, row: int, column: int) -> bool:
    """Return whether the next card's key is drawn so that it begins here."""
    return frame.rows[row].text[column + _BEFORE : column + _BEFORE + 1] == "["


def _style(frame: Frame, row: int, column: int) -> Style | None:
    styles = frame.rows[row].styles
    return Style(styles[column]) if row >= 0 and 0 <= column < len(styles) else None
