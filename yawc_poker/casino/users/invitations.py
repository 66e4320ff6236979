"""Invitations: links to a table that hold for one evening, and let a guest in.

Owns the rows of `invitation` in `users.sqlite`. A token is known to whoever was sent the link, and lasts `LASTS`. Who
asks again soon gets the same one; rows whose time is over are forgotten then.
"""

import secrets
from typing import Final

import msgspec

from yawc_poker.casino.store.connection import Store, read_row

LASTS: Final = 12 * 3600.0
"""Seconds that an invitation holds."""
AGAIN: Final = 3600.0
"""Seconds for which the same one is given again."""
TOKEN_BYTES: Final = 12
LONGEST: Final = 40
"""Characters of what a link may say; more is none of ours."""


class Invitation(msgspec.Struct, frozen=True):
    """What an invitation says."""

    place: str
    """The table, as links name it."""
    name: str
    """Who invites."""
    until: float
    """Epoch seconds."""


class Invitations:
    """The invitations of one BBS; users are given by id. Methods may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def make(self, user: int, place: str) -> str:
        """Return the token of a user's invitation to a table; one of the last hour is given again."""
        with self._store.writing() as users:
            now = self._store.clock()
            users.execute("DELETE FROM invitation WHERE until <= ?", (now,))
            query = "SELECT token FROM invitation WHERE user = ? AND place = ? AND until > ?"
            found = users.execute(query, (user, place, now + LASTS - AGAIN)).fetchone()
            if found is not None:
                return str(found[0])
            token = secrets.token_urlsafe(TOKEN_BYTES)
            row = (token, user, place, now + LASTS)
            users.execute("INSERT INTO invitation (token, user, place, until) VALUES (?, ?, ?, ?)", row)
            return token

    def find(self, token: str) -> Invitation | None:
        """Return an invitation that holds; None: there is none of this token, or its host's account is closed."""
        query = """
            SELECT place, name, until FROM invitation JOIN user ON user.id = invitation.user
            WHERE token = ? AND until > ? AND closed IS NULL
        """
        if not token or len(token) > LONGEST:
            return None
        found = read_row(self._store, query, (token, self._store.clock()))
        return None if found is None else Invitation(str(found[0]), str(found[1]), float(found[2]))
