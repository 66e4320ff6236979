"""The right half of the Offiziersskat screen while a match runs: a line for each player, and the last result. Pure."""

from typing import Final, NamedTuple

from yawc_poker.games.offiziersskat.model import Result, View
from yawc_poker.games.offiziersskat.ui.scene import Scene, name_of, sides
from yawc_poker.table_ui.screen import BORDER, COLUMNS, COUNTER_ROW, RIGHT, WIDTH, draw_title
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

TRICKS_END: Final = 66
EYES_END: Final = 72
TOTAL_END: Final = COLUMNS - 1
RESULT_ROW: Final = 3


class Line(NamedTuple):
    """One player."""

    name: str
    tricks: str
    eyes: str
    total: str
    is_turn: bool


def draw_players(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw a line for each player, the other one first, and how the last round has ended."""
    lines = tuple(
        Line(
            name_of(scene, player.seat),
            str(player.tricks),
            str(player.eyes),
            str(player.total),
            view.current == player.seat,
        )
        for player in reversed(sides(view))
    )
    title = words("Round {n}, match to {target}", n=view.round.number, target=view.options.target)
    _draw_lines(canvas, lines, title, result_text(scene, view.results[-1], words) if view.results else "", words)


def result_text(scene: Scene, result: Result, words: Words) -> str:
    """Return how a round has ended."""
    seat = result.winner
    if seat is None:
        return words("Round {n} was a draw: 1 point for both.", n=result.number)
    return words(
        "Round {n}: {name} won with {eyes} eyes, for {points} points.",
        n=result.number,
        name=name_of(scene, seat),
        eyes=result.eyes[seat],
        points=result.points[seat],
    )


@region(BORDER + 1, 0, COLUMNS - BORDER - 1, COUNTER_ROW + 1)
def _draw_lines(canvas: Canvas, lines: tuple[Line, ...], title: str, result: str, words: Words) -> None:
    for row in (0, COUNTER_ROW):
        canvas.put(BORDER + 1, row, "─" * (COLUMNS - BORDER - 1), Style.FELT)
    draw_title(canvas, RIGHT, 0, words("Players"))
    draw_title(canvas, RIGHT, COUNTER_ROW, title[: WIDTH - 3])
    for head, end in ((words("Tr"), TRICKS_END), (words("Eyes"), EYES_END), (words("Pts."), TOTAL_END)):
        draw_title(canvas, end - len(head) - 1, 0, head)
    for row, line in enumerate(lines, 1):
        _draw_line(canvas, row, line)
    for row, text in zip(range(RESULT_ROW, COUNTER_ROW), wrap(result, WIDTH), strict=False):
        canvas.put(RIGHT, row, text, Style.CYAN)


def _draw_line(canvas: Canvas, row: int, line: Line) -> None:
    style = Style.NEWEST if line.is_turn else Style.BOLD
    canvas.put(BORDER + 1, row, f"{'>' if line.is_turn else ' '}{line.name}", style)
    for text, end in ((line.tricks, TRICKS_END), (line.eyes, EYES_END), (line.total, TOTAL_END)):
        canvas.put(end - len(text), row, text)
