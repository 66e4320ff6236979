"""The table on the screen, except the game: lines, messages, status, chat line, notices (spec/poker.md 11). Pure.

Owns the fixed places of the regions that all games share, on 80 columns and 24 lines; they stay at the top left of a
bigger window. A window of 23 lines goes without line 23; a smaller one is drawn by `table_ui.layout`, a narrow one from
these very regions.

    lines  1 to  5   1 the others (columns 1 to 40)   | 2 the game (columns 41 to 80)
    line   6         8 counter of X-messages
    lines  7 to 11   3 the caller's cards             | 4 commands, prompts, errors, reasons
    line  12         5 status: name, CUBES, clock
    lines 13 to 22   6 the last ten messages
    line  24         7 the chat line

Owns also what changes of a screen that is drawn already: its clock moves on (`clock_cells`), and its status line calls
the caller, by its style and by a sign (`lit`). A game may draw more in a larger window (`size`): at the right from
`WIDE` columns on, below from `HIGH` rows on.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from yawc_poker.engine.game import ViewT
from yawc_poker.table_ui import onlookers
from yawc_poker.table_ui.added_keys import added_keys
from yawc_poker.table_ui.scene import Local, Occupant, Scene, shown_seconds
from yawc_poker.table_ui.speech import more_games_out, still_to_wait
from yawc_poker.terminal.frame import Canvas, Frame, Row, Style, region
from yawc_poker.terminal.widgets import CARD_HEIGHT, MESSAGES, Talk, wrap
from yawc_poker.words import Words

COLUMNS = 80
ROWS = 24
FEWEST_ROWS = 23
"""Rows of the smallest window that can show a table."""

NARROW_ROWS = 22
"""Rows of the smallest window that shows a table's regions below each other."""

NAME = 20
"""Cells of a name."""
BORDER = 40
"""Column of the line between the left and right regions."""
RIGHT = 42
"""First column of the right regions' text."""
WIDTH = 38
"""Cells of the right regions' text."""
COUNTER_ROW = 5
HAND_ROW = 6
COMMAND_ROW = 6
COMMAND_ROWS = 5
STATUS_ROW = 11
TALK_ROW = 12
LOWER_LINE = 22
INPUT_ROW = 23
WATCHING = 60
"""Cells of the lower line for the names of those who look on."""
CLOCK = 9
"""Most cells of the clock."""
HURRY = 10
"""Seconds left from which the clock is drawn as an alert."""
WIDE = 120
"""Columns of a window that has room at the right."""
WIDEST = 132
HIGH = 30
"""Rows of a window that has room below."""
HIGHEST = 60

_CALLS = bytes(Style.TURN if style == Style.BAR else style for style in range(256))
"""How a status line looks while it calls."""
_KEY = re.compile(r"(\[[^\]]+\])")
"""A key in a line of commands."""

Cursor = tuple[int, int] | None


def is_too_small(columns: int, rows: int) -> bool:
    """Return whether a window is too small for a table."""
    return columns < COLUMNS or rows < FEWEST_ROWS


def is_narrow(columns: int, rows: int) -> bool:
    """Return whether a window that is too small for a table has room for its regions below each other."""
    return is_too_small(columns, rows) and columns >= BORDER and rows >= NARROW_ROWS


def shows_table(frame: Frame) -> bool:
    """Return whether a frame shows a whole table, not the lines for a window that is too small."""
    return not is_too_small(frame.columns, len(frame.rows))


class Size(NamedTuple):
    """The size of a frame."""

    columns: int
    rows: int


def size(columns: int, rows: int) -> Size:
    """Return the size that is drawn in a window by a game that has more to show: a table, and what is of use beyond."""
    return Size(min(columns, WIDEST) if columns >= WIDE else COLUMNS, min(rows, HIGHEST) if rows >= HIGH else ROWS)


def fitted(frame: Frame, rows: int) -> Frame:
    """Return a table's screen for a window of `rows` rows; if one row is missing, the lower line is left out."""
    if rows >= ROWS:
        return frame
    at = frame.cursor
    cursor = (at[0], at[1] - 1) if at is not None and at[1] > LOWER_LINE else at
    return Frame(frame.columns, (*frame.rows[:LOWER_LINE], *frame.rows[LOWER_LINE + 1 :]), cursor)


