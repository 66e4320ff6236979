"""What a caller sends to others outside the table: X-messages, and notices that one is being written.

Owns the delivery of a message, and that it counts towards the rate limit. Sentences are `notices`', the storage
`casino.users.messages`'. A caller who may not write causes no notice either. What is written to somebody who ignores
the caller is kept nowhere.
"""

import logging

from yawc_poker.casino import counters
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.messages import BoxFull
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.session.caller import notices
from yawc_poker.session.caller.console import Console
from yawc_poker.session.caller.notices import Bulletin
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.line import Line
from yawc_poker.words import Words

log = logging.getLogger(__name__)


class Mail:
    """The messages of one caller."""

    def __init__(self, instance: Instance, line: Line, console: Console, board: Bulletin) -> None:
        self._instance = instance
        self._line = line
        self._console = console
        self._board = board

    def notice(self, user: User, person: SessionInfo, what: str, words: Words) -> None:
        """Show another caller at a prompt what this one does; not shown at a table (spec/poker.md 14.2)."""
        if not self._board.may_not_write(words):
            self._instance.notifier.tell(Kind.NOTICE, [person.index], payload=f"{what} {user.name}".encode())

    def send(self, user: User, person: SessionInfo, text: str, words: Words) -> None:
        """Send an X-message and tell the caller the result."""
        say = self._console.say
        if refusal := self._board.may_not_write(words):
            say(refusal, Style.ALERT)
            return
        is_ignored = self._instance.meeting.ignored.ignores(person.user, user.id)
        try:
            if not is_ignored:  # of which the sender learns nothing
                self._instance.messages.send(user.id, user.name, person.user, text)
        except BoxFull:
            say(words("{name} has too many unread messages.", name=person.name), Style.YELLOW)
            return
        self._instance.tally.count(counters.XMESSAGES)
        addressee = self._instance.directory.of_user(person.user)
        if addressee is not None:
            if not is_ignored:
                self._instance.notifier.tell(Kind.XMESSAGE, [addressee.index])
            say(words("Sent to {name}.", name=person.name), Style.GREEN)
        else:
            say(words("{name} has just left and will read it at the next login.", name=person.name))

    def show(self, user: User, words: Words) -> int:
        """Show the X-messages that wait for this user, above the open prompt if there is one; return how many."""
        shown = 0
        try:
            with self._instance.messages.taking(user.id) as waiting:
                shown = len(waiting)
                for message in waiting:
                    self._console.interrupt(notices.message(message, words), Style.CYAN)
                self._line.flush()  # a message counts as read only once it was sent
        except StoreError as error:
            log.error("messages for %r wait: %s", user.name, error)
        return shown
