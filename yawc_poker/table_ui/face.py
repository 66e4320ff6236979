"""What a session needs of a game at a terminal: how it looks and what its keys mean. A game's `screen` module is one.

Owns only the contract; mypy checks the modules against it where they are put together (`session.menus.main`).
"""

from typing import Protocol, TypeVar

from yawc_poker.engine.game import E, IllegalMove, S
from yawc_poker.engine.table import Entry, Table
from yawc_poker.table_ui.actions import Leave, Play, Say, Start
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.words import Words

Mv = TypeVar("Mv")
Op = TypeVar("Op")
V = TypeVar("V")
L = TypeVar("L", bound=Local)


class Face(Protocol[S, Mv, E, Op, V, L]):
    """A game at a terminal; `V` is its view, `L` what a caller's process knows. Every function is pure."""

    def fresh(self, usual: Op, /) -> L:
        """Give what somebody knows who has just sat down where these options are the usual ones."""

    def scene(self, table: Table[S, E], session: int, waiting: int, now: float) -> Scene[V]:
        """Look at a table from a session's seat; raises `IllegalMove` "not_seated"."""

    def press(
        self, local: L, scene: Scene[V], key: str, words: Words
    ) -> tuple[L, Play[Mv] | Start[Op] | Leave | Say | None]:
        """Take a key; give the new local state and what the caller asks for."""

    def hear(self, local: L, entries: tuple[Entry[E], ...], session: int, words: Words) -> L:
        """Take over the log entries that are new."""

    def follow(self, local: L, scene: Scene[V]) -> L:
        """Fit the local state to a changed scene."""

    def refused(self, local: L, illegal: IllegalMove, words: Words) -> L:
        """Tell the caller why the table refused an action."""

    def noticed(self, local: L, text: str) -> L:
        """Put a text into the command area."""

    def announced(self, local: L, text: str, style: Style) -> L:
        """Put a text of the system among the messages."""

    def refusal(self, illegal: IllegalMove, words: Words) -> str:
        """Say why something was refused."""

    def render(self, scene: Scene[V], local: L, words: Words, columns: int, rows: int) -> Frame:
        """Draw the table in a window of so many cells; never raises."""
