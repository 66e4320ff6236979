"""A reader who follows the events as they happen.

Owns the reader's position, and finds the sessions that were killed and so could not log out: whoever follows notes them
as gone, once, for all who follow. Never waits and never sends.
"""

from yawc_poker.casino.events.events import Event, Position, look
from yawc_poker.casino.events.visits import open_logins, write_gone
from yawc_poker.casino.instance.everybody import users_here
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.actions import finish_pending

PENDING_SECONDS = 60.0
"""How long a sysop action may wait for its CUBES until they are moved here: its process was killed."""


class Follower:
    """One reader. Every method may raise `StoreError`."""

    def __init__(self, instance: Instance, position: Position) -> None:
        self.position = position
        self._instance = instance

    def news(self) -> tuple[list[Event], bool]:
        """Return the next events, and whether there were no more."""
        found = look(self._instance, self.position)
        self.position = found.position
        since = found.pending_since
        # Also of the future, as after a clock was set back: else it would wait until then.
        if since is not None and abs(self._instance.accounts.store.clock() - since) > PENDING_SECONDS:
            finish_pending(self._instance.sysop_log, self._instance.bank)
        return found.events, found.is_all

    def note_gone(self) -> None:
        """Note the users whose sessions are not in any host's directory any more, though they never logged out.

        The logins are read before the directory, and a session writes its logout before it leaves that: so a login that
        nothing came after is one whose session was killed.
        """
        with self._instance.accounts.store.reading() as users:
            logins = open_logins(users)
        here = users_here(self._instance)
        gone = {user: login for user, login in logins.items() if user not in here}
        if gone:
            with self._instance.accounts.store.writing() as users:
                write_gone(users, gone, self._instance.accounts.store.clock())
