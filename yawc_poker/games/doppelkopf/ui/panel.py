"""What a window larger than 80 by 24 shows besides: larger cards, all tricks, more rounds, more messages. Pure.

The table stays at the top left. A wide window has the tricks and the rounds at its right, and above them the caller's
cards if it is high, too; a high one has more messages below, and above them the tricks if it is not wide.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.games.doppelkopf.model import HAND, SEATS, Result, Trick, View
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene, name_of
from yawc_poker.games.doppelkopf.ui.score import BLOCK, put_rounds
from yawc_poker.games.doppelkopf.ui.trick import held, trumps_held
from yawc_poker.table_ui.screen import COLUMNS, ROWS
from yawc_poker.table_ui.speech import card_text
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.widgets import CARD_HEIGHT, CARD_STEP, card_style, draw_boxed_card
from yawc_poker.tricks import eyes
from yawc_poker.words import Words

TRICKS: Final = HAND + 2
"""Rows of all tricks, with a title and the names."""
CELL: Final = 8
LEFT: Final = COLUMNS + 2
"""First column at the right of a table."""
FEWEST: Final = 8
"""Rows that the rounds need below cards and tricks."""


def draw_panels(canvas: Canvas, scene: Scene, local: Local, words: Words) -> int:
    """Draw what there is room for beside the table and below it; return the row below."""
    if scene.game is not None and canvas.columns > COLUMNS:
        _draw_right(canvas, scene, scene.game, local, words)
    elif scene.game is not None and canvas.rows - ROWS > TRICKS:
        names = [name_of(scene, place, words) for place in range(SEATS)]
        _draw_tricks(canvas, 0, ROWS, scene.game, names, words)
        return ROWS + TRICKS
    return ROWS


def _draw_right(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> None:
    names = [name_of(scene, place, words) for place in range(SEATS)]
    row = _draw_hand(canvas, scene, view, local, words)
    _draw_tricks(canvas, LEFT, row, view, names, words)
    _draw_rounds(canvas, row + TRICKS + 1, view.results, names, words)


def _draw_hand(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> int:
    """Draw the caller's cards, larger, with a line behind the trumps, and return the row after them.

    There is room for a whole hand in any case, so that nothing moves while it is played; a window that has none shows
    them in the table's own hand only.
    """
    in_a_row = (canvas.columns - LEFT + 1) // CARD_STEP
    below = 2 + (CARD_HEIGHT + 1) * -(-HAND // in_a_row)
    if not scene.running or view.hand is None or canvas.rows < below + TRICKS + FEWEST:
        return 0
    cards, trumps = held(scene, local, words), trumps_held(view)
    canvas.put(LEFT, 0, words("Your cards:") if cards else "", Style.GREEN)
    for at, card in enumerate(cards):
        column, row = LEFT + CARD_STEP * (at % in_a_row), 1 + (CARD_HEIGHT + 1) * (at // in_a_row)
        draw_boxed_card(canvas, column, row, card)
        if at == trumps and at % in_a_row:
            canvas.fill(column - 1, row, 1, CARD_HEIGHT, "│", Style.FELT)
    return below


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
    columns = (canvas.columns - LEFT) // BLOCK
    room = canvas.rows - row - 2
    if room < 1 or not results:
        return
    shown = [(result.number, result.points) for result in results[-columns * room :]]
    canvas.put(LEFT, row, words("Rounds"), Style.GREEN)
    for block in range(0, len(shown), room):
        column = LEFT + BLOCK * (block // room)
        put_rounds(canvas, column, row + 1, names, shown[block : block + room])
