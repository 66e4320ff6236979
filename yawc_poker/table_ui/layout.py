"""How a table is drawn: a game's own regions among those that all games share (`table_ui.screen`). Pure.

Owns the order of the regions, and what a window shows that is too small for a table. A game gives what is its own, as a
`TableLayout`. `render` never raises.
"""

from collections.abc import Callable
from typing import Generic, NamedTuple

from yawc_poker.engine.game import ViewT
from yawc_poker.page.protocol import Offer
from yawc_poker.table_ui import screen
from yawc_poker.table_ui.scene import LocalT, Scene
from yawc_poker.table_ui.small import Small, small_frame
from yawc_poker.terminal.frame import Canvas, Frame
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words


def usual_titles(scene: object, words: Words) -> tuple[str, str]:
    """Return the titles of people and game."""
    return words("With you at the table"), words("Game")


def _no_prompt(scene: object, local: object, words: Words) -> list[str]:
    return []


def _no_keys(scene: object, local: object, words: Words) -> tuple[Offer, ...]:
    return ()


def _nothing(canvas: Canvas, scene: object, local: object, words: Words) -> None:
    """Draw nothing."""


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
    panels: Callable[[Canvas, Scene[ViewT], LocalT, Words], None] = _nothing
    """Draw what a larger window shows besides."""
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
        self.panels(canvas, scene, local, words)
        return screen.fitted(canvas.frame(screen.draw_input(canvas, scene, local) or cursor), rows)

    def small(self, scene: Scene[ViewT], local: LocalT, words: Words) -> Small:
        """Return what is shown where there is no room for the table, and offered on a page around the terminal."""
        lines = self._prompt(scene, local, words) or self.keys(scene, local, words)
        number = 1 if local.mode in self.numbers else None
        return Small(lines, self.cards(scene, local, words), number, self.card_keys(scene, local, words))

    def _prompt(self, scene: Scene[ViewT], local: LocalT, words: Words) -> list[str]:
        match local.mode:
            case "menu":
                return []
            case "chat":
                return screen.chat_lines(words)
            case "leave" if self.loss is not None:
                return [self.loss(scene, words), words("Do you really want to leave? (y/n)")]
        return self.prompt(scene, local, words)

    def _draw_commands(self, canvas: Canvas, scene: Scene[ViewT], local: LocalT, words: Words) -> screen.Cursor:
        notice, keys = screen.notice(scene, local, words), self.keys(scene, local, words)
        if self.makes_room:
            keys = keys[: max(screen.COMMAND_ROWS - len(wrap(notice, screen.WIDTH - 2)) - 1, 1)]
        prompt = self._prompt(scene, local, words)
        lines = screen.command_lines(local, prompt, keys, notice, words, chats=scene.chats)
        screen.draw_commands(canvas, tuple(lines), notice)
        return screen.draw_number(canvas, len(lines[1]), local) if local.mode in self.numbers else None
