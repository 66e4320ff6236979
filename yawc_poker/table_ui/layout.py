"""How a table is drawn: a game's own regions among those that all games share (`table_ui.screen`). Pure.

Owns the order of the regions; a game gives what is its own, as a `TableLayout`. None is wider than half of a table, so
a window of 40 columns shows the same regions below each other (`narrow_frame`). Owns also what a window shows that is
too small for a table, as lines of text, the most important first: whose turn it is, the caller's clock, how to leave,
the keys, the caller's cards, a prompt with its text; lines that do not fit are cut off. The same lines tell a page
around the terminal which keys it is to show as buttons. `render` never raises.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Generic, NamedTuple

from msgspec.structs import replace

from yawc_poker.engine.game import ViewT
from yawc_poker.page.offers import asks_yes_or_no, merged, offered, yes_or_no
from yawc_poker.page.protocol import Offer, Offers
from yawc_poker.table_ui import screen
from yawc_poker.table_ui.keys import HELP, chat_limit
from yawc_poker.table_ui.onlookers import watching
from yawc_poker.table_ui.scene import Local, LocalT, Scene, shown_seconds
from yawc_poker.table_ui.speech import level_names
from yawc_poker.terminal.frame import Canvas, Frame, Piece, Row, Style
from yawc_poker.terminal.widgets import hanging, wrap
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
        is_narrow = screen.is_narrow(columns, rows)
        if screen.is_too_small(columns, rows) and not is_narrow:
            return small_frame(scene, local, words, columns, rows, self.small(scene, local, words))
        canvas = Canvas(screen.COLUMNS, screen.ROWS) if is_narrow else Canvas(*screen.size(columns, rows))
        screen.draw_lines(canvas, *self.titles(scene, words), words)
        self.regions(canvas, scene, local, words)
        screen.draw_counter(canvas, scene, words)
        cursor = self._draw_commands(canvas, scene, local, words)
        if is_narrow:
            has_page = self.page(canvas, scene, local, words)
            parts = narrow_parts(canvas.frame(cursor), has_page=has_page)
            return narrow_frame(parts, scene, local, words, (columns, rows), self.status(scene, words))
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
    house = screen.whole_lines(local, words) if local.mode == "menu" else []
    always = offered([screen.at_any_time(words, chats=scene.chats)])
    more = [replace(one, lasts=True) for one in (*always, *offered([words("[=] State")]), Offer(HELP, words("Help")))]
    lasting = {one.key for one in more}
    first, later = (small.keys, ()) if small.number is not None else ((), small.keys)
    asked = merged(answers, first, offered(small.commands), offered([small.cards]), later, offered(house))
    keys = (*(one for one in asked if one.key not in lasting), *more)
    room = chat_limit(scene.name) if scene.chats else 0
    digits = small.number is not None
    return Offers("line" if digits else "menu", keys, turn, digits=digits, room=room)


# --- half as wide as a table ------------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """The regions of a table, of which none is wider than half of it."""

    others: Sequence[Row]
    game: Sequence[Row]
    cards: Sequence[Row]
    keys: Sequence[Row]
    page: Sequence[Row]
    """In place of messages; none: no page is open."""
    cursor: screen.Cursor
    """In the keys."""


def narrow_parts(table: Frame, *, has_page: bool) -> Parts:
    """Return the regions of a table that is drawn, each without the empty rows around it, the keys without any."""
    left, right, keys = (
        [Row(row.text[start:end], row.styles[start:end]) for row in table.rows]
        for start, end in ((0, screen.BORDER), (screen.BORDER + 1, screen.COLUMNS), (screen.RIGHT, screen.COLUMNS))
    )
    lower, at = slice(screen.HAND_ROW, screen.STATUS_ROW), table.cursor
    page = slice(screen.TALK_ROW, screen.LOWER_LINE)
    return Parts(
        others=_filled(left[: screen.COUNTER_ROW]),
        game=_filled(right[: screen.COUNTER_ROW + 1]),
        cards=_filled([*left[screen.COUNTER_ROW : screen.HAND_ROW], *left[lower]]),
        keys=[row for row in keys[lower] if row.text.strip()],
        page=[*_filled(left[page]), *_filled(right[page])] if has_page else [],
        cursor=None if at is None else (at[0] - screen.RIGHT, at[1] - screen.COMMAND_ROW),
    )


def _filled(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows from the first to the last that say something."""
    says = [at for at, row in enumerate(rows) if row.text.strip("─│┬┼ ")]
    return rows[says[0] : says[-1] + 1] if says else ()


def narrow_frame(
    parts: Parts, scene: Scene[ViewT], local: Local, words: Words, window: tuple[int, int], status: str
) -> Frame:
    """Draw a table's regions below each other: status and clock, the others, the game, the cards, the keys, messages.

    An open page stands in place of all but status and keys. The frame is never wider than a table.
    """
    canvas = Canvas(min(window[0], screen.COLUMNS), min(window[1], 2 * screen.ROWS))
    _draw_narrow_status(canvas, scene, status)
    row = keys = 1
    page = parts.page[: canvas.rows - 1 - len(parts.keys)]
    for part in (page, parts.keys) if page else (parts.others, parts.game, parts.cards, parts.keys):
        keys = row
        for line in part[: canvas.rows - row]:
            canvas.paste(Piece(0, row, len(line.text), (line,)))
            row += 1
    _draw_narrow_hint(canvas, words)
    room = canvas.rows - row - (local.mode == "chat")
    told = watching(scene.watching, canvas.columns, words)
    lines = [(told, Style.GREEN)] if told else []
    for at, (text, style) in enumerate([*lines, *_newest(local, canvas.columns, room - len(lines))], row):
        canvas.put(0, at, text, style)
    if local.mode == "chat":
        return canvas.frame(_draw_typed(canvas, f"{scene.name}: ", canvas.rows - 1, local))
    return canvas.frame(None if parts.cursor is None else (parts.cursor[0], keys + parts.cursor[1]))


def _draw_narrow_hint(canvas: Canvas, words: Words) -> None:
    """Draw how to get help into the first title that has room for it."""
    text = words("[?] Help")
    column = screen.BORDER - len(text) - 3
    for row in range(1, canvas.rows):
        if set(canvas.cut(column, row, len(text) + 2, 1).rows[0].text) == {"─"}:
            screen.draw_title(canvas, column, row, text)
            return


def _draw_narrow_status(canvas: Canvas, scene: Scene[ViewT], text: str) -> None:
    """Draw the status line; the caller's name only where it has room."""
    room = canvas.columns - screen.CLOCK - 1
    both = f"{scene.name[: screen.NAME]}   {text}".rstrip()
    canvas.put(0, 0, " " * canvas.columns, Style.BAR)
    canvas.put(1, 0, (both if len(both) <= room or not text else text)[:room], Style.BAR)
    if scene.deadline is not None:
        clock, style = screen.clock_text(shown_seconds(scene))
        canvas.put(canvas.columns - len(clock), 0, clock, style)


def _newest(local: Local, columns: int, room: int) -> list[tuple[str, Style]]:
    """Return as many of the newest messages as there is room for, each whole, with its further lines indented."""
    found: list[tuple[str, Style]] = []
    for text, style in reversed(local.past):
        lines = [(line, style) for line in hanging(text, columns - 1, "  ")]
        if len(found) + len(lines) > room:
            break
        found = [*lines, *found]
    return found


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
