"""Who came and went: the last logins and logouts, in the order in which they were written.

Owns the rows of `visit` in `users.sqlite`; the functions work in a transaction that somebody has begun. A session that
is killed writes no logout: its user is noted as gone by the user's next login, by who follows the events
(`casino.events.follower`), or at the next start.
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from yawc_poker.casino.database.connection import Connection

KEPT: Final = 10_000
"""Rows that are kept."""

VisitKind = Literal["login", "logout", "gone"]


class Visit(msgspec.Struct, frozen=True):
    """A login, a logout, or the end of a session that could not log out."""

    id: int
    kind: VisitKind
    user: int
    name: str
    at: float
    """Epoch seconds."""


def write_login(users: Connection, user: int, now: float) -> None:
    """Note that a user came."""
    if _last_login(users, user) is not None:
        _write(users, "gone", user, now)
    _write(users, "login", user, now)


def write_logout(users: Connection, user: int, now: float) -> None:
    """Note that a user went."""
    _write(users, "logout", user, now)


def write_gone(users: Connection, logins: Mapping[int, int], now: float) -> None:
    """Note that these users' sessions ended, by user the number of the login, unless something came after it."""
    for user, login in logins.items():
        if _last_login(users, user) == login:
            _write(users, "gone", user, now)


def _write(users: Connection, kind: VisitKind, user: int, now: float) -> None:
    query = "INSERT INTO visit (kind, user, at) VALUES (?, ?, ?) RETURNING id"
    made = int(users.execute(query, (kind, user, now)).fetchone()[0])
    users.execute("DELETE FROM visit WHERE id <= ?", (made - KEPT,))


def _last_login(users: Connection, user: int) -> int | None:
    """Return the number of a user's login that nothing came after; None: they went, or never came."""
    query = "SELECT id, kind FROM visit WHERE user = ? ORDER BY id DESC LIMIT 1"
    found = users.execute(query, (user,)).fetchone()
    return int(found[0]) if found is not None and found[1] == "login" else None


def open_logins(users: Connection) -> dict[int, int]:
    """Return the logins that nothing came after, by user."""
    rows = users.execute("SELECT user, max(id), kind FROM visit GROUP BY user")  # with max() the kind is that row's
    return {int(user): int(number) for user, number, kind in rows if kind == "login"}


def visits_after(users: Connection, number: int, limit: int) -> list[Visit]:
    """Return the visits after one of this number, oldest first."""
    query = """
        SELECT visit.id, kind, user, name, at FROM visit JOIN user ON user.id = visit.user
        WHERE visit.id > ? ORDER BY visit.id LIMIT ?
    """
    return [Visit(*row) for row in users.execute(query, (number, limit))]
