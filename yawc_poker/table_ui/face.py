"""What a session needs of a game at a terminal: its screen and its keys. A game's `screen` module is a `Face`.

Owns only the contract; mypy checks each module against it in the game's `Definition`.
"""

from typing import Protocol

from yawc_poker.engine.game import EventT, IllegalMove, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.table import LogEntry, Table
from yawc_poker.table_ui.aids.guide import Guide
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.scene import LocalT, Scene
from yawc_poker.table_ui.small import Small
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.words import Words

__all__ = ["Face", "LocalT", "MoveT", "OptionsT", "ViewT"]


class Face(Protocol[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game at a terminal, in pure functions; `ViewT` is its view, `LocalT` the state local to a caller's process."""

    def fresh(self, usual: OptionsT, /) -> LocalT:
        """Return the state of a caller who has just sat down; `usual` are the table's default options."""

    def scene(self, table: Table[StateT, EventT], session: int, waiting: int, now: float) -> Scene[ViewT]:
        """Return a table as a session's seat sees it. Raise `IllegalMove` "not_seated"."""

    def press(
        self, local: LocalT, scene: Scene[ViewT], key: str, words: Words
    ) -> tuple[LocalT, MakeMove[MoveT] | Start[OptionsT] | Leave | Say | None]:
        """Handle a key; return the new local state and the caller's intent, if any."""

    def hear(self, local: LocalT, entries: tuple[LogEntry[EventT], ...], session: int, words: Words) -> LocalT:
        """Take over the new log entries."""

    def follow(self, local: LocalT, scene: Scene[ViewT]) -> LocalT:
        """Adapt the local state to a changed scene."""

    def decided(self, local: LocalT, scene: Scene[ViewT], /) -> MoveT | None:
        """Return the move that was decided ahead for the turn that has come; None: none was, or it does not hold."""

    def refused(self, local: LocalT, illegal: IllegalMove, words: Words) -> LocalT:
        """Show why the table refused an intent."""

    def noticed(self, local: LocalT, text: str) -> LocalT:
        """Show a notice in the command area."""

    def announced(self, local: LocalT, text: str, style: Style) -> LocalT:
        """Add a system text to the messages."""

    def refusal(self, illegal: IllegalMove, words: Words) -> str:
        """Return why something was refused."""

    def small(self, scene: Scene[ViewT], local: LocalT, words: Words, /) -> Small:
        """Return what is shown where there is no room for the table, and offered on a page around the terminal."""

    def guide(self, scene: Scene[ViewT], local: LocalT, words: Words, /) -> Guide:
        """Return what the help over the screen tells of the game: its keys, and what its cards are worth."""

    def render(self, scene: Scene[ViewT], local: LocalT, words: Words, columns: int, rows: int) -> Frame:
        """Draw the table in a window of `columns` by `rows` cells. Never raises."""
