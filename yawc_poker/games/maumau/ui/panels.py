"""What a window larger than 80 by 24 shows of Mau-Mau besides: a larger open card, all rounds, more messages. Pure.

The table stays at the top left. A wide window has the open card at its right, and the points of all rounds below it; a
high one has more messages below the table, and above them the points if it is not wide.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.games.maumau.model import PlayerView, View
from yawc_poker.games.maumau.ui.scene import Scene
from yawc_poker.table_ui.scene import Local
from yawc_poker.table_ui.screen import COLUMNS, NAME, ROWS
from yawc_poker.table_ui.speech import card_text
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.widgets import LARGE_HEIGHT, draw_large_card
from yawc_poker.words import Words

LEFT: Final = COLUMNS + 2
"""First column at the right of a table."""
OPEN_ROWS: Final = LARGE_HEIGHT + 2
"""Rows of the open card, with a title and a blank row."""
POINTS: Final = 5
"""Columns of a round's points."""
FEWEST: Final = 8
"""Rows that the messages need below the points."""


def draw_panels(canvas: Canvas, scene: Scene, local: Local, words: Words) -> int:
    """Draw what there is room for beside the table and below it; return the row below."""
    if scene.game is not None and canvas.columns > COLUMNS:
        below = _draw_open(canvas, scene, scene.game, words)
        _draw_points(canvas, LEFT, below, scene, scene.game, words)
    elif scene.game is not None and canvas.rows - ROWS >= len(scene.game.players) + 2 + FEWEST:
        return _draw_points(canvas, 0, ROWS, scene, scene.game, words)
    return ROWS


def _draw_open(canvas: Canvas, scene: Scene, game: View, words: Words) -> int:
    """Draw the open card, larger, and return the row after it."""
    if not scene.running or canvas.rows < OPEN_ROWS + len(game.players) + 2:
        return 0
    canvas.put(LEFT, 0, words("The open card:"), Style.GREEN)
    draw_large_card(canvas, LEFT, 1, card_text(game.top, words))
    return OPEN_ROWS


def _draw_points(canvas: Canvas, column: int, row: int, scene: Scene, game: View, words: Words) -> int:
    """Draw the points of each player in the latest rounds and in all, and return the row after them."""
    played = max((len(player.points) for player in game.players), default=0)
    width = canvas.columns - column if column else COLUMNS
    shown = range(max(played - ((width - NAME - 1) // POINTS - 1), 0), played)
    heads = "".join(f"{head:>{POINTS}}" for head in (*(str(number + 1) for number in shown), words("All")))
    canvas.put(column, row, words("Points by round"), Style.GREEN)
    canvas.put(column + NAME + 1, row, heads, Style.GREEN)
    for line, player in enumerate(game.players, row + 1):
        is_turn = scene.running and player.seat is not None and player.seat == game.current
        style = Style.NEWEST if is_turn else Style.PLAIN
        canvas.put(column, line, f"{'>' if is_turn else ' '}{_name(scene, player, words)}"[: NAME + 1], style)
        canvas.put(column + NAME + 1, line, _points(player, shown), style)
    return row + len(game.players) + 2


def _points(player: PlayerView, shown: Sequence[int]) -> str:
    """Return a player's points of these rounds and in all; a round that they did not play is blank."""
    rounds = "".join(f"{player.points[at] if at < len(player.points) else '':>{POINTS}}" for at in shown)
    return rounds + f"{player.total:>{POINTS}}"


def _name(scene: Scene, player: PlayerView, words: Words) -> str:
    """Return a player's name; of one who has left, that they have."""
    if player.seat is None or player.forfeited:
        return words("(has left)")
    return scene.sitting.get(player.seat, words("(has left)"))
