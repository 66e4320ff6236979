"""What a window larger than 80 by 24 shows besides: the trick, larger, all tricks, more rounds and messages. Pure.

The table stays at the top left. A wide window has the tricks and the rounds at its right, and above them the present
trick if it is high, too; a high one has more messages below, and above them the tricks if it is not wide.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.games.doppelkopf.model import HAND, SEATS, Result, View
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene, names, present_trick, shown_trick
from yawc_poker.games.doppelkopf.ui.score import BLOCK, put_rounds
from yawc_poker.table_ui.screen import COLUMNS, ROWS
from yawc_poker.table_ui.tricks import laid, put_trick, taken_text
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.widgets import TRICK_ROWS, draw_large_trick
from yawc_poker.tricks import eyes
from yawc_poker.words import Words

TRICKS: Final = HAND + 2
"""Rows of all tricks, with a title and the names."""
CELL: Final = 8
LEFT: Final = COLUMNS + 2
"""First column at the right of a table."""
FEWEST: Final = 8
"""Rows that the rounds need below the tricks."""


def draw_panels(canvas: Canvas, scene: Scene, local: Local, words: Words) -> int:
    """Draw what there is room for beside the table and below it; return the row below."""
    if scene.game is not None and canvas.columns > COLUMNS:
        _draw_right(canvas, scene, scene.game, local, words)
    elif scene.game is not None and canvas.rows - ROWS > TRICKS:
        _draw_tricks(canvas, 0, ROWS, scene.game, names(scene), words)
        return ROWS + TRICKS
    return ROWS


def _draw_right(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> None:
    row = _draw_present(canvas, scene, view, local, words)
    _draw_tricks(canvas, LEFT, row, view, names(scene), words)
    _draw_rounds(canvas, row + TRICKS + 1, view.results, names(scene), words)


def _draw_present(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> int:
    """Draw the trick that the table shows, larger, and return the row after it.

    There is room for it in any case, so that nothing moves while it is played; a window that has none shows it in the
    table only.
    """
    if not scene.running or canvas.rows < TRICK_ROWS + TRICKS + FEWEST:
        return 0
    complete, players = shown_trick(view, local.page), names(scene)
    title = words("Trick:") if complete is None else taken_text(complete, players, words)
    draw_large_trick(canvas, LEFT, 0, title, laid(complete or present_trick(view), players, words), SEATS)
    return TRICK_ROWS


def _draw_tricks(canvas: Canvas, column: int, row: int, view: View, names: Sequence[str], words: Words) -> None:
    """Draw all tricks, a column for each player, and their eyes."""
    if not view.round.tricks:
        return
    canvas.put(column, row, words("Tricks of round {n}", n=view.round.number), Style.GREEN)
    for place, name in enumerate(names):
        canvas.put(column + 3 + CELL * place + 1, row + 1, name[: CELL - 2], Style.BOLD)
    for line, trick in enumerate(view.round.tricks, row + 2):
        put_trick(canvas, column, line, line - row - 1, trick, range(SEATS), CELL, words)
        canvas.put(column + 3 + CELL * SEATS, line, f"{eyes(trick.cards):>3}", Style.CYAN)


def _draw_rounds(canvas: Canvas, row: int, results: Sequence[Result], names: Sequence[str], words: Words) -> None:
    """Draw the rounds that there is room for, the newest at the bottom, in columns."""
    columns = (canvas.columns - LEFT) // BLOCK
    room = canvas.rows - row - 2
    if room < 1 or not results:
        return
    shown = [(result.number, result.points) for result in results[-columns * room :]]
    canvas.put(LEFT, row, words("Rounds"), Style.GREEN)
    for block in range(0, len(shown), room):
        column = LEFT + BLOCK * (block // room)
        put_rounds(canvas, column, row + 1, names, shown[block : block + room])
