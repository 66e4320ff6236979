"""The poker table on the screen: scene and local state in, frame out (spec/poker.md 11). Pure.

Owns regions 1 to 4, which show poker; all games share the others (`table_ui.screen`). Shows nothing that `Scene.game`
does not hold. `render` never raises.

This module is the game's `Face`: `fresh`, `scene`, `press`, `follow`, `hear`, `decided`, `refused`, `noticed`,
`announced`, `refusal`, `guide`, `render`, `small`.
"""

from yawc_poker.cards import Card
from yawc_poker.games.poker.model import HAND, Opponent
from yawc_poker.games.poker.ui.guide import guide
from yawc_poker.games.poker.ui.keys import (
    Intent,
    Leave,
    MakeMove,
    Say,
    Start,
    announced,
    follow,
    hear,
    noticed,
    press,
    refused,
)
from yawc_poker.games.poker.ui.panels import draw_panels
from yawc_poker.games.poker.ui.scene import (
    AHEAD,
    KEEP,
    PASS,
    SHOW,
    Local,
    Occupant,
    Scene,
    decided,
    fresh,
    scene,
    usable,
)
from yawc_poker.games.poker.ui.speech import refusal
from yawc_poker.page.protocol import Offer
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.screen import BORDER, COLUMNS, COUNTER_ROW, HAND_ROW, ROWS, WIDTH, Cursor, draw_info
from yawc_poker.table_ui.small import Small, small_frame
from yawc_poker.table_ui.speech import card_label
from yawc_poker.terminal.frame import Canvas, Frame, Style, region
from yawc_poker.terminal.widgets import CARD_HEIGHT, CARD_STEP, card_style, draw_card, wrap
from yawc_poker.words import Words

__all__ = [
    "COLUMNS",
    "ROWS",
    "Intent",
    "Leave",
    "Local",
    "MakeMove",
    "Occupant",
    "Say",
    "Scene",
    "Start",
    "announced",
    "decided",
    "follow",
    "fresh",
    "guide",
    "hear",
    "noticed",
    "press",
    "refusal",
    "refused",
    "render",
    "scene",
    "small",
]

OTHERS = COUNTER_ROW - 1
"""Lines of region 1: a full table without the caller."""
HAND_COLUMN = 3
WON = " !"
"""Behind the name of the player who has won the last game."""
NUMBERS = frozenset({"bet", "see"})
"""Modes in which a number is being typed."""


def render(scene: Scene, local: Local, words: Words, columns: int, rows: int) -> Frame:
    """Draw the table as one caller sees it in a window of `columns` by `rows` cells.

    It is never larger than what there is to show: extra cells would take time to build and to compare, and a window may
    claim a quarter of a million of them.
    """
    if common.is_too_small(columns, rows):
        return small_frame(scene, local, words, columns, rows, small(scene, local, words))
    canvas = Canvas(*common.size(columns, rows))
    common.draw_lines(canvas, words)
    common.draw_hint(canvas, words)
    game = scene.game
    offered = usable(scene)
    winner = None if game is None or scene.running else game.winner
    opponents = () if game is None else game.opponents
    _draw_people(canvas, scene.people[:OTHERS], opponents, winner, words)
    _draw_game(canvas, scene, words)
    common.draw_counter(canvas, scene, words)
    _draw_hand(canvas, scene, local, words, offered)
    if scene.people[OTHERS:]:
        _draw_last(canvas, scene.people[OTHERS:], opponents, winner, words)
    command_cursor = _draw_commands(canvas, scene, local, words, offered)
    common.draw_status(canvas, scene, "" if scene.looks_on else f"{scene.cash} CUBES")
    common.draw_talk(canvas, local.talk)
    draw_panels(canvas, scene, local, words)
    return common.fitted(canvas.frame(common.draw_input(canvas, scene, local) or command_cursor), rows)


