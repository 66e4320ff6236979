"""The table in a window that is too small for it: as lines of text, the most important first. Pure.

Owns what such a window shows: whose turn it is, the caller's clock, how to leave, the keys, the caller's cards, a
prompt with its text. Never raises; lines that do not fit are cut off. The same lines tell a page around the terminal
which keys it is to show as buttons.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from yawc_poker.engine.game import ViewT
from yawc_poker.page.offers import asks_yes_or_no, merged, offered, yes_or_no
from yawc_poker.page.protocol import Offer, Offers
from yawc_poker.table_ui.beside.lines import watching
from yawc_poker.table_ui.keys import HELP
from yawc_poker.table_ui.scene import Local, Scene, shown_seconds
from yawc_poker.table_ui.screen import (
    COLUMNS,
    FEWEST_ROWS,
    ROWS,
    Cursor,
    at_any_time,
    chat_lines,
    clock_text,
    draw_keys,
    house_lines,
    notice,
)
from yawc_poker.terminal.frame import Canvas, Frame, Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words


class Small(NamedTuple):
    """A game's own part of a small window; the rest is the same in all games."""

    commands: Sequence[str]
    """Keys or a prompt, without the keys that work at any time."""
    cards: str = ""
    """The caller's cards, with what else they need to know."""
    number: int | None = None
    """Index of the command after which a number is being typed; None: no number is asked for."""
    keys: tuple[Offer, ...] = ()
    """Keys whose meaning stands neither in the commands nor beside the cards."""


def offers(scene: Scene[ViewT], local: Local, words: Words, small: Small) -> Offers:
    """Return the keys that mean something now, for a page: those of the command area, and those of the cards."""
    turn = scene.turn is not None
    if local.helps:
        return Offers("menu", (Offer("ENTER", words("Back")),), turn)
    if local.mode == "chat":
        return Offers("line", offered(chat_lines(words)), turn)
    answers = yes_or_no(words) if asks_yes_or_no(small.commands) else ()
    house = house_lines(local, words) if local.mode == "menu" else []
    always = offered([at_any_time(words, chats=scene.chats)])
    more = (*always, Offer(HELP, words("Help")))
    keys = merged(answers, offered(small.commands), offered([small.cards]), small.keys, offered(house), more)
    return Offers("menu" if small.number is None else "line", keys, turn)


def small_frame(scene: Scene[ViewT], local: Local, words: Words, columns: int, rows: int, small: Small) -> Frame:
    """Draw a table in a window that is too small for it; the frame is never larger than a table."""
    canvas = Canvas(min(columns, COLUMNS), min(rows, ROWS))
    head = _broken(_head(scene, words), canvas.columns)
    own = house_lines(local, words) if scene.looks_on and local.mode == "menu" else []
    commands = [_broken([(line, Style.PLAIN)], canvas.columns) for line in (*small.commands, *own)]
    rest = _broken(_rest(scene, local, words, small, (columns, rows)), canvas.columns)
    lines = [*head, *chain.from_iterable(commands), *rest]
    room = canvas.rows - (local.mode == "chat")
    lines += _broken(local.talk.latest(max(room - len(lines), 0)), canvas.columns)
    for row, (text, style) in enumerate(lines[:room]):
        canvas.put(0, row, text, style)
        if style is Style.PLAIN:
            draw_keys(canvas, 0, row, text)
    if local.mode == "chat":
        return canvas.frame(_draw_typed(canvas, f"{scene.name}: ", room, local))
    if small.number is None:
        return canvas.frame()
    row = len(head) + sum(map(len, commands[: small.number + 1])) - 1
    return canvas.frame(_draw_typed(canvas, lines[row][0] + " ", row, local) if row < room else None)


def _head(scene: Scene[ViewT], words: Words) -> list[tuple[str, Style]]:
    """Return whose turn it is, the caller's clock, and how to leave."""
    current = (scene.current or "") if scene.running else words("NO GAME")
    clock = "" if scene.deadline is None else "  " + clock_text(shown_seconds(scene))[0].strip()
    style = Style.BOLD if scene.turn is None else Style.NEWEST
    return [(f"{words('Turn:')} {current}{clock}", style), (at_any_time(words, chats=scene.chats), Style.PLAIN)]


def _rest(
    scene: Scene[ViewT], local: Local, words: Words, small: Small, window: tuple[int, int]
) -> list[tuple[str, Style]]:
    """Return the notice, the caller's cards, and why the table is not shown."""
    columns, rows = window
    text = words(
        "Your window has {columns}x{rows} characters, the table needs {need_columns}x{need_rows}.",
        columns=columns,
        rows=rows,
        need_columns=COLUMNS,
        need_rows=FEWEST_ROWS,
    )
    told = (
        (notice(scene, local, words), Style.ALERT),
        (small.cards, Style.BOLD),
        (text, Style.YELLOW),
        (watching(scene.watching, COLUMNS, words), Style.GREEN),
    )
    return [(line, style) for line, style in told if line]


def _broken(lines: Sequence[tuple[str, Style]], columns: int) -> list[tuple[str, Style]]:
    return [(part, style) for text, style in lines for part in wrap(text, columns)]


def _draw_typed(canvas: Canvas, prompt: str, row: int, local: Local) -> Cursor:
    """Draw the text being typed after a prompt, which is shortened in a very narrow window."""
    prompt = prompt[: canvas.columns // 2] if len(prompt) > canvas.columns - 4 else prompt
    text, position = local.editor.visible(canvas.columns - len(prompt) - 1)
    canvas.put(0, row, prompt, Style.BOLD)
    canvas.put(len(prompt), row, f"{text:<{canvas.columns - len(prompt)}}")
    return len(prompt) + position, row
