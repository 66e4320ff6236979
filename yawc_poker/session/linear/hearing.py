"""What a caller is told of their table besides the screen, or instead of it: by a page around the terminal, in lines.

Owns which of the two there are. A page lasts as long as the line; lines begin and end with the caller's choice, or with
the kind of terminal that their side tells.
"""

from collections.abc import Iterable

from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import LogEntry
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.linear.table import LinearTable
from yawc_poker.session.table.page_news import PageNews
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.terminal.frame import Style


class Hearing:
    """What one caller hears of their table."""

    def __init__(self, caller: Caller, game: AnyDefinition, token: int) -> None:
        """`token` is the session's."""
        self._caller = caller
        self._game = game
        self._token = token
        page = caller.line.page
        self.page = None if page is None else PageNews(page, game, token)
        """What a page is told; None: there is none."""
        self.lines: LinearTable | None = None
        """What a caller is told who has no screen; None: it is drawn."""
        self.refit(0)

    def refit(self, heard: int) -> None:
        """Begin to tell the table in lines or to draw it, as the caller's terminal and their choice want it now.

        `heard` is the last log entry that the caller knows; 0: they have just come.
        """
        if self._caller.display.can_draw == (self.lines is None):
            return
        if self.lines is None:
            self.lines = LinearTable(self._caller, self._game, self._token, heard or None)
        else:
            self.lines.close()
            self.lines = None

    def hear(self, entries: tuple[LogEntry[GameEvent], ...]) -> None:
        """Tell the new log entries."""
        if self.page is not None:
            self.page.hear(entries, self._caller.words)
        if self.lines is not None:
            self.lines.hear(entries)

    def announce(self, text: str, style: Style) -> None:
        """Tell a text of the system, or of others."""
        if self.page is not None:
            self.page.announce(text, style)
        if self.lines is not None:
            self.lines.say(text)

    def explain(self, lines: Iterable[str]) -> None:
        """Tell a page what the help over the screen shows."""
        for text in lines if self.page is not None else ():
            self.announce(text, Style.PLAIN)

    def forget_notice(self) -> None:
        """Tell the next notice also if it is the same as the last one."""
        if self.lines is not None:
            self.lines.forget_notice()

    def close(self) -> None:
        """Leave the caller's terminal to scrolling text."""
        if self.lines is not None:
            self.lines.close()
        self._caller.display.leave_screen()