def small(scene: Scene, local: Local, words: Words) -> Small:
    """Return what a small window shows of poker."""
    hand = () if scene.game is None or not scene.running else scene.game.hand or ()
    labels = [card_label(card, words) for card in hand]
    cards = " ".join("[?]" if place in local.marks else label for place, label in enumerate(labels))
    asks = local.mode in NUMBERS
    offered = usable(scene)
    commands = _prompt(scene, local, words) if local.mode != "menu" else _more_lines(scene, local, words, offered)
    places = enumerate(labels, 1) if "1" in offered and local.mode == "menu" else ()
    marks = tuple(Offer(str(key), f"({label})" if key - 1 in local.marks else label) for key, label in places)
    return Small(commands, cards, 1 if asks else None, marks)


# --- region 1: the others --------------------------------------------------------------------------------------------


@region(0, 1, BORDER, COUNTER_ROW - 1)
def _draw_people(
    canvas: Canvas, people: tuple[Occupant, ...], opponents: tuple[Opponent, ...], winner: int | None, words: Words
) -> None:
    """Draw the others with their cards, and a mark at the one who has won the last game."""
    if not people:
        canvas.put(0, 1, common.nobody(words)[:BORDER], Style.DIM)
    for row, person in enumerate(people, 1):
        _draw_person(canvas, row, person, opponents, winner, words)


@region(0, HAND_ROW, BORDER, 1)
def _draw_last(
    canvas: Canvas, people: tuple[Occupant, ...], opponents: tuple[Opponent, ...], winner: int | None, words: Words
) -> None:
    """Draw the last of a full table, whom only those see who look on, in the place of the own cards."""
    for row, person in enumerate(people, HAND_ROW):
        _draw_person(canvas, row, person, opponents, winner, words)


def _draw_person(
    canvas: Canvas, row: int, person: Occupant, opponents: tuple[Opponent, ...], winner: int | None, words: Words
) -> None:
    active, cards = _seen(opponents, person.seat)
    signs = [(f"[{card_label(card, words)}]", card_style(str(card))) for card in cards or ()]
    if cards is None and active:
        signs = [("[?]", Style.CARD_BACK)] * HAND
    mark = WON if winner == person.seat and winner in [other.seat for other in opponents] else ""
    start = _draw_cards(canvas, row, signs, BORDER - len(common.named(person, BORDER, words) + mark) - 1)
    name = common.named(person, start - 1 - len(mark), words) + mark
    canvas.put(0, row, name, Style.NEWEST if mark else Style.BOLD if active or cards else Style.PLAIN)


def _seen(opponents: tuple[Opponent, ...], seat: int) -> tuple[bool, tuple[Card, ...] | None]:
    """Return whether this seat is active, and its open cards."""
    other = next((other for other in opponents if other.seat == seat), None)
    return (False, None) if other is None else (other.active, other.cards)


