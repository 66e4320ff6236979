"""How a table is drawn: a game's own regions among those that all games share (`table_ui.screen`). Pure.

Owns the order of the regions; a game gives what is its own, as a `TableLayout`. Owns also what a window shows that is
too small for a table, as lines of text, the most important first: whose turn it is, the caller's clock, how to leave,
the keys, the caller's cards, a prompt with its text; lines that do not fit are cut off. The same lines tell a page
around the terminal which keys it is to show as buttons. `render` never raises.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Generic, NamedTuple

from yawc_poker.engine.game import ViewT
from yawc_poker.page.offers import asks_yes_or_no, merged, offered, yes_or_no
from yawc_poker.page.protocol import Offer, Offers
from yawc_poker.table_ui import screen
from yawc_poker.table_ui.keys import HELP, chat_limit
from yawc_poker.table_ui.onlookers import watching
from yawc_poker.table_ui.scene import Local, LocalT, Scene, shown_seconds
from yawc_poker.table_ui.speech import level_names
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


def usual_titles(scene: object, words: Words) -> tuple[str, str]:
    """Return the titles of people and game."""
    return words("With you at the table"), words("Game")


def _no_prompt(scene: object, local: object, words: Words) -> list[str]:
    return []


def _no_keys(scene: object, local: object, words: Words) -> tuple[Offer, ...]:
    return ()


def _no_status(scene: object, words: Words) -> str:
    return ""


def _no_page(canvas: Canvas, scene: object, local: object, words: Words) -> bool:
    return False


class TableLayout(NamedTuple, Generic[ViewT, LocalT]):
    """What a game shows of its table, beside what all games show."""

    regions: Callable[[Canvas, Scene[ViewT], LocalT, Words], None]
    """Draw the others, the game, and the caller's cards: regions 1 to 3."""
    cards: Callable[[Scene[ViewT], LocalT, Words], str]
    """The caller's cards, with what else they need to know, in a line."""
    keys: Callable[[Scene[ViewT], LocalT, Words], list[str]]
    """The lines of the keys that are not always usable, the most important first."""
    status: Callable[[Scene[ViewT], Words], str] = _no_status
    """What stands in the status line behind the caller's name."""
    loss: Callable[[Scene[ViewT], Words], str] | None = None
    """What a caller loses who leaves now, in a sentence. None: a caller who leaves is not asked."""
    panels: Callable[[Canvas, Scene[ViewT], LocalT, Words], int] | None = None
    """Draw what a larger window shows besides, and return the row from which on messages may stand. None: nothing."""
    titles: Callable[[Scene[ViewT], Words], tuple[str, str]] = usual_titles
    """The titles of the upper two regions."""
    prompt: Callable[[Scene[ViewT], LocalT, Words], list[str]] = _no_prompt
    """The lines of an open prompt of the game's own."""
    numbers: frozenset[str] = frozenset()
    """Modes in which a number is typed, behind the second line of the prompt."""
    page: Callable[[Canvas, Scene[ViewT], LocalT, Words], bool] = _no_page
    """Draw a page in place of the messages; return whether one is open."""
    card_keys: Callable[[Scene[ViewT], LocalT, Words], tuple[Offer, ...]] = _no_keys
    """Keys whose meaning stands neither in the commands nor beside the cards."""
    amounts: Callable[[Scene[ViewT], LocalT, Words], tuple[Offer, ...]] = _no_keys
    """Usual answers where a number is typed; the key of each is the number."""
    makes_room: bool = False
    """Its lines of keys make room for a notice, the least important first."""

    def render(self, scene: Scene[ViewT], local: LocalT, words: Words, columns: int, rows: int) -> Frame:
        """Draw the table as one caller sees it in a window of `columns` by `rows` cells.

        It is never larger than what there is to show: extra cells would take time to build and to compare, and a window
        may claim a quarter of a million of them.
        """
        if screen.is_too_small(columns, rows):
            return small_frame(scene, local, words, columns, rows, self.small(scene, local, words))
        canvas = Canvas(*screen.size(columns, rows))
        screen.draw_lines(canvas, *self.titles(scene, words))
        self.regions(canvas, scene, local, words)
        screen.draw_hint(canvas, words)
        screen.draw_counter(canvas, scene, words)
        cursor = self._draw_commands(canvas, scene, local, words)
        screen.draw_status(canvas, scene, self.status(scene, words))
        if not self.page(canvas, scene, local, words):
            screen.draw_talk(canvas, local.talk)
        if self.panels is not None:
            screen.draw_edge(canvas)
            screen.draw_past(canvas, self.panels(canvas, scene, local, words), local.past, words)
        return screen.fitted(canvas.frame(screen.draw_input(canvas, scene, local) or cursor), rows)

    def small(self, scene: Scene[ViewT], local: LocalT, words: Words) -> Small:
        """Return what is shown where there is no room for the table, and offered on a page around the terminal."""
        lines = self._prompt(scene, local, words) or self.keys(scene, local, words)
        number = 1 if local.mode in self.numbers else None
        keys = self.card_keys if number is None else self.amounts
        return Small(lines, self.cards(scene, local, words), number, keys(scene, local, words))

    def _prompt(self, scene: Scene[ViewT], local: LocalT, words: Words) -> list[str]:
        match local.mode:
            case "menu":
                return []
            case "chat":
                return screen.chat_lines(words)
            case "house":
                levels = "   ".join(f"[{number}] {name}" for number, name in enumerate(level_names(words), 1))
                return [words("How well should it play? (+: as usual)"), levels]
            case "leave" if self.loss is not None:
                lost = wrap(self.loss(scene, words), screen.WIDTH - 1)
                return [*lost, words("Do you really want to leave? (y/n)")]
        return self.prompt(scene, local, words)

    def _draw_commands(self, canvas: Canvas, scene: Scene[ViewT], local: LocalT, words: Words) -> screen.Cursor:
        notice, keys = screen.notice(scene, local, words), self.keys(scene, local, words)
        if self.makes_room:
            keys = keys[: max(screen.COMMAND_ROWS - len(wrap(notice, screen.WIDTH - 2)) - 1, 1)]
        prompt = self._prompt(scene, local, words)
        lines = screen.command_lines(local, prompt, keys, notice, words, chats=scene.chats)
        screen.draw_commands(canvas, tuple(lines), notice)
        return screen.draw_number(canvas, len(lines[1]), local) if local.mode in self.numbers else None


