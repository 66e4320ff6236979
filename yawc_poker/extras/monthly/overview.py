"""A month in figures, from what the databases keep. Only reads; days are UTC's, as everywhere in the books."""

from collections import Counter, defaultdict
from typing import Final

import msgspec

from yawc_poker.casino.rankings.periods import DAY, Month, date_of
from yawc_poker.casino.store.connection import Connection

_CUBES: Final = """
SELECT txn.kind, sum(CASE WHEN amount > 0 THEN amount ELSE 0 END), sum(CASE WHEN amount < 0 THEN amount ELSE 0 END)
FROM txn JOIN entry ON entry.txn = txn.id JOIN account ON account.id = entry.account
WHERE account.kind = 'user' AND at >= ? AND at < ? GROUP BY txn.kind ORDER BY txn.kind
"""


class Day(msgspec.Struct, frozen=True):
    """A day."""

    date: str
    callers: int
    """Different users who logged in."""
    calls: int
    games: dict[str, int]
    """Games that ended, by kind, without those that were broken off."""


class Cubes(msgspec.Struct, frozen=True):
    """What users got, and what they paid, by one kind of transaction."""

    source: str
    got: int
    paid: int


class Overview(msgspec.Struct, frozen=True):
    """A month."""

    month: str
    days: list[Day]
    callers: int
    """Different users who logged in."""
    registered: int
    cubes: list[Cubes]
    known_since: float | None
    """Epoch seconds: of logins before it nothing is kept any more; None: all of the month are."""


def overview(month: Month, users: Connection, books: Connection) -> Overview:
    """Return the figures of a month. Raise `store.connection.FAILURES`."""
    span = (month.days.start * DAY, month.days.stop * DAY)
    logins: dict[int, Counter[int]] = defaultdict(Counter)
    query = "SELECT user, at FROM visit WHERE kind = 'login' AND at >= ? AND at < ?"
    for user, at in users.execute(query, span):
        logins[int(at // DAY)][int(user)] += 1
    games: dict[int, Counter[str]] = defaultdict(Counter)
    query = "SELECT kind, closed FROM game WHERE closed >= ? AND closed < ? AND outcome <> 'refunded'"
    for kind, closed in books.execute(query, span):
        games[int(closed // DAY)][str(kind)] += 1
    query = "SELECT count(*) FROM user WHERE guest = 0 AND created >= ? AND created < ?"
    (registered,) = users.execute(query, span).fetchone()
    first, oldest = users.execute("SELECT min(id), min(at) FROM visit").fetchone()
    return Overview(
        month=str(month),
        days=[
            Day(date_of(day), len(logins[day]), logins[day].total(), dict(sorted(games[day].items())))
            for day in month.days
        ],
        callers=len({user for day in logins.values() for user in day}),
        registered=int(registered),
        cubes=[Cubes(str(kind), int(got), -int(paid)) for kind, got, paid in books.execute(_CUBES, span)],
        known_since=None if first is None or first == 1 or oldest <= span[0] else float(oldest),
    )
