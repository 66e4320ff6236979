"""The poker table on the screen: scene and local state in, frame out (spec/poker.md 11). Pure.

Owns the fixed places of the eight regions on 80 columns and 24 lines; they stay at the top left of a bigger window, and
a smaller one shows nothing but its size. Never shows what `Scene.game` does not hold. `render` never raises.

    lines  1 to  5   1 the others (columns 1 to 40)   | 2 the game (columns 41 to 80)
    line   6         8 counter of X-messages
    lines  7 to 11   3 one's own cards                | 4 commands, prompts, errors, reasons
    line  12         5 status: name, CUBES, clock
    lines 13 to 22   6 the last ten messages
    line  24         7 the chat line

The whole screen of the game for whoever runs it: `scene`, `press`, `follow`, `hear`, `refused`, `render`.
"""

import math
import re

from yawc_poker.cards import Card
from yawc_poker.games.poker.keys import Action, Leave, Play, Say, Start, follow, hear, press, refused
from yawc_poker.games.poker.model import HAND, View
from yawc_poker.games.poker.scene import Local, Person, Scene, scene, usable
from yawc_poker.games.poker.speech import still_to_wait
from yawc_poker.terminal.frame import Canvas, Frame, Style
from yawc_poker.terminal.widgets import CARD_HEIGHT, CARD_STEP, card_style, draw_card, too_small, wrap
from yawc_poker.words import Words

__all__ = [
    "Action",
    "Leave",
    "Local",
    "Person",
    "Play",
    "Say",
    "Scene",
    "Start",
    "follow",
    "hear",
    "press",
    "refused",
    "render",
    "scene",
]

COLUMNS = 80
ROWS = 24

NAME = 20
"""Cells of a name."""
BORDER = 40
"""Column of the line between the left and the right regions."""
RIGHT = 42
"""First column of the right regions' text."""
WIDTH = 38
"""Cells of the right regions' text."""
COUNTER_ROW = 5
HAND_ROW = 6
HAND_COLUMN = 3
COMMAND_ROW = 6
COMMAND_ROWS = 5
STATUS_ROW = 11
TALK_ROW = 12
LOWER_LINE = 22
INPUT_ROW = 23
HURRY = 10
"""Seconds left from which the clock is drawn as an alert."""

Cursor = tuple[int, int] | None


def render(scene: Scene, local: Local, words: Words, columns: int, rows: int) -> Frame:
    """Draw the table as one caller sees it in a window of `columns` by `rows` cells."""
    if columns < COLUMNS or rows < ROWS:
        return too_small(columns, rows, _size_text(words, columns, rows))
    canvas = Canvas(columns, rows)
    _draw_lines(canvas, words)
    _draw_people(canvas, scene, words)
    _draw_game(canvas, scene, words)
    _draw_counter(canvas, scene, words)
    _draw_hand(canvas, scene, local, words)
    command_cursor = _draw_commands(canvas, scene, local, words)
    _draw_status(canvas, scene)
    local.talk.draw(canvas, 0, TALK_ROW, COLUMNS)
    return canvas.frame(_draw_input(canvas, scene, local) or command_cursor)


def _size_text(words: Words, columns: int, rows: int) -> str:
    return words(
        "Your window has {columns}x{rows} characters, the table needs {need_columns}x{need_rows}.",
        columns=columns,
        rows=rows,
        need_columns=COLUMNS,
        need_rows=ROWS,
    )


def _draw_lines(canvas: Canvas, words: Words) -> None:
    for row in (0, COUNTER_ROW, LOWER_LINE):
        canvas.put(0, row, "─" * COLUMNS, Style.FELT)
    canvas.fill(BORDER, 0, 1, STATUS_ROW, "│", Style.FELT)
    canvas.put(BORDER, 0, "┬", Style.FELT)
    canvas.put(BORDER, COUNTER_ROW, "┼", Style.FELT)
    _draw_title(canvas, 1, words("With you at the table"))
    _draw_title(canvas, RIGHT, words("Game"))


def _draw_title(canvas: Canvas, column: int, title: str) -> None:
    canvas.put(column, 0, f" {title} ", Style.GREEN)


# --- region 1: the others --------------------------------------------------------------------------------------------