@region(0, 0, COLUMNS, ROWS)
def draw_lines(canvas: Canvas, left: str, right: str, words: Words) -> None:
    """Draw the lines between the regions, with titles of the upper two, and in the lowest how to get help."""
    for row in (0, COUNTER_ROW, LOWER_LINE):
        canvas.put(0, row, "─" * COLUMNS, Style.FELT)
    canvas.fill(BORDER, 0, 1, STATUS_ROW, "│", Style.FELT)
    canvas.put(BORDER, 0, "┬", Style.FELT)
    canvas.put(BORDER, COUNTER_ROW, "┼", Style.FELT)
    draw_title(canvas, 1, 0, left[: BORDER - 4])
    draw_title(canvas, RIGHT, 0, right[: WIDTH - 3])
    hint = words("[?] Help")
    draw_title(canvas, COLUMNS - len(hint) - 3, LOWER_LINE, hint)


def draw_title(canvas: Canvas, column: int, row: int, title: str) -> None:
    """Draw a title into a line, if there is one."""
    if title:
        canvas.put(column, row, f" {title} ", Style.GREEN)


def draw_fields(canvas: Canvas, scene: Scene[ViewT], words: Words, *more: tuple[str, str, Style]) -> None:
    """Draw the game's region, a label and a value in each line: the master, who is on turn, and `more`."""
    current = (scene.current or "") if scene.running else words("NO GAME")
    turn = (words("Turn:"), current, Style.BOLD if scene.turn is None else Style.NEWEST)
    _draw_fields(canvas, (words("Master:"), scene.master, Style.BOLD), turn, *more)


@region(RIGHT, 1, WIDTH, COUNTER_ROW - 1)
def _draw_fields(canvas: Canvas, *lines: tuple[str, str, Style]) -> None:
    indent = max(len(label) for label, _, _ in lines) + 1
    for row, (label, value, style) in enumerate(lines, 1):
        canvas.put(RIGHT, row, label)
        canvas.put(RIGHT + indent, row, value[: WIDTH - indent], style)


@region(0, 1, BORDER, COUNTER_ROW - 1)
def draw_people(canvas: Canvas, people: tuple[Occupant, ...], words: Words) -> None:
    """Draw the names of the others at the table, where no game runs."""
    if not people:
        canvas.put(0, 1, nobody(words)[:BORDER], Style.DIM)
    for row, person in enumerate(people, 1):
        canvas.put(0, row, named(person, BORDER, words), Style.BOLD)


def named(person: Occupant, room: int, words: Words) -> str:
    """Return somebody's name in at most `room` cells, with a mark if they are not there: in words, if there is room."""
    if person.absent is None:
        return person.name[:room]
    told = {"away": words("(away)"), "line": words("(no line)"), "out": words("(sits out)")}
    marks = (told[person.absent], "(-)")
    mark = next((mark for mark in marks if len(person.name) + 1 + len(mark) <= room), marks[-1])
    return f"{person.name[: max(room - len(mark) - 1, 1)]} {mark}"[:room]


def draw_counter(canvas: Canvas, scene: Scene[ViewT], words: Words) -> None:
    """Draw the number of waiting X-messages, if any, and in the lower line who looks on."""
    if scene.waiting > 0:
        text = words.count("{n} X-message", "{n} X-messages", scene.waiting)
        canvas.put(1, COUNTER_ROW, f"┤ {text} ├"[:BORDER], Style.NEWEST)
    if scene.watching:
        draw_title(canvas, 1, LOWER_LINE, onlookers.watching(scene.watching, WATCHING, words))


@region(0, HAND_ROW, BORDER, CARD_HEIGHT)
def draw_info(canvas: Canvas, text: str) -> None:
    """Draw a text in place of the caller's cards."""
    for row, line in enumerate(wrap(text, BORDER - 4)[: CARD_HEIGHT - 1], HAND_ROW + 1):
        canvas.put(2, row, line, Style.CYAN)


@region(RIGHT, COMMAND_ROW, WIDTH, COMMAND_ROWS)
def draw_commands(canvas: Canvas, lines: tuple[str, ...], notice: str) -> None:
    """Draw the lines of the command area, their keys in colour, and a notice in the rows that are left."""
    for row, line in enumerate(lines, COMMAND_ROW):
        canvas.put(RIGHT, row, line[:WIDTH])
        draw_keys(canvas, RIGHT, row, line[:WIDTH])
    _draw_notice(canvas, notice, COMMAND_ROWS - len(lines))


def draw_keys(canvas: Canvas, column: int, row: int, line: str) -> None:
    """Draw the keys in a line of commands in colour."""
    # Not by `finditer`: each call leaves a string in CPython's cache of methods, in the end 0.2 MB.
    for at, part in enumerate(_KEY.split(line)):
        if at % 2:
            canvas.put(column, row, part, Style.GREEN)
        column += len(part)


