"""Golden screens: files that people read, and that a screen must equal. `YAWC_GOLDEN=1 pytest` writes them anew."""

import os
from pathlib import Path

from yawc_poker.table_ui.screen import CLOCK, COLUMNS, STATUS_ROW
from yawc_poker.terminal.frame import Frame, Row


def drawn(frame: Frame) -> str:
    """Return a frame's text without blanks at the ends of lines."""
    return "".join(row.text.rstrip() + "\n" for row in frame.rows)


def but_clock(frame: Frame) -> Frame:
    """Return a table's frame without the cells of the caller's clock."""
    row = frame.rows[STATUS_ROW]
    start = COLUMNS - CLOCK
    rest = Row(row.text[:start] + row.text[COLUMNS:], row.styles[:start] + row.styles[COLUMNS:])
    return Frame(frame.columns, (*frame.rows[:STATUS_ROW], rest, *frame.rows[STATUS_ROW + 1 :]), frame.cursor)


def agrees(text: str, path: Path) -> None:
    """Assert that a screen is the one in a file."""
    if os.environ.get("YAWC_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
