"""What a round of Doppelkopf came to, the table of all rounds, and the order at the end. Pure.

Owns three pieces of the screen: the score of a round on the left, the table of rounds in place of the messages, and the
final order.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.games.doppelkopf.model import SEATS, Item, Result, Team, View
from yawc_poker.games.doppelkopf.scoring import ALL
from yawc_poker.games.doppelkopf.ui.scene import Scene, name_of, names
from yawc_poker.games.doppelkopf.ui.speech import item_text, signed, team_name
from yawc_poker.table_ui.screen import BORDER, COLUMNS, HAND_ROW, TALK_ROW
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import MESSAGES
from yawc_poker.words import Words

ITEM_ROWS: Final = (4, 6, 7, 8, 9, 10)
"""Lines of a score's items; the one between has the counter of X-messages."""
POINTS: Final = 4
"""Columns of a player's points in the table of rounds."""
BLOCK: Final = 20
"""Columns of some rounds in that table."""

# --- the score of a round ---------------------------------------------------------------------------------------------


def draw_score(canvas: Canvas, scene: Scene, result: Result, words: Words) -> None:
    """Draw who won a round with how many eyes, and each item of the score with its points."""
    items = tuple((text, signed(points)) for text, points in score_lines(result.items, words))
    _draw_head(canvas, _headline(result, words), _teams(scene, result, words))
    _draw_items(canvas, items)


def score_lines(items: Sequence[Item], words: Words) -> list[tuple[str, int]]:
    """Return each item with its points; where they are too many for their room, items of a kind share a line."""
    if len(items) <= len(ITEM_ROWS):
        return [(item_text(item, words), item.points) for item in items]
    groups: dict[tuple[str, str, bool], list[Item]] = {}
    for item in items:
        is_black = item.kind in {"below", "denied"} and not item.eyes
        groups.setdefault((item.kind, item.team, is_black), []).append(item)
    return [(_shared(group, words), sum(item.points for item in group)) for group in groups.values()]


def _shared(group: Sequence[Item], words: Words) -> str:
    """Return items of a kind in one line: ``Re below 90, 60``, ``Re: fox caught (2)``."""
    text = item_text(group[0], words)
    if len(group) == 1:
        return text
    return ", ".join([text, *(str(item.eyes) for item in group[1:])]) if group[0].eyes else f"{text} ({len(group)})"


def _headline(result: Result, words: Words) -> tuple[str, str]:
    if result.winner is None:
        won = words("Round {n}: nobody wins", n=result.number)
    else:
        won = words("Round {n}: {team} wins", n=result.number, team=team_name(result.winner, words))
    return won, f"{result.value:+}" if len(result.re) > 1 else f"{result.value:+} x 3"


def _teams(scene: Scene, result: Result, words: Words) -> tuple[tuple[str, int, str], ...]:
    def team_names(is_re: bool) -> str:
        return ", ".join(name_of(scene, place) for place in range(SEATS) if (place in result.re) == is_re)

    eyes: dict[Team, int] = {"re": result.re_eyes, "contra": ALL - result.re_eyes}
    return tuple((team_name(team, words), number, team_names(team == "re")) for team, number in eyes.items())


@region(0, 1, BORDER, 3)
def _draw_head(canvas: Canvas, headline: tuple[str, str], teams: tuple[tuple[str, int, str], ...]) -> None:
    text, value = headline
    canvas.put(1, 1, text, Style.BOLD)
    canvas.put(BORDER - 1 - len(value), 1, value, Style.BOLD)
    for row, (team, eyes, players) in enumerate(teams, 2):
        canvas.put(1, row, f"{team:<7}{eyes:>4}  {players}"[: BORDER - 2])


@region(0, 4, BORDER, 1)
def _draw_first(canvas: Canvas, items: tuple[tuple[str, str], ...], width: int) -> None:
    _put_items(canvas, items, width, ITEM_ROWS[:1])


@region(0, HAND_ROW, BORDER, 5)
def _draw_others(canvas: Canvas, items: tuple[tuple[str, str], ...], width: int) -> None:
    _put_items(canvas, items, width, ITEM_ROWS[1:])


def _draw_items(canvas: Canvas, items: tuple[tuple[str, str], ...]) -> None:
    """Draw the items in one column, or in two if they are many."""
    columns = 1 if len(items) <= len(ITEM_ROWS) else 2
    width = (BORDER - 1) // columns
    _draw_first(canvas, items[:columns], width)
    _draw_others(canvas, items[columns:], width)


def _put_items(canvas: Canvas, items: Sequence[tuple[str, str]], width: int, rows: Sequence[int]) -> None:
    columns = (BORDER - 1) // width
    for at, (text, points) in enumerate(items[: columns * len(rows)]):
        column, row = 1 + width * (at % columns), rows[at // columns]
        canvas.put(column, row, text[: width - len(points) - 2])
        canvas.put(column + width - 1 - len(points), row, points)


# --- the table of rounds ----------------------------------------------------------------------------------------------


def draw_rounds(canvas: Canvas, scene: Scene, results: Sequence[Result], words: Words) -> None:
    """Draw every player's points of each round, in place of the messages."""
    _draw_rounds(canvas, names(scene), tuple((result.number, result.points) for result in results))


@region(0, TALK_ROW, COLUMNS, MESSAGES)
def _draw_rounds(canvas: Canvas, names: tuple[str, ...], rounds: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
    rows = MESSAGES - 1
    for start in range(0, len(rounds), rows):
        column = BLOCK * (start // rows)
        put_rounds(canvas, column, TALK_ROW, names, rounds[start : start + rows])


def put_rounds(
    canvas: Canvas, column: int, row: int, names: Sequence[str], rounds: Sequence[tuple[int, tuple[int, ...]]]
) -> None:
    """Draw some rounds below the beginnings of the names."""
    canvas.put(column + 3, row, "".join(f"{name[: POINTS - 1]:>{POINTS}}" for name in names), Style.GREEN)
    for line, (number, points) in enumerate(rounds, row + 1):
        canvas.put(column, line, f"{number:>3}", Style.DIM)
        canvas.put(column + 3, line, "".join(f"{one:>+{POINTS}}" for one in points))


# --- the end ----------------------------------------------------------------------------------------------------------


def final_order(view: View) -> tuple[tuple[int, int, int], ...]:
    """Return rank, place and points of each player, the best first; equal points share a rank."""
    totals = [player.total for player in view.players]
    order = sorted(range(SEATS), key=lambda place: -totals[place])
    return tuple((1 + sum(one > totals[place] for one in totals), place, totals[place]) for place in order)


def draw_order(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw the final order of a match."""
    lines = tuple((rank, name_of(scene, place), signed(points)) for rank, place, points in final_order(view))
    _draw_order(canvas, words("The match is over."), lines)


@region(0, HAND_ROW, BORDER, 5)
def _draw_order(canvas: Canvas, title: str, lines: tuple[tuple[int, str, str], ...]) -> None:
    canvas.put(1, HAND_ROW, title, Style.CYAN)
    for row, (rank, name, points) in enumerate(lines, HAND_ROW + 1):
        style = Style.BOLD if rank == 1 else Style.PLAIN
        canvas.put(2, row, f"{rank}. {name}", style)
        canvas.put(BORDER - 2 - len(points), row, points, style)