def _draw_people(canvas: Canvas, scene: Scene, words: Words) -> None:
    if not scene.people:
        canvas.put(0, 1, words("Nobody yet.")[:BORDER], Style.DIM)
    for row, person in enumerate(scene.people, 1):
        active, cards = _seen(scene.game, person.seat)
        signs = [(f"[{card}]", card_style(str(card))) for card in cards or ()]
        if cards is None and active:
            signs = [("[?]", Style.CARD_BACK)] * HAND
        start = _draw_cards(canvas, row, signs, BORDER - len(person.name) - 1)
        canvas.put(0, row, person.name[: start - 1], Style.BOLD if active or cards else Style.PLAIN)


def _seen(game: View | None, seat: int) -> tuple[bool, tuple[Card, ...] | None]:
    """Tell whether the one in this seat is active, and his open cards."""
    other = None if game is None else next((other for other in game.opponents if other.seat == seat), None)
    return (False, None) if other is None else (other.active, other.cards)


def _draw_cards(canvas: Canvas, row: int, signs: list[tuple[str, Style]], room: int) -> int:
    """Draw cards flush with the border and give the column they start at; a long name beside four tens loses its tail.

    Blanks stand between them where they fit into `room`.
    """
    width, gaps = sum(len(sign) for sign, _ in signs), max(len(signs) - 1, 0)
    gap = 1 if width + gaps <= room else 0
    column = start = BORDER - width - gap * gaps
    for sign, style in signs:
        canvas.put(column, row, sign, style)
        column += len(sign) + gap
    return start


# --- region 2: the game ----------------------------------------------------------------------------------------------


def _draw_game(canvas: Canvas, scene: Scene, words: Words) -> None:
    no_game = words("NO GAME")
    current = (scene.current or "") if scene.running else no_game
    lines = (
        (words("Master:"), scene.master, Style.BOLD),
        (words("Turn:"), current, Style.BOLD if scene.turn is None else Style.NEWEST),
        (words("Pot:"), no_game if scene.pot is None else f"{scene.pot} CUBES", Style.BOLD),
        (words("Round:"), _round(scene, words), Style.BOLD),
    )
    indent = max(len(label) for label, _, _ in lines) + 1
    for row, (label, value, style) in enumerate(lines, 1):
        canvas.put(RIGHT, row, label)
        canvas.put(RIGHT + indent, row, value[: WIDTH - indent], style)


def _round(scene: Scene, words: Words) -> str:
    if not scene.running or scene.game is None:
        return ""
    if scene.game.phase == "showdown" or scene.game.showdown:
        return words("SHOWDOWN")
    return words("CHANGE CARDS") if scene.game.round == 2 else str(scene.game.round)


# --- region 8: X-messages --------------------------------------------------------------------------------------------


def _draw_counter(canvas: Canvas, scene: Scene, words: Words) -> None:
    if scene.waiting > 0:
        text = words.count("{n} X-message", "{n} X-messages", scene.waiting)
        canvas.put(1, COUNTER_ROW, f"┤ {text} ├"[:BORDER], Style.NEWEST)


# --- region 3: one's own cards ---------------------------------------------------------------------------------------


