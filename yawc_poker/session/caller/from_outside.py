"""What reaches a caller at a table from outside of it, in a seat or beside: X-messages and the news of the sysops.

Owns how it is shown there: X-messages are counted, to be read at the prompt; the sysops' news stand among the messages.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.engine.game import IllegalMove
from yawc_poker.session.caller import notices
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.calls import TableCalls
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


class Screen(Protocol):
    """The caller's screen at the table, as far as it is needed here (`session.table.screen`)."""

    @property
    def waiting(self) -> int:
        """X-messages that came in since the caller sat down."""

    def count_waiting(self, waiting: int) -> None:
        """Show this number of X-messages that came in."""

    def announce(self, text: str, style: Style) -> None:
        """Put a text of the system among the messages."""

    def draw(self, *, at_once: bool = False) -> None:
        """Draw, unless more has happened already."""


class FromOutside:
    """What one caller is told at a table."""

    def __init__(self, caller: Caller, screen: Screen, calls: TableCalls) -> None:
        self._caller = caller
        self._screen = screen
        self._calls = calls

    def count_messages(self) -> None:
        """Count unread messages, which came in since the prompt; a command may be lost, a row is not."""
        caller, before = self._caller, self._screen.waiting
        waiting = before
        try:
            waiting = caller.instance.messages.count_unread(caller.user.id)
        except StoreError as error:
            log.error("X-messages of %r cannot be counted: %s", caller.user.name, error)
        caller.instance.own.count_waiting(waiting)
        self._calls.messages(before, waiting, caller.words)
        self._screen.count_waiting(waiting)

    def show_news(self, follow: Callable[[Sequence[SysopAction]], None]) -> None:
        """Show what sysops did or said, and do then by `follow` what follows from it at the table, if there is any."""
        caller = self._caller
        if caller.page is not None and caller.page.is_away:
            return
        try:
            with caller.news() as actions:
                for action in actions:
                    self._screen.announce(*notices.sentence(action, caller.words))
                    if action.kind == "warn":
                        caller.calls.ring()
                if actions:
                    follow(actions)
                    self._screen.draw(at_once=True)
        except IllegalMove:
            pass  # there is no seat to see it from any more: it is shown at the prompt
        except StoreError as error:
            log.error("news of the sysops for %r wait: %s", caller.user.name, error)
