"""The last callers: when each of them came and went. No addresses.

Owns no row: `casino.users.visits` notes who came and went. A closed account is left out.
"""

import msgspec

from yawc_poker.casino.store.connection import Connection, Store

MOST = 20


class Call(msgspec.Struct, frozen=True):
    """A user's last call; times are epoch seconds."""

    user: int
    name: str
    came: float
    went: float | None
    """None: they are still here, or their session was killed, and nobody knows when."""


class Calls:
    """The last callers of one BBS. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def latest(self) -> list[Call]:
        """Return the last callers, each once, the last one first."""
        query = """
            SELECT visit.id, visit.user, name, at
            FROM (SELECT max(id) AS last FROM visit WHERE kind = 'login' GROUP BY user) AS logins
            JOIN visit ON visit.id = last JOIN user ON user.id = visit.user AND user.closed IS NULL
            ORDER BY visit.id DESC LIMIT ?
        """
        with self._store.reading() as users:
            rows = users.execute(query, (MOST,)).fetchall()
            return [Call(user, name, came, _went(users, user, login)) for login, user, name, came in rows]


def _went(users: Connection, user: int, login: int) -> float | None:
    """Return when a user logged out after this login; None: they did not."""
    query = "SELECT at, kind FROM visit WHERE user = ? AND id > ? ORDER BY id LIMIT 1"
    found = users.execute(query, (user, login)).fetchone()
    return float(found[0]) if found is not None and found[1] == "logout" else None
