"""What a session needs of a game at a terminal: how it looks and what its keys mean. A game's `screen` module is one.

Owns only the contract; mypy checks the modules against it where they are put together (`session.menus.main`).
"""

from typing import Protocol, TypeVar

from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.table import LogEntry, Table
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.words import Words

MoveT = TypeVar("MoveT")
OptionsT = TypeVar("OptionsT")
ViewT = TypeVar("ViewT")
LocalT = TypeVar("LocalT", bound=Local)


class Face(Protocol[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game at a terminal; `ViewT` is its view, `LocalT` what a caller's process knows. Every function is pure."""

    def fresh(self, usual: OptionsT, /) -> LocalT:
        """Give what somebody knows who has just sat down where these options are the usual ones."""

    def scene(self, table: Table[StateT, EventT], session: int, waiting: int, now: float) -> Scene[ViewT]:
        """Look at a table from a session's seat; raises `IllegalMove` "not_seated"."""

    def press(
        self, local: LocalT, scene: Scene[ViewT], key: str, words: Words
    ) -> tuple[LocalT, MakeMove[MoveT] | Start[OptionsT] | Leave | Say | None]:
        """Handle a key; return the new local state and the caller's intent, if any."""

    def hear(self, local: LocalT, entries: tuple[LogEntry[EventT], ...], session: int, words: Words) -> LocalT:
        """Take over the log entries that are new."""

    def follow(self, local: LocalT, scene: Scene[ViewT]) -> LocalT:
        """Fit the local state to a changed scene."""

    def refused(self, local: LocalT, illegal: IllegalMove, words: Words) -> LocalT:
        """Show why the table refused an intent."""

    def noticed(self, local: LocalT, text: str) -> LocalT:
        """Put a text into the command area."""

    def announced(self, local: LocalT, text: str, style: Style) -> LocalT:
        """Put a text of the system among the messages."""

    def refusal(self, illegal: IllegalMove, words: Words) -> str:
        """Say why something was refused."""

    def render(self, scene: Scene[ViewT], local: LocalT, words: Words, columns: int, rows: int) -> Frame:
        """Draw the table in a window of so many cells; never raises."""
