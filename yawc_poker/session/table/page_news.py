"""What a page around the terminal is told of a table: the keys that mean something now, and what happened, in words.

Made from the same scene, local state and log as the screen. Exists only for a line that has a page.
"""

from yawc_poker.engine.events import SatDown
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import LogEntry
from yawc_poker.page.protocol import Page
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.layout import offers
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.table_ui.screen import sits_out
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words


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