def _draw_cards(canvas: Canvas, row: int, signs: list[tuple[str, Style]], room: int) -> int:
    """Draw cards flush with the border and return their first column; a long name beside four tens is cut off.

    Blanks separate the cards if they fit into `room`.
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
    lines = (
        common.master_field(scene, words),
        common.turn_field(scene, words),
        (words("Pot:"), no_game if scene.pot is None else f"{scene.pot} CUBES", Style.BOLD),
        (words("Round:"), _round(scene, words), Style.BOLD),
    )
    common.draw_fields(canvas, lines)


def _round(scene: Scene, words: Words) -> str:
    if not scene.running or scene.game is None:
        return ""
    if scene.game.phase == "showdown" or scene.game.showdown:
        return words("SHOWDOWN")
    return words("CHANGE CARDS") if scene.game.round == 2 else str(scene.game.round)


# --- region 3: the caller's cards -------------------------------------------------------------------------------------


def _draw_hand(canvas: Canvas, scene: Scene, local: Local, words: Words, offered: tuple[str, ...]) -> None:
    hand = None if scene.game is None else scene.game.hand
    is_open = hand is not None and (scene.running or scene.now < scene.pause_until)
    if not is_open and (scene.running or scene.looks_on or scene.sits_out or scene.out):
        draw_info(canvas, common.next_game(scene, words))
        return
    swaps = "1" in offered
    labels = tuple([card_label(card, words) for card in hand]) if is_open and hand is not None else None
    _draw_boxes(canvas, labels, local.marks if swaps else (), swaps)


@region(0, HAND_ROW, BORDER, CARD_HEIGHT)
def _draw_boxes(canvas: Canvas, labels: tuple[str, ...] | None, marks: tuple[int, ...], swaps: bool) -> None:
    """Draw the hand; None: the backs of its cards."""
    for place, label in enumerate(((None,) * HAND if labels is None else labels)[:HAND]):
        column = HAND_COLUMN + CARD_STEP * place
        shown = None if place in marks else label
        draw_card(canvas, column, HAND_ROW, shown)
        if swaps:
            style = Style.CARD_BACK if shown is None else card_style(shown)
            canvas.put(column + 1, HAND_ROW + CARD_HEIGHT - 1, f"[{place + 1}]", style)


# --- region 4: commands, prompts, errors, reasons --------------------------------------------------------------------


def _draw_commands(canvas: Canvas, scene: Scene, local: Local, words: Words, offered: tuple[str, ...]) -> Cursor:
    notice = common.notice(scene, local, words)
    more = _more_lines(scene, local, words, offered)
    lines = common.command_lines(local, _prompt(scene, local, words), more, notice, words, chats=scene.chats)
    common.draw_commands(canvas, tuple(lines), notice)
    return common.draw_number(canvas, len(lines[1]), local) if local.mode in NUMBERS else None


def _prompt(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of the open prompt; none in the menu."""
    match local.mode:
        case "bet" | "see":
            return _number_lines(scene, local, words)
        case "pass":
            now, later = words("Do you really want to pass? (y/n)"), words("Pass as soon as it is your turn? (y/n)")
            return wrap(later if scene.turn is None else now, WIDTH)
        case "leave":
            return [words("Your CUBES stay in the pot."), common.really_leave(words)]
        case "chat":
            return common.chat_lines(words)
        case _:
            return []


def _more_lines(scene: Scene, local: Local, words: Words, offered: tuple[str, ...]) -> list[str]:
    """Return the lines of the keys that are not always usable; bet and pass share one to leave room for a notice."""
    if scene.running and scene.turn is None:
        return [_ahead_line(offered[-1], local, words)] if offered[-1] in AHEAD.values() else []
    lines = {
        "S": common.start_line(words),
        "H": words("[H] See the cards!"),
        "1": words("[1] - [5] Change cards"),
        "D": words("[D] Done, go on"),
        "R": words("[R] Show my cards"),
    }
    shared = "   ".join(text for key, text in (("B", words("[B] Bet")), ("P", words("[P] Pass"))) if key in offered)
    return [*filter(None, [shared]), *(lines[key] for key in offered if key in lines)]


def _ahead_line(key: str, local: Local, words: Words) -> str:
    """Return the line of the key that decides before the own turn, or takes that back."""
    if local.ahead is not None:
        chosen = {
            PASS: words("[P] Chosen: pass (again: undo)"),
            KEEP: words("[D] Chosen: keep all (again: undo)"),
            SHOW: words("[R] Chosen: show (again: undo)"),
        }
        return chosen[key]
    offered = {
        PASS: words("[P] Pass when it is your turn"),
        KEEP: words("[D] On your turn: keep all cards"),
        SHOW: words("[R] Show when it is your turn"),
    }
    return offered[key]


def _number_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    low, high = (scene.game.low, scene.game.high) if scene.game is not None else (0, 0)
    see = words("[H] See the cards!").partition("] ")[2]
    return [
        see if local.mode == "see" else words("How many CUBES do you bet?"),
        words("Bet ({low}-{high}):", low=low, high=high) if low < high else words("Bet ({n}):", n=low),
        words("[ENTER] alone: {low}   [ESC] Back", low=low),
    ]
