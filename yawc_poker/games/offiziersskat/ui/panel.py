"""All tricks of the round, and the results of all rounds: in place of the messages, or in a larger window. Pure.

The table stays at the top left. A wide window has the tricks and the rounds at its right, and above them the present
trick, larger, if it is high, too; a high one has more messages below, and above them the tricks and the rounds if it is
not wide.
"""

from typing import Final, NamedTuple

from yawc_poker.games.offiziersskat.model import SEATS, TRICKS, Result, View
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene, names, present_trick, shown_trick, sides
from yawc_poker.games.offiziersskat.ui.speech import trump_sign
from yawc_poker.table_ui.screen import COLUMNS, ROWS, TALK_ROW
from yawc_poker.table_ui.tricks import laid, put_trick, taken_text
from yawc_poker.terminal import widgets
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import TRICK_ROWS
from yawc_poker.tricks import Trick, eyes
from yawc_poker.words import Words

CELL: Final = 7
"""Columns of a card in the table of tricks."""
TRICK: Final = 3 + CELL * SEATS + 2
"""Columns of a trick; two of them, side by side, have room in half of a table."""
POINTS: Final = 4
"""Columns of a player's points in the table of rounds."""
ROUND: Final = 13
"""Columns of a round, and what separates it from the next."""
SPACE: Final = 2
"""Columns between the tables."""
BESIDE: Final = 2 * (TRICK + SPACE)
"""First column of the rounds beside the tricks."""
HEIGHT: Final = TRICKS + 2
"""Lines of all tricks in one column, with a title and the names."""
LEFT: Final = COLUMNS + 2
"""First column at the right of a table."""
FEWEST: Final = 8
"""Rows that the rounds need below the tricks."""


class Tables(NamedTuple):
    """What both tables show."""

    order: tuple[int, ...]
    """The seats in the order of the columns: the player at the bottom first."""
    names: tuple[str, ...]
    """By seat."""
    tricks: tuple[Trick, ...]
    rounds: tuple[Result, ...]


def draw_panels(canvas: Canvas, scene: Scene, local: Local, words: Words) -> int:
    """Draw what there is room for beside the table and below it; return the row below."""
    if scene.game is not None and canvas.columns > COLUMNS:
        _draw_right(canvas, scene, scene.game, words)
    elif scene.game is not None and canvas.rows - ROWS > HEIGHT:
        _draw_below(canvas, scene, scene.game, words)
        return ROWS + HEIGHT
    return ROWS


def draw_page(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw the tricks and the rounds in place of the messages."""
    _draw_page(canvas, _tables(scene, view), words)


def _tables(scene: Scene, view: View) -> Tables:
    return Tables(tuple(player.seat for player in sides(view)), names(scene), view.round.tricks, view.results)


# --- where they stand -------------------------------------------------------------------------------------------------


def _draw_right(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw the present trick and all tricks at the right of the table, and the rounds that there is room for."""
    above = _draw_present(canvas, scene, view, words)
    tables, row = _tables(scene, view), above + HEIGHT + 1
    _draw_title(canvas, LEFT, above, view, words)
    _put_tricks(canvas, LEFT, above + 1, tables, TRICKS, words)
    room, blocks = canvas.rows - row - 2, (canvas.columns - LEFT) // ROUND
    if room > 0 and tables.rounds:
        canvas.put(LEFT, row, words("Rounds"), Style.GREEN)
        _put_rounds(canvas, LEFT, row + 1, tables._replace(rounds=tables.rounds[-room * blocks :]), room, words)


def _draw_present(canvas: Canvas, scene: Scene, view: View, words: Words) -> int:
    """Draw the trick that the table shows, larger, if there is room for it, and return the row after it."""
    if not scene.running or canvas.rows < TRICK_ROWS + HEIGHT + FEWEST:
        return 0
    complete, players = shown_trick(view), names(scene)
    title = words("Trick:") if complete is None else taken_text(complete, players, words)
    widgets.draw_large_trick(canvas, LEFT, 0, title, laid(complete or present_trick(view), players, words), SEATS)
    return TRICK_ROWS


def _draw_below(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw the tricks and the rounds side by side below the table."""
    tables = _tables(scene, view)
    _draw_title(canvas, 0, ROWS, view, words)
    _put_tricks(canvas, 0, ROWS + 1, tables, TRICKS, words)
    if tables.rounds:
        canvas.put(BESIDE, ROWS, words("Rounds"), Style.GREEN)
        _put_rounds(canvas, BESIDE, ROWS + 1, tables, TRICKS, words)


def _draw_title(canvas: Canvas, column: int, row: int, view: View, words: Words) -> None:
    if view.round.tricks:
        canvas.put(column, row, words("Tricks of round {n}", n=view.round.number), Style.GREEN)


@region(0, TALK_ROW, COLUMNS, widgets.MESSAGES)
def _draw_page(canvas: Canvas, tables: Tables, words: Words) -> None:
    _put_tricks(canvas, 0, TALK_ROW, tables, TRICKS // 2, words)
    _put_rounds(canvas, BESIDE, TALK_ROW, tables, widgets.MESSAGES - 1, words)


# --- drawing ----------------------------------------------------------------------------------------------------------


def _put_tricks(canvas: Canvas, column: int, row: int, tables: Tables, room: int, words: Words) -> None:
    """Draw the tricks below the names, in blocks of `room` lines."""
    for start in range(0, len(tables.tricks), room):
        left = column + (TRICK + SPACE) * (start // room)
        for at, seat in enumerate(tables.order):
            canvas.put(left + 4 + CELL * at, row, tables.names[seat][: CELL - 1], Style.BOLD)
        for line, trick in enumerate(tables.tricks[start : start + room], 1):
            put_trick(canvas, left, row + line, start + line, trick, tables.order, CELL, words)
            canvas.put(left + TRICK - 2, row + line, f"{eyes(trick.cards):>2}", Style.CYAN)


def _put_rounds(canvas: Canvas, column: int, row: int, tables: Tables, room: int, words: Words) -> None:
    """Draw each round with its trump and the points of both, below the beginnings of the names, in blocks."""
    heading = "".join(f"{tables.names[seat][: POINTS - 1]:>{POINTS}}" for seat in tables.order)
    for start in range(0, len(tables.rounds), room):
        left = column + ROUND * (start // room)
        canvas.put(left + 4, row, heading, Style.GREEN)
        for at, line in enumerate(tables.rounds[start : start + room], 1):
            points = "".join(f"{line.points[seat]:>{POINTS}}" for seat in tables.order)
            canvas.put(left, row + at, f"{line.number:>2}", Style.DIM)
            canvas.put(left + 3, row + at, f"{trump_sign(line.trump, words)}{points}")
