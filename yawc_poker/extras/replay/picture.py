"""The screen of a replay: the table's own, with the keys of the replay, and a line that says where one is. Pure."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from yawc_poker.durations import clock
from yawc_poker.extras.replay.film import Film
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.scene import NO_SEAT
from yawc_poker.terminal.frame import Canvas, Frame, Piece, Row, Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

PACES: Final = (8.0, 4.0, 2.0, 1.0, 0.5)
"""Seconds between two moves, the slowest pace first."""


_KEY: Final = re.compile(r"(?:(?<=([└─]))|(?<=[ ]))\[\w\]")
"""A key of a card."""


class View(NamedTuple):
    """How somebody looks at a film now."""

    at: int = 0
    """The move."""
    eyes: int = NO_SEAT
    """Whose eyes they look by: a seat."""
    cards: bool = False
    """All cards that are open to them are shown."""
    plays: bool = False
    """It goes on by itself."""
    pace: int = 2
    """Place in `PACES`."""


def place(film: Film, view: View, words: Words) -> str:
    """Return where somebody is in a film: the move, its time, whose eyes they look by."""
    text = words(
        "Game {number}, move {n} of {last}, {time}",
        number=film.number,
        n=view.at,
        last=film.last,
        time=clock(film.moves[view.at].action.at),
    )
    return f"{text}, {whose(film, view.eyes, words)}"


def whose(film: Film, eyes: int, words: Words) -> str:
    """Return whose eyes are looked by."""
    return words("as everybody saw it") if eyes == NO_SEAT else words("as {name} saw it", name=film.names[eyes])


def way_keys(words: Words) -> list[str]:
    """Return the lines of the keys that lead about in a film."""
    return [
        words("[N] Next move   [B] Move before"),
        words("[T] Next trick  [E] Trick before"),
        words("[R] Next round  [W] Round before"),
        words("[<] Beginning   [>] End"),
        words("[P] By itself   [+] Faster [-] Slower"),
    ]


def look_keys(film: Film, words: Words, *, opens: bool, exports: bool) -> list[str]:
    """Return the other keys: those of an own game that may be laid open, and of one that may be written out."""
    seats = "".join(f"[{eyes + 1}]" for eyes in film.eyes)
    first, last = film.eyes[0] + 1, film.eyes[-1] + 1
    seats = f"[{first}]-[{last}]" if last - first == len(film.eyes) - 1 > 0 else seats
    return [
        words("[A] All cards"),
        f"{seats} " + words("Seen by"),
        *([words("[O] Open to all")] if opens else []),
        words("[L] Link"),
        *([words("[X] Text")] if exports else []),
        words("[Q] Back"),
    ]


def table(film: Film, view: View, words: Words, columns: int, rows: int) -> Frame:
    """Draw the table of a move as these eyes saw it, without a clock, and without the keys of its cards."""
    scene = replace(film.scene(view.at, view.eyes), turn=None, deadline=None)
    frame = film.game.face.layout.render(scene, film.local(view.at, view.eyes, words), words, columns, rows)
    hand = range(common.HAND_ROW, common.STATUS_ROW)
    return replace(frame, rows=tuple(_keyless(row) if at in hand else row for at, row in enumerate(frame.rows)))


def _keyless(row: Row) -> Row:
    """Return a row of the caller's cards without the keys on their edges, or below them."""
    text = _KEY.sub(lambda found: ("─" if found[1] else " ") * 3, row.text[: common.BORDER])
    return replace(row, text=text + row.text[common.BORDER :])


def picture(
    film: Film, view: View, words: Words, columns: int, rows: int, others: Sequence[str], notice: str = ""
) -> Frame:
    """Draw a move in a window that has room for a table; `others` are the keys besides those that lead about."""
    frame = table(film, view, words, columns, rows)
    canvas = Canvas(frame.columns, len(frame.rows))
    canvas.paste(Piece(0, 0, frame.columns, frame.rows))
    canvas.fill(common.RIGHT, common.COMMAND_ROW, common.WIDTH, common.COMMAND_ROWS)
    for row, line in enumerate(way_keys(words), common.COMMAND_ROW):
        _draw(canvas, common.RIGHT, row, line[: common.WIDTH])
    canvas.put(0, common.STATUS_ROW, " " * common.COLUMNS, Style.BAR)
    pace = words("a move in {seconds:g} s", seconds=PACES[view.pace]) if view.plays else ""
    canvas.put(1, common.STATUS_ROW, f"{place(film, view, words)}   {pace}"[: common.COLUMNS - 2], Style.BAR)
    if view.cards:
        _draw_cards(canvas, film, view, words)
    last = min(len(frame.rows), common.ROWS) - 1
    canvas.fill(0, last, common.COLUMNS, 1)
    if last == common.INPUT_ROW:
        canvas.put(0, common.LOWER_LINE, "─" * common.COLUMNS, Style.FELT)
    if notice:
        canvas.put(0, last, notice[: common.COLUMNS - 1], Style.ALERT)
    else:
        _draw(canvas, 0, last, "  ".join(others)[: common.COLUMNS - 1])
    return canvas.frame()


def _draw(canvas: Canvas, column: int, row: int, line: str) -> None:
    canvas.put(column, row, line)
    common.draw_keys(canvas, column, row, line)


def _draw_cards(canvas: Canvas, film: Film, view: View, words: Words) -> None:
    """Draw everybody's cards in the place of the messages."""
    canvas.fill(0, common.TALK_ROW, common.COLUMNS, common.LOWER_LINE - common.TALK_ROW)
    lines = [
        (part, Style.BOLD if number == 0 else Style.PLAIN)
        for name, cards in film.hands(view.at, words)
        for number, part in enumerate([f"{name}:", *(f"  {line}" for line in wrap(cards, common.COLUMNS - 4))])
    ]
    for row, (text, style) in enumerate(lines[: common.LOWER_LINE - common.TALK_ROW], common.TALK_ROW):
        canvas.put(0, row, text, style)
