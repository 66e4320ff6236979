"""What calls a caller to their terminal: the bell, the window's title, a notice on the desktop, the status line.

Owns whether a call still waits for an answer, which is any key. What is a reason to call is the table's and the
prompt's to know (`TableAttention`, `Caller`). What a caller has switched off at `L` is never sent.
"""

from collections.abc import Collection

from yawc_poker.engine.values import AnyTable
from yawc_poker.session.caller.appearance import Appearance
from yawc_poker.table_ui.scene import Turn
from yawc_poker.terminal.display import Display
from yawc_poker.words import Words


class Attention:
    """How one caller is called to their terminal."""

    def __init__(self, display: Display, appearance: Appearance, bbs: str) -> None:
        """`bbs` is the name that the window has between two calls, once there was one."""
        self.is_open = False
        """A call waits for an answer: the status line shows it."""
        self._display = display
        self._appearance = appearance
        self._bbs = bbs

    def ring(self) -> None:
        """Ring the bell, unless the caller has switched it off."""
        if self._appearance.preferences.bell:
            self._display.bell()

    def call(self, text: str, *, rings: bool = True) -> None:
        """Call the caller to the terminal; `rings`: with the bell, unless something else rings there."""
        prefers = self._appearance.preferences
        self.is_open = True
        if rings:
            self.ring()
        if prefers.title:
            self._display.title(f"{text} - {self._bbs}")
        if self._display.line.page is not None:
            self.mention(text)
        elif prefers.notice:
            self._display.notice(self._bbs, text)

    def mention(self, text: str) -> None:
        """Tell a page what no terminal is called for; it is shown if nobody looks, and only where it was asked for."""
        page = self._display.line.page
        if page is not None and self._appearance.preferences.notice:
            page.notify(text)

    def answered(self) -> None:
        """The caller is there, or the reason for the call has passed."""
        if self.is_open:
            self.is_open = False
            if self._appearance.preferences.title:
                self._display.title(self._bbs)

    def end(self) -> None:
        """The caller leaves the place where calls come: the window has its own name again."""
        self.is_open = False
        self._display.title("")


class TableAttention:
    """The reasons to call somebody who sits at a table."""

    def __init__(self, attention: Attention, *, has_page: bool) -> None:
        """`has_page`: there is a page around the terminal, which rings by itself when it is the caller's turn."""
        self._attention = attention
        self._has_page = has_page
        self._turn: Turn | None = None
        self._company: Collection[str] | None = None
        """The others at the table, without house players, or None if nothing was seen yet."""

    def look(self, turn: Turn | None, company: Collection[str], words: Words, *, at_keys: bool) -> None:
        """Take over what is seen of the table: the caller's turn, and the names of the people who sit with them.

        `at_keys`: the caller has just pressed a key, so they need no call to what follows from it.
        """
        if turn is None and self._turn is not None:
            self._attention.answered()
        elif turn is not None and turn != self._turn and not at_keys:
            self._attention.call(words("It is your turn!"), rings=not self._has_page)
        if company and self._company is not None and not self._company and not at_keys:
            self._attention.call(words("{name} sits down at the table.", name=next(iter(company))))
        self._turn, self._company = turn, company

    def messages(self, before: int, waiting: int, words: Words) -> None:
        """Take over the number of X-messages that wait, and that before."""
        if waiting > before:
            self._attention.call(words.count("{n} X-message", "{n} X-messages", waiting))


def company(table: AnyTable, seat: int) -> list[str]:
    """Return the names of the people at a table besides this seat; house players are none."""
    return [who.name for at, who in enumerate(table.seats) if who is not None and at != seat and not who.program]