def offers(scene: Scene[ViewT], local: Local, words: Words, small: Small) -> Offers:
    """Return the keys that mean something now, for a page: those of the command area, and those of the cards."""
    turn = scene.turn is not None
    if local.helps:
        return Offers("menu", (Offer("ENTER", words("Back")),), turn)
    if local.mode == "chat":
        return Offers("line", offered(screen.chat_lines(words)), turn)
    answers = yes_or_no(words) if asks_yes_or_no(small.commands) else ()
    house = []
    if local.mode == "menu":
        house = [*screen.house_lines(local, words), *screen.added_lines(local, words)]
    always = offered([screen.at_any_time(words, chats=scene.chats)])
    more = (*always, *offered([words("[=] State")]), Offer(HELP, words("Help")))
    first, later = (small.keys, ()) if small.number is not None else ((), small.keys)
    keys = merged(answers, first, offered(small.commands), offered([small.cards]), later, offered(house), more)
    room = chat_limit(scene.name) if scene.chats else 0
    digits = small.number is not None
    return Offers("line" if digits else "menu", keys, turn, digits=digits, room=room)


def small_frame(scene: Scene[ViewT], local: Local, words: Words, columns: int, rows: int, small: Small) -> Frame:
    """Draw a table in a window that is too small for it; the frame is never larger than a table."""
    canvas = Canvas(min(columns, screen.COLUMNS), min(rows, screen.ROWS))
    head = _broken(_head(scene, words), canvas.columns)
    own = screen.house_lines(local, words) if scene.looks_on and local.mode == "menu" else []
    commands = [_broken([(line, Style.PLAIN)], canvas.columns) for line in (*small.commands, *own)]
    rest = _broken(_rest(scene, local, words, small, (columns, rows)), canvas.columns)
    lines = [*head, *chain.from_iterable(commands), *rest]
    room = canvas.rows - (local.mode == "chat")
    lines += _broken(local.talk.latest(max(room - len(lines), 0)), canvas.columns)
    for row, (text, style) in enumerate(lines[:room]):
        canvas.put(0, row, text, style)
        if style is Style.PLAIN:
            screen.draw_keys(canvas, 0, row, text)
    if local.mode == "chat":
        return canvas.frame(_draw_typed(canvas, f"{scene.name}: ", room, local))
    if small.number is None:
        return canvas.frame()
    row = len(head) + sum(map(len, commands[: small.number + 1])) - 1
    return canvas.frame(_draw_typed(canvas, lines[row][0] + " ", row, local) if row < room else None)


def _head(scene: Scene[ViewT], words: Words) -> list[tuple[str, Style]]:
    """Return whose turn it is, the caller's clock, and how to leave."""
    current = (scene.current or "") if scene.running else words("NO GAME")
    clock = "" if scene.deadline is None else "  " + screen.clock_text(shown_seconds(scene))[0].strip()
    style = Style.BOLD if scene.turn is None else Style.NEWEST
    return [(f"{words('Turn:')} {current}{clock}", style), (screen.at_any_time(words, chats=scene.chats), Style.PLAIN)]


def _rest(
    scene: Scene[ViewT], local: Local, words: Words, small: Small, window: tuple[int, int]
) -> list[tuple[str, Style]]:
    """Return the screen.notice, the caller's cards, and why the table is not shown."""
    columns, rows = window
    text = words(
        "Your window has {columns}x{rows} characters, the table needs {need_columns}x{need_rows}.",
        columns=columns,
        rows=rows,
        need_columns=screen.COLUMNS,
        need_rows=screen.FEWEST_ROWS,
    )
    told = (
        (screen.notice(scene, local, words), Style.ALERT),
        (small.cards, Style.BOLD),
        (text, Style.YELLOW),
        (watching(scene.watching, screen.COLUMNS, words), Style.GREEN),
    )
    return [(line, style) for line, style in told if line]


def _broken(lines: Sequence[tuple[str, Style]], columns: int) -> list[tuple[str, Style]]:
    return [(part, style) for text, style in lines for part in wrap(text, columns)]


def _draw_typed(canvas: Canvas, prompt: str, row: int, local: Local) -> screen.Cursor:
    """Draw the text being typed after a prompt, which is shortened in a very narrow window."""
    prompt = prompt[: canvas.columns // 2] if len(prompt) > canvas.columns - 4 else prompt
    text, position = local.editor.visible(canvas.columns - len(prompt) - 1)
    canvas.put(0, row, prompt, Style.BOLD)
    canvas.put(len(prompt), row, f"{text:<{canvas.columns - len(prompt)}}")
    return len(prompt) + position, row
