"""What a caller is told of their table besides the screen, or instead of it: by a page around the terminal, in lines.

Owns which of the two there are, and the choice between lines and a screen: by `/linear` and `/screen`, at the name
prompt and everywhere behind it. A page lasts as long as the line; it is told the keys that mean something now, and what
happened, in words, of the same scene, local state and log as the screen. Lines begin and end with the caller's choice,
or with the kind of terminal that their side tells.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from yawc_poker.engine.events import SatDown
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import AnyTable, LogEntry
from yawc_poker.page.protocol import Page
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.lines import LinearTable
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.layout import offers
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.table_ui.screen import sits_out
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words


def choose(caller: Caller, *, lines: bool) -> None:
    """Show a caller lines from now on, or a screen where their terminal can draw one, and say so."""
    caller.prefer(replace(caller.preferences, linear=lines))
    caller.console.say(what_is_shown(caller), Style.CYAN)


def what_is_shown(caller: Caller) -> str:
    """Return how this caller's tables are shown."""
    words = caller.words
    if caller.display.can_draw:
        return words("Tables are drawn on a screen.")
    told = words("Tables are told in lines. There [=] tells the state, [?] the keys.")
    if not caller.display.moves_cursor:
        return words("Your terminal moves no cursor.") + f" {told}"
    return f"{told} " + words("/screen draws them again.")


class PageNews:
    """What one caller's page knows of their table."""

    def __init__(self, page: Page, game: AnyDefinition, token: int) -> None:
        """`token` is the session's."""
        self._page = page
        self._game = game
        self._token = token
        self._heard: int | None = None
        """Number of the last log entry that was told; None: nothing was yet."""
        self._notice = ""
        self._sits_out = False

    def hear(self, entries: tuple[LogEntry[GameEvent], ...], words: Words) -> None:
        """Tell the new log entries, from the caller's own arrival on."""
        if self._heard is None:
            arrivals = [one.number for one in entries if one.session == self._token and isinstance(one.event, SatDown)]
            self._heard = max(arrivals, default=1) - 1
        for entry in entries:
            if entry.number > self._heard:
                self._heard = entry.number
                for text, style in self._game.sentences(entry, words):
                    self.announce(text, style)

    def announce(self, text: str, style: Style) -> None:
        """Tell a message."""
        self._page.tell(text, style.name.lower())

    def show(self, scene: Scene[object], local: Local, words: Words) -> None:
        """Show the keys that mean something now, and tell a notice of the command area that is new."""
        if local.notice != self._notice:
            self._notice = local.notice
            if self._notice:
                self.announce(self._notice, Style.ALERT)
        if scene.sits_out and not self._sits_out:
            self.announce(sits_out(words), Style.ALERT)
        self._sits_out = scene.sits_out
        self._page.offer(offers(scene, local, words, self._game.face.layout.small(scene, local, words)))


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

    def hear(self, value: AnyTable, log: tuple[LogEntry[GameEvent], ...]) -> None:
        """Tell the new rows of a table; `log` is what this caller may read of its log."""
        if self.page is not None:
            self.page.hear(log, self._caller.words)
        if self.lines is not None:
            self.lines.hear(value)

    def announce(self, text: str, style: Style) -> None:
        """Tell a text of the system, or of others."""
        if self.page is not None:
            self.page.announce(text, style)
        if self.lines is not None:
            self.lines.happens(text)

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
