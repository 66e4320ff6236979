"""What can be touched: which cells of a table's screen mean which key. Pure.

Every key is drawn where it means something: in brackets before its text, or on the edge of its card. So the areas are
read from the frame that is shown, for the keys that are offered, and cannot differ from what callers see. The rows in
which people speak have none: who writes `[B]` there makes no button.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from msgspec.structs import replace

from yawc_poker.page.protocol import Area
from yawc_poker.table_ui.keys import HELP
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


def areas(frame: Frame, keys: Collection[str]) -> tuple[Area, ...]:
    """Return where these keys stand on a table's screen; nothing in a window that is too small for one."""
    if not shows_table(frame):
        return ()
    above = [area for row in range(STATUS_ROW) for area in _in_row(frame, row, set(keys) - {HELP})]
    return (*above, *_in_row(frame, LOWER_LINE, {HELP} & set(keys)))  # above, `[?]` is a card that nobody sees


def _in_row(frame: Frame, row: int, keys: Collection[str]) -> Iterator[Area]:
    text = frame.rows[row].text[:COLUMNS]
    for found in _KEY.finditer(text):
        key = found[1].lower() if len(found[1]) == 1 else found[1]
        if key in keys:
            card = _card(frame, row, found.start(), found.end())
            yield replace(card, key=key) if card is not None else _label(text, row, found.start(), found.end(), key)


def _label(text: str, row: int, start: int, behind: int, key: str) -> Area:
    """Return the area of a key with its text."""
    end = BORDER if start < BORDER else COLUMNS
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
