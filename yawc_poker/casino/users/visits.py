"""Who came and went: the last logins and logouts, in the order in which they were written. No addresses.

Owns the rows of `visit` in `users.sqlite`; the functions work in a transaction that somebody has begun. A session that
is killed writes no logout: its user is noted as gone by the user's next login, by who follows the events, or at the
next start. Whoever writes keeps the user's row first: whether a login is a user's last visit is looked at before a row
is written that says what became of it. Numbers are followed as far as they are settled (`store.turns`).
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import hold_users, rows_nobody_holds

KEPT: Final = 10_000
"""Rows that are kept."""
CALLS: Final = 20
"""Callers whose last call is told."""

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
    hold_users(users, [user])
    if _last_login(users, user) is not None:
        _write(users, "gone", user, now)
    _write(users, "login", user, now)


def write_logout(users: Connection, user: int, now: float) -> None:
    """Note that a user went."""
    hold_users(users, [user])
    _write(users, "logout", user, now)


def write_gone(users: Connection, logins: Mapping[int, int], now: float) -> None:
    """Note that these users' sessions ended, by user the number of the login, unless something came after it."""
    hold_users(users, logins)
    for user, login in logins.items():
        if _last_login(users, user) == login:
            _write(users, "gone", user, now)


def _write(users: Connection, kind: VisitKind, user: int, now: float) -> None:
    insert = "INSERT INTO visit (kind, user, at) VALUES (?, ?, ?) RETURNING id"
    (number,) = users.execute(insert, (kind, user, now)).fetchone()
    users.later(f"DELETE FROM visit WHERE {rows_nobody_holds(users, 'visit', 'id <= ?')}", (number - KEPT,))


def _last_login(users: Connection, user: int) -> int | None:
    """Return the number of a user's login that nothing came after, or None if they went, or never came."""
    query = "SELECT id, kind FROM visit WHERE user = ? ORDER BY id DESC LIMIT 1"
    found = users.execute(query, (user,)).fetchone()
    return int(found[0]) if found is not None and found[1] == "login" else None


def open_logins(users: Connection) -> dict[int, int]:
    """Return the logins that nothing came after, by user."""
    query = """
        SELECT visit.user, id FROM (SELECT max(id) AS last FROM visit GROUP BY user) AS latest
        JOIN visit ON id = last WHERE kind = 'login'
    """
    return {int(user): int(number) for user, number in users.execute(query)}


def visits_after(users: Connection, number: int, upto: int, limit: int) -> list[Visit]:
    """Return the visits after one of this number, oldest first; `upto`: as far as numbers are settled."""
    query = """
        SELECT visit.id, kind, visit.user, name, at FROM visit JOIN user ON user.id = visit.user
        WHERE visit.id > ? AND visit.id <= ? ORDER BY visit.id LIMIT ?
    """
    return [Visit(*row) for row in users.execute(query, (number, upto, limit))]


def forgotten_after(users: Connection, number: int) -> int:
    """Return how many numbers after this one are of visits that are not kept any more."""
    query = "SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM visit"
    first, last = users.execute(query).fetchone()
    return max(0, min(int(first) - 1, int(last) - KEPT) - number)


# --- the last callers -------------------------------------------------------------------------------------------------


class Call(msgspec.Struct, frozen=True):
    """A user's last call; times are epoch seconds."""

    user: int
    name: str
    came: float
    went: float | None
    """None: they are still here, or their session was killed, and nobody knows when."""


def latest_calls(store: Store) -> list[Call]:
    """Return the last callers, each once, the last one first. A closed account is left out. Raise `StoreError`."""
    query = """
        SELECT visit.id, visit.user, name, at
        FROM (SELECT max(id) AS last FROM visit WHERE kind = 'login' GROUP BY user) AS logins
        JOIN visit ON visit.id = last JOIN user ON user.id = visit.user AND user.closed IS NULL
        ORDER BY visit.id DESC LIMIT ?
    """
    with store.reading() as users:
        rows = users.execute(query, (CALLS,)).fetchall()
        return [Call(user, name, came, _went(users, user, login)) for login, user, name, came in rows]


def _went(users: Connection, user: int, login: int) -> float | None:
    """Return when a user logged out after this login, or None if they did not."""
    query = "SELECT at, kind FROM visit WHERE user = ? AND id > ? ORDER BY id LIMIT 1"
    found = users.execute(query, (user, login)).fetchone()
    return float(found[0]) if found is not None and found[1] == "logout" else None
