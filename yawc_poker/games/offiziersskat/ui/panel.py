"""All tricks of the round, and the results of all rounds: in place of the messages, or in a larger window. Pure.

The table stays at the top left. A wide window has the tricks and the rounds at its right, and above them the present
trick, larger, if it is high, too; a high one has more messages below, and above them the tricks and the rounds if it is
not wide.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from yawc_poker.games.offiziersskat.model import SEATS, TRICKS, Result, Trick, View
from yawc_poker.games.offiziersskat.ui.board import laid
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene, name_of, shown_trick, sides
from yawc_poker.games.offiziersskat.ui.speech import trump_sign
from yawc_poker.table_ui.screen import COLUMNS, ROWS, TALK_ROW
from yawc_poker.table_ui.speech import card_text
from yawc_poker.terminal import widgets
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import TRICK_ROWS
from yawc_poker.tricks import eyes
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


class Shown(NamedTuple):
    """A card of a trick."""

    text: str
    style: Style
    leads: bool
    takes: bool


class TrickLine(NamedTuple):
    """A trick."""

    cards: tuple[Shown, ...]
    """In the order of the columns."""
    eyes: int


class RoundLine(NamedTuple):
    """A round."""

    number: int
    sign: str
    """Of the trump."""
    points: tuple[int, ...]
    """In the order of the columns."""


class Tables(NamedTuple):
    """Both tables."""

    names: tuple[str, ...]
    """Of the columns: the player at the bottom first."""
    tricks: tuple[TrickLine, ...]
    rounds: tuple[RoundLine, ...]


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
    _draw_page(canvas, _tables(scene, view, words))


# --- what they hold ---------------------------------------------------------------------------------------------------


def _tables(scene: Scene, view: View, words: Words) -> Tables:
    order = [player.seat for player in sides(view)]
    return Tables(
        tuple(name_of(scene, seat) for seat in order),
        tuple(_trick(trick, order, words) for trick in view.round.tricks),
        tuple(_round(result, order, words) for result in view.results),
    )


def _trick(trick: Trick, order: Sequence[int], words: Words) -> TrickLine:
    cards = ((seat, trick.cards[int(seat != trick.leader)]) for seat in order)
    return TrickLine(
        tuple(
            Shown(card_text(card, words), widgets.card_style(str(card)), seat == trick.leader, seat == trick.taker)
            for seat, card in cards
        ),
        eyes(trick.cards),
    )


def _round(result: Result, order: Sequence[int], words: Words) -> RoundLine:
    points = tuple(result.points[seat] for seat in order)
    return RoundLine(result.number, trump_sign(result.trump, words), points)


# --- where they stand -------------------------------------------------------------------------------------------------


def _draw_right(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw the present trick and all tricks at the right of the table, and the rounds that there is room for."""
    above = _draw_present(canvas, scene, view, words)
    tables, row = _tables(scene, view, words), above + HEIGHT + 1
    _draw_title(canvas, LEFT, above, view, words)
    _put_tricks(canvas, LEFT, above + 1, tables, TRICKS)
    room, blocks = canvas.rows - row - 2, (canvas.columns - LEFT) // ROUND
    if room > 0 and tables.rounds:
        canvas.put(LEFT, row, words("Rounds"), Style.GREEN)
        _put_rounds(canvas, LEFT, row + 1, tables._replace(rounds=tables.rounds[-room * blocks :]), room)


def _draw_present(canvas: Canvas, scene: Scene, view: View, words: Words) -> int:
    """Draw the trick that the table shows, larger, if there is room for it, and return the row after it."""
    if not scene.running or canvas.rows < TRICK_ROWS + HEIGHT + FEWEST:
        return 0
    complete = shown_trick(view)
    title = words("Trick:")
    if complete is not None:
        title = words("{n} for {name}", n=eyes(complete.cards), name=name_of(scene, complete.taker))
    widgets.draw_large_trick(canvas, LEFT, 0, title, laid(scene, view, words), SEATS)
    return TRICK_ROWS


def _draw_below(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw the tricks and the rounds side by side below the table."""
    tables = _tables(scene, view, words)
    _draw_title(canvas, 0, ROWS, view, words)
    _put_tricks(canvas, 0, ROWS + 1, tables, TRICKS)
    if tables.rounds:
        canvas.put(BESIDE, ROWS, words("Rounds"), Style.GREEN)
        _put_rounds(canvas, BESIDE, ROWS + 1, tables, TRICKS)


def _draw_title(canvas: Canvas, column: int, row: int, view: View, words: Words) -> None:
    if view.round.tricks:
        canvas.put(column, row, words("Tricks of round {n}", n=view.round.number), Style.GREEN)


@region(0, TALK_ROW, COLUMNS, widgets.MESSAGES)
def _draw_page(canvas: Canvas, tables: Tables) -> None:
    _put_tricks(canvas, 0, TALK_ROW, tables, TRICKS // 2)
    _put_rounds(canvas, BESIDE, TALK_ROW, tables, widgets.MESSAGES - 1)


# --- drawing ----------------------------------------------------------------------------------------------------------


def _put_tricks(canvas: Canvas, column: int, row: int, tables: Tables, room: int) -> None:
    """Draw the tricks below the names, in blocks of `room` lines.

    A ``>`` stands before the card that led, a ``!`` behind the one that took the trick.
    """
    for start in range(0, len(tables.tricks), room):
        left = column + (TRICK + SPACE) * (start // room)
        for at, name in enumerate(tables.names):
            canvas.put(left + 4 + CELL * at, row, name[: CELL - 1], Style.BOLD)
        for line, trick in enumerate(tables.tricks[start : start + room], 1):
            _put_trick(canvas, left, row + line, start + line, trick)


def _put_trick(canvas: Canvas, column: int, row: int, number: int, trick: TrickLine) -> None:
    canvas.put(column, row, f"{number:>2}", Style.DIM)
    for at, card in enumerate(trick.cards):
        left = column + 3 + CELL * at
        canvas.put(left, row, ">" if card.leads else "", Style.CYAN)
        canvas.put(left + 1, row, card.text, card.style)
        canvas.put(left + 5, row, "!" if card.takes else "", Style.NEWEST)
    canvas.put(column + TRICK - 2, row, f"{trick.eyes:>2}", Style.CYAN)


def _put_rounds(canvas: Canvas, column: int, row: int, tables: Tables, room: int) -> None:
    """Draw each round with its trump and the points of both, below the beginnings of the names, in blocks."""
    names = "".join(f"{name[: POINTS - 1]:>{POINTS}}" for name in tables.names)
    for start in range(0, len(tables.rounds), room):
        left = column + ROUND * (start // room)
        canvas.put(left + 4, row, names, Style.GREEN)
        for at, line in enumerate(tables.rounds[start : start + room], 1):
            points = "".join(f"{one:>{POINTS}}" for one in line.points)
            canvas.put(left, row + at, f"{line.number:>2}", Style.DIM)
            canvas.put(left + 3, row + at, f"{line.sign}{points}")