def _draw_notice(canvas: Canvas, text: str, room: int) -> None:
    lines = wrap(text, WIDTH - 2)[: max(room, 0)]
    width = max(map(len, lines), default=0)
    for row, line in enumerate(lines, COMMAND_ROW + COMMAND_ROWS - len(lines)):
        canvas.put(RIGHT, row, f" {line:<{width}} ", Style.ALERT)


def start_line(words: Words) -> str:
    """Return the line of the key that starts a game."""
    return words("[S] Start a game")


def nobody(words: Words) -> str:
    """Return what somebody reads who sits alone."""
    return words("Nobody yet.")


def before_start(scene: Scene[ViewT], words: Words) -> str:
    """Return what somebody reads who waits for the first game."""
    if scene.is_master and scene.people:
        return words("You begin the game: press S.")
    return words("The game begins when the master starts it.")


def next_game(scene: Scene[ViewT], words: Words) -> str:
    """Return what somebody reads who watches a game that they are not in."""
    if scene.looks_on:
        return onlookers.place(words)
    return unless_out(scene, words("You can play in the next game."), words)


def sits_out(words: Words) -> str:
    """Return what somebody reads who sits out, until they are back."""
    return words("You sit out: your time ran out. Any key brings you back.")


def unless_out(scene: Scene[ViewT], text: str, words: Words) -> str:
    """Return what stands in the place of the caller's cards: this text, or that they sit out, and for how long."""
    if scene.out:
        return more_games_out(scene.out, words)
    return sits_out(words) if scene.sits_out else text


def chat_lines(words: Words) -> list[str]:
    """Return the command area's lines while a chat message is typed."""
    return [words("[ENTER] Send the message"), words("[ESC] Back")]


def at_any_time(words: Words, *, chats: bool) -> str:
    """Return the keys that work at any time, in one line."""
    return words("[.] Chat   [X] Leave the table") if chats else words("[X] Leave the table")


def command_lines(
    local: Local, prompt: Sequence[str], more: Sequence[str], notice: str, words: Words, *, chats: bool
) -> list[str]:
    """Return the lines of the command area: a prompt, or the keys that work at any time and `more`.

    The former keys share a line if a notice needs the room, and in a prompt, where a notice may take even that line.
    Where a line is left, it has the keys for house players; beside a notice, such as that one is alone, they share one
    to leave it. So they do for the keys of extras.
    """
    if local.mode == "chat":
        return list(prompt)
    if local.mode != "menu":
        return [*prompt, at_any_time(words, chats=chats)] if len(prompt) < _room(notice) else list(prompt)
    always = [words("[.] Send a chat message"), words("[X] Leave the table")]
    always = always if chats else always[1:]
    shared, room = [at_any_time(words, chats=chats)], _room(notice)
    house, added = house_lines(local, words), added_lines(local, words)
    for first in (always, shared) if notice or added else (always,):
        if len(first) + len(house) + len(added) + len(more) <= room:
            return [*first, *house, *added, *more]
    return [*(always if len(always) + len(more) <= room else shared), *more]


def house_lines(local: Local, words: Words) -> list[str]:
    """Return the line of the keys for house players, or of those of an on-looker, if they mean something now."""
    if not local.house:
        return []
    texts = {
        "+": words("[+] A house player joins"),
        "-": words("[-] A house player goes"),
        "+-": words("[+] A house player joins   [-] goes"),
    }
    texts.update(onlookers.keys(words))
    return [texts[local.house]] if local.house in texts else []


def whole_lines(local: Local, words: Words) -> list[str]:
    """Return the keys for house players, of an on-looker and of extras that mean something now, each with all its text.

    Where two share a line, that of the second is short.
    """
    alone = (replace(local, house=key) for key in local.house)
    return [*(line for one in alone for line in house_lines(one, words)), *added_lines(local, words)]


def added_lines(local: Local, words: Words) -> list[str]:
    """Return the line of the keys of extras that mean something now."""
    found = [words(added_keys()[key].text) for key in local.added]
    return ["   ".join(found)] if found else []


def _room(notice: str) -> int:
    """Return the rows of the command area beside a notice."""
    return COMMAND_ROWS - len(wrap(notice, WIDTH - 2))


