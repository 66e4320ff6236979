"""What a window larger than 80 by 24 shows besides: all tricks of the round, more rounds, more messages. Pure.

The table stays at the top left. A wide window has the tricks and the rounds at its right; a high one has more messages
below, and above them the tricks if it is not wide.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.games.doppelkopf.model import HAND, SEATS, Result, Trick, View
from yawc_poker.games.doppelkopf.ui.regions.score import BLOCK, put_rounds
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene, name_of
from yawc_poker.table_ui.screen import COLUMNS, ROWS, draw_past
from yawc_poker.table_ui.speech import card_text
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.widgets import card_style
from yawc_poker.tricks import eyes
from yawc_poker.words import Words

TRICKS: Final = HAND + 2
"""Rows of all tricks, with a title and the names."""
CELL: Final = 8


def draw_panels(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    """Draw what there is room for beside the table and below it."""
    names = [name_of(scene, place, words) for place in range(SEATS)]
    row, is_wide = ROWS, canvas.columns > COLUMNS
    if is_wide:
        canvas.fill(COLUMNS, 0, 1, canvas.rows, "│", Style.FELT)
        _draw_right(canvas, scene.game, names, words)
    elif canvas.rows - ROWS > TRICKS and scene.game is not None:
        _draw_tricks(canvas, 0, row, scene.game, names, words)
        row += TRICKS
    if canvas.rows > row:
        draw_past(canvas, row, local.past, words)


def _draw_right(canvas: Canvas, view: View | None, names: Sequence[str], words: Words) -> None:
    if view is None:
        return
    _draw_tricks(canvas, COLUMNS + 2, 0, view, names, words)
    _draw_rounds(canvas, TRICKS + 1, view.results, names, words)


def _draw_tricks(canvas: Canvas, column: int, row: int, view: View, names: Sequence[str], words: Words) -> None:
    """Draw all tricks, a column for each player: ``>`` before the card that led, ``!`` behind the one that took it."""
    canvas.put(column, row, words("Tricks of round {n}", n=view.round.number), Style.GREEN)
    for place, name in enumerate(names):
        canvas.put(column + 3 + CELL * place + 1, row + 1, name[: CELL - 2], Style.BOLD)
    for line, trick in enumerate(view.round.tricks, row + 2):
        _draw_trick(canvas, column, line, line - row - 1, trick, words)


def _draw_trick(canvas: Canvas, column: int, row: int, number: int, trick: Trick, words: Words) -> None:
    canvas.put(column, row, f"{number:>2}", Style.DIM)
    for at, card in enumerate(trick.cards):
        place = (trick.leader + at) % SEATS
        start = column + 3 + CELL * place
        canvas.put(start, row, " " if at else ">", Style.CYAN)
        canvas.put(start + 1, row, card_text(card, words), card_style(str(card)))
        if place == trick.taker:
            canvas.put(start + 5, row, "!", Style.NEWEST)
    canvas.put(column + 3 + CELL * SEATS, row, f"{eyes(trick.cards):>3}", Style.CYAN)


def _draw_rounds(canvas: Canvas, row: int, results: Sequence[Result], names: Sequence[str], words: Words) -> None:
    """Draw the rounds that there is room for, the newest at the bottom, in columns."""
    columns = (canvas.columns - COLUMNS - 2) // BLOCK
    room = canvas.rows - row - 2
    if room < 1 or not results:
        return
    shown = [(result.number, result.points) for result in results[-columns * room :]]
    canvas.put(COLUMNS + 2, row, words("Rounds"), Style.GREEN)
    for block in range(0, len(shown), room):
        column = COLUMNS + 2 + BLOCK * (block // room)
        put_rounds(canvas, column, row + 1, names, shown[block : block + room])
