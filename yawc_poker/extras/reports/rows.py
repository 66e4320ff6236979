"""Reports in the users' database. Owns the table `report`; texts are made harmless when they are kept."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from yawc_poker.casino.store.connection import Connection, Store, read_rows
from yawc_poker.terminal.text import clean

MOST_OPEN: Final = 5
"""Reports of one user that are not answered yet."""
LINE: Final = 200
"""Characters of a line."""
_OPEN = """
SELECT report.id, name, at, place, text FROM report JOIN user ON user.id = report.user
WHERE answered IS NULL ORDER BY report.id LIMIT ?
"""


class TooMany(Exception):
    """The user has as many open reports as one may; nothing was kept."""


class Report(NamedTuple):
    """A report that nobody has answered yet."""

    id: int
    name: str
    at: float
    """Epoch seconds."""
    place: str
    """Where they were."""
    text: str
    """What they say in the first line, then the last lines that they read."""


def keep(store: Store, user: int, place: str, lines: Iterable[str]) -> None:
    """Keep a report. Raise `TooMany` or `StoreError`."""
    text = "\n".join(clean(line, LINE) for line in lines)
    with store.writing() as users:
        query = "SELECT count(*) FROM report WHERE user = ? AND answered IS NULL"
        if users.execute(query, (user,)).fetchone()[0] >= MOST_OPEN:
            raise TooMany
        row = (user, store.clock(), clean(place, LINE), text)
        users.execute("INSERT INTO report (user, at, place, text) VALUES (?, ?, ?, ?)", row)


def open_reports(store: Store, most: int) -> list[Report]:
    """Return the reports that nobody has answered, the oldest first. Raise `StoreError`."""
    return [Report(*row) for row in read_rows(store, _OPEN, (most,))]


def close(store: Store, report: int, by: str) -> None:
    """Note that a sysop has answered a report. Raise `StoreError`."""
    with store.writing() as users:
        row = (store.clock(), by, report)
        users.execute("UPDATE report SET answered = ?, by = ? WHERE id = ? AND answered IS NULL", row)


def sysops(store: Store) -> frozenset[int]:
    """Return all sysops. Raise `StoreError`."""
    return frozenset(int(user) for (user,) in read_rows(store, "SELECT id FROM user WHERE sysop = 1"))


def last_messages(store: Store, user: int, most: int) -> list[str]:
    """Return the last X-messages that a user has got, each with its sender, the oldest first. Raise `StoreError`."""
    query = "SELECT from_name, text FROM message WHERE to_id = ? ORDER BY id DESC LIMIT ?"
    return [f"{name}: {text}" for name, text in read_rows(store, query, (user, most))][::-1]


def forget(users: Connection, user: int) -> None:
    """Remove a user's reports, in the transaction that closes the account."""
    users.execute("DELETE FROM report WHERE user = ?", (user,))