def draw_number(canvas: Canvas, indent: int, local: Local) -> Cursor:
    """Draw the number being typed in the command area's second line, after a prompt of `indent` cells."""
    column = min(RIGHT + indent + 1, COLUMNS - 2)  # after the longest bounds there is still room for one digit
    text, position = local.editor.visible(COLUMNS - column - 1)
    canvas.put(column, COMMAND_ROW + 1, text, Style.BOLD)
    return column + position, COMMAND_ROW + 1


def notice(scene: Scene[ViewT], local: Local, words: Words) -> str:
    """Return the notice of the command area; that one sits out is more than a notice, and goes with it only."""
    if scene.sits_out:
        return sits_out(words)
    seconds = math.ceil(scene.pause_until - scene.now) if local.waits else 0
    if seconds > 0:
        return still_to_wait(seconds, words)
    if local.mode == "chat" and scene.turn is not None and not local.notice:
        return words("It is your turn!")
    return local.notice


def draw_status(canvas: Canvas, scene: Scene[ViewT], text: str) -> None:
    """Draw the status line: the caller's name, a text of the game's, the caller's clock."""
    canvas.put(0, STATUS_ROW, " " * COLUMNS, Style.BAR)
    canvas.put(1, STATUS_ROW, f"{scene.name[:NAME]}   {text}"[: COLUMNS - CLOCK - 1], Style.BAR)
    if scene.deadline is not None:
        clock, style = clock_text(shown_seconds(scene))
        canvas.put(COLUMNS - len(clock), STATUS_ROW, clock, style)


def clock_text(seconds: int) -> tuple[str, Style]:
    """Return a clock that shows `seconds`, and its style."""
    return f" {seconds // 60}:{seconds % 60:02} ", Style.ALERT if seconds <= HURRY else Style.BAR


def lit(frame: Frame) -> Frame:
    """Return a screen whose whole status line calls the caller: by its style, and by a ``>`` at its beginning.

    Where the window is too small for a table it is the first line, which says whose turn it is.
    """
    if not shows_table(frame):
        row = frame.rows[0]
        return Frame(frame.columns, (Row(row.text, bytes([Style.TURN]) * len(row.text)), *frame.rows[1:]), frame.cursor)
    row = frame.rows[STATUS_ROW]
    called = Row(">" + row.text[1:], row.styles.translate(_CALLS))
    return Frame(frame.columns, (*frame.rows[:STATUS_ROW], called, *frame.rows[STATUS_ROW + 1 :]), frame.cursor)


def clock_cells(frame: Frame, seconds: int) -> tuple[int, int, str, Style] | None:
    """Return column, row, text and style of the caller's clock at `seconds`, with blanks over a longer one before it.

    None if the clock's style differs from that of the blanks. `frame` shows a table.
    """
    clock, style = clock_text(seconds)
    text, ground = f"{clock:>{CLOCK}}", Style(frame.rows[STATUS_ROW].styles[0])
    return (COLUMNS - len(text), STATUS_ROW, text, ground) if style is Style.BAR else None


@region(0, TALK_ROW, COLUMNS, MESSAGES)
def draw_talk(canvas: Canvas, talk: Talk) -> None:
    """Draw the last ten messages."""
    talk.draw(canvas, 0, TALK_ROW, COLUMNS)


def draw_edge(canvas: Canvas) -> None:
    """Draw the line between a table and what a wide window shows beside it."""
    if canvas.columns > COLUMNS:
        canvas.fill(COLUMNS, 0, 1, canvas.rows, "│", Style.FELT)


def draw_past(canvas: Canvas, row: int, past: Sequence[tuple[str, Style]], words: Words) -> None:
    """Draw the messages that came in below a table, in their order, the newest at the bottom, if there is room."""
    room = canvas.rows - row - 1
    if room < 0:
        return
    canvas.put(0, row, "─" * COLUMNS, Style.FELT)
    draw_title(canvas, 1, row, words("Messages"))
    for line, (text, style) in enumerate(past[-room:], row + 1):
        canvas.put(0, line, text[: COLUMNS - 1], style)


def draw_input(canvas: Canvas, scene: Scene[ViewT], local: Local) -> Cursor:
    """Draw the chat line while it is open."""
    if local.mode != "chat":
        return None
    prompt = f"{scene.name[:NAME]}: "
    text, position = local.editor.visible(COLUMNS - len(prompt) - 1)
    canvas.put(0, INPUT_ROW, prompt, Style.BOLD)
    canvas.put(len(prompt), INPUT_ROW, text)
    return len(prompt) + position, INPUT_ROW