def _draw_hand(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    hand = None if scene.game is None else scene.game.hand
    if scene.running and hand is None:
        _draw_info(canvas, words("You can play in the next game."))
        return
    is_open = scene.running or scene.now < scene.pause_until
    labels = [str(card) for card in hand] if hand is not None and is_open else [None] * HAND
    swaps = "D" in usable(scene)
    for place, label in enumerate(labels[:HAND]):
        column = HAND_COLUMN + CARD_STEP * place
        shown = None if swaps and place in local.marks else label
        draw_card(canvas, column, HAND_ROW, shown)
        if swaps:
            style = Style.CARD_BACK if shown is None else card_style(shown)
            canvas.put(column + 1, HAND_ROW + CARD_HEIGHT - 1, f"[{place + 1}]", style)


def _draw_info(canvas: Canvas, text: str) -> None:
    for row, line in enumerate(wrap(text, BORDER - 4)[: CARD_HEIGHT - 1], HAND_ROW + 1):
        canvas.put(2, row, line, Style.CYAN)


# --- region 4: commands, prompts, errors, reasons --------------------------------------------------------------------


def _draw_commands(canvas: Canvas, scene: Scene, local: Local, words: Words) -> Cursor:
    lines = _command_lines(scene, local, words)
    for row, line in enumerate(lines, COMMAND_ROW):
        canvas.put(RIGHT, row, line[:WIDTH])
        for key in re.finditer(r"\[[^\]]+\]", line[:WIDTH]):
            canvas.put(RIGHT + key.start(), row, key.group(), Style.GREEN)
    _draw_notice(canvas, _notice(scene, local, words), COMMAND_ROWS - len(lines))
    return _draw_number(canvas, len(lines[1]), local) if local.mode in {"bet", "see"} else None


def _command_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    match local.mode:
        case "bet" | "see":
            return _prompt_lines(scene, local, words)
        case "pass":
            return [words("Do you really want to pass? (y/n)")]
        case "chat":
            return [words("[ENTER] Send the message"), words("[ESC] Back")]
    return [words("[.] Send a chat message"), words("[X] Leave the table"), *_more_lines(scene, words)]


def _more_lines(scene: Scene, words: Words) -> list[str]:
    """Give the lines of the keys that are not always there; bet and pass share one to leave room for a notice."""
    offered = usable(scene)
    lines = {
        "S": words("[S] Start a game"),
        "H": words("[H] See the cards!"),
        "1": words("[1] - [5] Change cards"),
        "D": words("[D] Done, go on"),
        "R": words("[R] Show my cards"),
    }
    shared = "   ".join(text for key, text in (("B", words("[B] Bet")), ("P", words("[P] Pass"))) if key in offered)
    return [*filter(None, [shared]), *(lines[key] for key in offered if key in lines)]


def _prompt_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    low, high = (scene.game.low, scene.game.high) if scene.game is not None else (0, 0)
    see = words("[H] See the cards!").partition("] ")[2]
    return [
        see if local.mode == "see" else words("How many CUBES do you bet?"),
        words("Bet ({low}-{high}):", low=low, high=high),
        words("[ENTER] alone: {low}   [ESC] Back", low=low),
    ]


def _draw_number(canvas: Canvas, indent: int, local: Local) -> Cursor:
    column = min(RIGHT + indent + 1, COLUMNS - 2)  # behind the longest bounds there is room for one digit still
    text, position = local.editor.visible(COLUMNS - column - 1)
    canvas.put(column, COMMAND_ROW + 1, text, Style.BOLD)
    return column + position, COMMAND_ROW + 1


def _notice(scene: Scene, local: Local, words: Words) -> str:
    seconds = math.ceil(scene.pause_until - scene.now) if local.waits else 0
    if seconds > 0:
        return still_to_wait(seconds, words)
    if local.mode == "chat" and scene.turn is not None and not local.notice:
        return words("It is your turn!")
    return local.notice


def _draw_notice(canvas: Canvas, text: str, room: int) -> None:
    """Draw an error or a reason in the last lines of the region."""
    lines = wrap(text, WIDTH - 2)[: max(room, 0)]
    width = max(map(len, lines), default=0)
    for row, line in enumerate(lines, COMMAND_ROW + COMMAND_ROWS - len(lines)):
        canvas.put(RIGHT, row, f" {line:<{width}} ", Style.ALERT)


# --- regions 5 and 7: status and chat line ---------------------------------------------------------------------------


def _draw_status(canvas: Canvas, scene: Scene) -> None:
    canvas.put(0, STATUS_ROW, " " * COLUMNS, Style.BAR)
    canvas.put(1, STATUS_ROW, f"{scene.name[:NAME]}   {scene.cash} CUBES"[: COLUMNS - 10], Style.BAR)
    if scene.deadline is not None:
        left = max(math.ceil(scene.deadline - scene.now), 0)
        clock = f" {left // 60}:{left % 60:02} "
        canvas.put(COLUMNS - len(clock), STATUS_ROW, clock, Style.ALERT if left <= HURRY else Style.BAR)


def _draw_input(canvas: Canvas, scene: Scene, local: Local) -> Cursor:
    if local.mode != "chat":
        return None
    prompt = f"{scene.name[:NAME]}: "
    text, position = local.editor.visible(COLUMNS - len(prompt) - 1)
    canvas.put(0, INPUT_ROW, prompt, Style.BOLD)
    canvas.put(len(prompt), INPUT_ROW, text)
    return len(prompt) + position, INPUT_ROW
