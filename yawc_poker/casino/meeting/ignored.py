"""Whom each user ignores: nothing that those write reaches them, and nobody is told.

Owns the rows of `ignored` in `users.sqlite`; what is kept from a reader is decided where it would be shown. A sysop is
ignored by nobody: while somebody is one, their row means nothing.
"""

from yawc_poker.casino.store.connection import Connection, Store, read_rows
from yawc_poker.casino.store.turns import Turn, take_turn

MOST = 100
"""Users that one may ignore."""


class ListFull(Exception):
    """The user ignores as many as one may; nothing was changed."""


class IgnoreLists:
    """The ignore lists of all users; users are given by id. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, user: int, whom: int) -> dict[int, str]:
        """Put a user on another one's list, unless they are there; return whom that one ignores now, without sysops.

        Raise `ListFull`.
        """
        with self._store.writing() as users:
            take_turn(users, Turn.IGNORED, user)
            if not _is_listed(users, user, whom):
                (many,) = users.execute("SELECT count(*) FROM ignored WHERE user = ?", (user,)).fetchone()
                if many >= MOST:
                    raise ListFull(user)
                row = (user, whom, self._store.clock())
                users.execute("INSERT INTO ignored (user, whom, since) VALUES (?, ?, ?)", row)
            return ignored_by(users, user)

    def remove(self, user: int, whom: int) -> dict[int, str]:
        """Take a user off another one's list, if they are there; return whom that one ignores now, without sysops."""
        with self._store.writing() as users:
            users.execute("DELETE FROM ignored WHERE user = ? AND whom = ?", (user, whom))
            return ignored_by(users, user)

    def of(self, user: int) -> dict[int, str]:
        """Return whom a user has on their list, sysops among them, by id with their names, sorted by name."""
        query = "SELECT whom, name FROM ignored JOIN user ON user.id = whom WHERE ignored.user = ? ORDER BY name_key"
        return {int(whom): str(name) for whom, name in read_rows(self._store, query, (user,))}

    def ignores(self, user: int, whom: int) -> bool:
        """Return whether a user ignores another one."""
        with self._store.reading() as users:
            return is_ignored(users, user, whom)


def is_ignored(users: Connection, user: int, whom: int) -> bool:
    """Return whether a user ignores another one, in a transaction that was begun."""
    return whom in ignored_by(users, user)


def ignored_by(users: Connection, user: int) -> dict[int, str]:
    """Return whom a user ignores, without sysops, by id with their names, in a transaction that was begun."""
    query = "SELECT whom, name FROM ignored JOIN user ON user.id = whom WHERE ignored.user = ? AND sysop = 0"
    return {int(whom): str(name) for whom, name in users.execute(query, (user,))}


def _is_listed(users: Connection, user: int, whom: int) -> bool:
    found = users.execute("SELECT 1 FROM ignored WHERE user = ? AND whom = ?", (user, whom)).fetchone()
    return found is not None
