"""The status line of a screen that is drawn already: its clock moves on, and it calls the caller. Pure.

Owns what a status line looks like while it calls: all of it, by its style and by a sign, whichever game it belongs to.
"""

from yawc_poker.table_ui.screen import CLOCK, COLUMNS, STATUS_ROW, clock_text, shows_table
from yawc_poker.terminal.frame import Frame, Row, Style

_CALLS = bytes(Style.TURN if style == Style.BAR else style for style in range(256))


def lit(frame: Frame) -> Frame:
    """Return a screen whose whole status line calls the caller: by its style, and by a ``>`` at its beginning.

    Where the window is too small for a table it is the first line, which says whose turn it is.
    """
    if not shows_table(frame):
        row = frame.rows[0]
        return Frame(frame.columns, (Row(row.text, bytes([Style.TURN]) * len(row.text)), *frame.rows[1:]), frame.cursor)
    row = frame.rows[STATUS_ROW]
    called = Row(">" + row.text[1:], row.styles.translate(_CALLS))
    return Frame(frame.columns, (*frame.rows[:STATUS_ROW], called, *frame.rows[STATUS_ROW + 1 :]), frame.cursor)


def _ground(frame: Frame) -> Style:
    """Return the style of a table's status line."""
    return Style(frame.rows[STATUS_ROW].styles[0])


def clock_cells(frame: Frame, seconds: int) -> tuple[int, int, str, Style] | None:
    """Return column, row, text and style of the caller's clock at `seconds`, with blanks over a longer one before it.

    None if the clock's style differs from that of the blanks. `frame` shows a table.
    """
    clock, style = clock_text(seconds)
    text = f"{clock:>{CLOCK}}"
    return (COLUMNS - len(text), STATUS_ROW, text, _ground(frame)) if style is Style.BAR else None


def wind(frame: Frame, seconds: int) -> Frame:
    """Return a table's screen with `seconds` on the caller's clock and nothing else changed. `frame` shows a table."""
    clock, style = clock_text(seconds)
    ground = _ground(frame)
    style = ground if style is Style.BAR else style
    row = frame.rows[STATUS_ROW]
    blank = max(CLOCK - len(clock), 0)
    start = COLUMNS - blank - len(clock)
    shown = Row(
        row.text[:start] + " " * blank + clock + row.text[COLUMNS:],
        row.styles[:start] + bytes([ground]) * blank + bytes([style]) * len(clock) + row.styles[COLUMNS:],
    )
    return Frame(frame.columns, (*frame.rows[:STATUS_ROW], shown, *frame.rows[STATUS_ROW + 1 :]), frame.cursor)
