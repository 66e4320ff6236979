"""The tallies of each day: counted from the games and the ledger, and kept for days that are over.

Owns the tables `tally` and `untallied` of the bank's books (layout: `bank.schema`). A kept day saves counting its games
again, and nothing else: it can be counted anew at any time, and the audit does (`untrue`). Invariants:

* A day in which a game was closed since the day was kept is in `untallied`: a trigger writes that in the transaction
  that closes the game. So a day that is not there is kept whole, whatever clocks do.
* On PostgreSQL that transaction keeps the row of `untallied`, and so does whoever takes it away: a game that is closed
  at the same moment is either counted, or leaves the day untallied.
* The bank's lock is held for some `PIECE` games at a time.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.rankings.periods import DAY, day_of
from yawc_poker.casino.store.connection import Connection, Store, read_rows
from yawc_poker.engine.house import HOUSE_USERS

Order = Literal["cubes", "won", "points", "run"]
ORDERS: Final[tuple[Order, ...]] = ("cubes", "won", "points", "run")
"""What a table of the rankings may be sorted by."""


class Tally(msgspec.Struct, frozen=True, array_like=True):
    """What games of one kind came to that were played to their end, in the order in which they ended.

    Invariant: `then` of the tallies of all days, in order, is the tally of all their games.
    """

    games: int = 0
    won: int = 0
    cubes: int = 0
    """What the games brought, less what was paid into them, in whole CUBES."""
    points: int | None = None
    """None: no game that counts points."""
    head: int = 0
    """Games won in a row from the first one on."""
    tail: int = 0
    """Games won in a row up to the last one."""
    run: int = 0
    """The most games won in a row."""

    def then(self, later: "Tally") -> "Tally":
        """Return the tally of these games and of those that ended later."""
        return Tally(
            self.games + later.games,
            self.won + later.won,
            self.cubes + later.cubes,
            _sum(self.points, later.points),
            self.head if self.head < self.games else self.games + later.head,
            later.tail if later.tail < later.games else later.games + self.tail,
            max(self.run, later.run, self.tail + later.head),
        )

    def value(self, order: Order) -> int:
        """Return what a table in this order sorts by."""
        found: int | None = getattr(self, order)
        return found or 0


NONE: Final = Tally()


def of_game(*, won: bool, cubes: int, points: int | None) -> Tally:
    """Return the tally of one game."""
    row = int(won)
    return Tally(1, row, cubes, points, row, row, row)


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


class RankedUser(msgspec.Struct, frozen=True):
    """A line of a table. Equal values have the same rank, which counts from 1."""

    rank: int
    user: int
    tally: Tally


def ranked(tallies: Mapping[int, Tally], order: Order, users: Set[int]) -> list[RankedUser]:
    """Return the places of a table, best first: those of these users whose value is above 0."""
    chosen = tallies.keys() & users
    values = {user: value for user in chosen if (value := tallies[user].value(order)) > 0}
    places: list[RankedUser] = []
    for number, user in enumerate(sorted(values, key=lambda user: (-values[user], -tallies[user].won, user)), 1):
        same = bool(places) and tallies[places[-1].user].value(order) == values[user]
        places.append(RankedUser(places[-1].rank if same else number, user, tallies[user]))
    return places


ALL_GAMES: Final = ""
"""The kind that stands for games of all kinds together; points of different games make no sum."""
PIECE: Final = 512
"""Games that are counted in one transaction, for which the bank is waited for once."""
TOGETHER: Final = 8
"""Days that are kept by one transaction: each waits for the disk."""
PEOPLE: Final = HOUSE_USERS.start
"""Users from this number on have no account: house players, and the guests of a door for programs."""

Tallies: TypeAlias = dict[tuple[str, int], Tally]
"""By kind of game and user."""
Reading: TypeAlias = Callable[[], AbstractContextManager[Connection]]
"""Opens a transaction that reads the books."""

_GAMES = """
SELECT id, kind, outcome, closed FROM game
WHERE closed >= :start AND closed < :end AND (closed > :closed OR id > :id){whose} ORDER BY closed, id LIMIT :limit
"""
_OF_USER = """
AND (EXISTS (SELECT 1 FROM player WHERE player.user = :user AND player.game = game.id)
OR EXISTS (SELECT 1 FROM unrevealed WHERE unrevealed.game = game.id AND unrevealed.user = :user))
"""
"""Who is not dealt in pays only for a text that was missing."""
_PLAYERS = """
SELECT player.game, player.user, winner.user IS NOT NULL, points.points
FROM ({games}) AS piece CROSS JOIN player ON player.game = piece.id
LEFT JOIN winner ON winner.game = player.game AND winner.user = player.user
LEFT JOIN points ON points.user = player.user AND points.game = player.game
WHERE +player.user < :people
"""
_CUBES = """
SELECT piece.id, account.ref, sum(entry.amount)
FROM ({games}) AS piece CROSS JOIN txn ON txn.game = piece.id CROSS JOIN entry ON entry.txn = txn.id
CROSS JOIN account ON account.id = entry.account
WHERE account.kind = 'user' AND account.ref < :people GROUP BY piece.id, account.ref
"""
_COLUMNS = ", ".join(Tally.__struct_fields__)
_KEEP = f"""
INSERT INTO tally (kind, day, user, {_COLUMNS}) VALUES ({", ".join("?" * (3 + len(Tally.__struct_fields__)))})
ON CONFLICT (kind, day, user) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in Tally.__struct_fields__)}
"""


def counted(reading: Reading, day: int, user: int | None = None) -> tuple[Tallies, int]:
    """Count the games that ended on a day, with `user` those of this user; return the tallies, and how many they are.

    What is counted does not change afterwards, so it is read in pieces. Raise what the reading raises.
    """
    found: Tallies = defaultdict(Tally)
    query = _GAMES.format(whose="" if user is None else _OF_USER)
    games, closed, last = 0, float(day * DAY), 0
    values: dict[str, float | int | None] = {"end": (day + 1) * DAY, "limit": PIECE, "user": user, "people": PEOPLE}
    while True:
        values |= {"start": closed, "closed": closed, "id": last}
        with reading() as books:
            rows = books.execute(query, values).fetchall()
            if rows:
                each = _tallies(books, query, values)
                for game, kind, outcome, _ in rows:
                    if outcome != "refunded":
                        _add(found, kind, each[game])
        games += len(rows)
        if len(rows) < PIECE:
            return dict(found), games
        last, closed = rows[-1][0], rows[-1][3]


def _tallies(books: Connection, games: str, values: Mapping[str, float | int | None]) -> dict[int, dict[int, Tally]]:
    """Return what each of these games came to, by game and user."""
    cubes: dict[int, dict[int, int]] = defaultdict(dict)
    for game, user, amount in books.execute(_CUBES.format(games=games), values):
        cubes[game][int(user)] = int(amount)
    found: dict[int, dict[int, Tally]] = defaultdict(dict)
    for game, user, won, points in books.execute(_PLAYERS.format(games=games), values):
        found[game][int(user)] = of_game(won=bool(won), cubes=cubes[game].pop(user, 0), points=points)
    for game, left in cubes.items():  # moved, though they did not play
        found[game] |= {user: Tally(cubes=amount) for user, amount in left.items()}
    return found


def _add(found: Tallies, kind: str, each: Mapping[int, Tally]) -> None:
    """Add one game to the tallies."""
    for user, tally in each.items():
        found[kind, user] = found[kind, user].then(tally)
        found[ALL_GAMES, user] = found[ALL_GAMES, user].then(replace(tally, points=None))


def keep_past_days(store: Store, today: int) -> None:
    """Keep the tallies of all days before today that are not kept yet. Raise `StoreError`.

    It may be done by any process, at any time, by several at once, and again.
    """
    days = [int(day) for (day,) in read_rows(store, "SELECT day FROM untallied WHERE day < ? ORDER BY day", (today,))]
    for start in range(0, len(days), TOGETHER):
        _keep(store, {day: counted(store.reading, day) for day in days[start : start + TOGETHER]})


def _keep(store: Store, found: Mapping[int, tuple[Tallies, int]]) -> None:
    """Write days' tallies; not of a day in which another game was closed meanwhile, as when a clock was set back."""
    with store.writing() as books:
        for day, (tallies, games) in found.items():
            query = f"SELECT day FROM untallied WHERE day = ?{books.for_update}"
            if books.execute(query, (day,)).fetchone() is None:
                continue  # another process has kept it
            query = "SELECT count(*) FROM game WHERE closed >= ? AND closed < ?"
            if books.execute(query, (day * DAY, (day + 1) * DAY)).fetchone()[0] == games:
                rows = [(kind, day, user, *_row(tally)) for (kind, user), tally in tallies.items()]
                books.executemany(_KEEP, rows)
                books.execute("DELETE FROM untallied WHERE day = ?", (day,))


def _row(tally: Tally) -> tuple[int | None, ...]:
    return tuple(getattr(tally, name) for name in Tally.__struct_fields__)


def by_day(store: Store, kind: str, days: range) -> Iterator[dict[int, Tally]]:
    """Yield the tallies of one kind of game, by user, of each of these days on which one ended. Raise `StoreError`."""
    kept: dict[int, dict[int, Tally]] = defaultdict(dict)
    values = {"kind": kind, "start": days.start, "stop": days.stop}
    with store.reading() as books:
        query = "SELECT day FROM untallied WHERE day >= :start AND day < :stop"
        open_days = {int(day) for (day,) in books.execute(query, values)}
        query = f"SELECT day, user, {_COLUMNS} FROM tally WHERE kind = :kind AND day >= :start AND day < :stop"
        for day, user, *row in books.execute(query, values):
            kept[day][user] = Tally(*row)
    for day in sorted(kept.keys() | open_days):
        yield _of_kind(store, kind, day) if day in open_days else kept[day]


def _of_kind(store: Store, kind: str, day: int) -> dict[int, Tally]:
    tallies, _ = counted(store.reading, day)
    return {user: tally for (one, user), tally in tallies.items() if one == kind}


def of_user(store: Store, user: int) -> dict[str, Tally]:
    """Return what all games of a user came to, by kind. Raise `StoreError`."""
    with store.reading() as books:
        open_days = [int(day) for (day,) in books.execute("SELECT day FROM untallied")]
        query = f"SELECT day, kind, {_COLUMNS} FROM tally WHERE user = ?"
        rows = [(int(day), str(kind), Tally(*row)) for day, kind, *row in books.execute(query, (user,))]
    for today in open_days:
        rows = [row for row in rows if row[0] != today]
        tallies, _ = counted(store.reading, today, user)
        rows += [(today, kind, tally) for (kind, one), tally in tallies.items() if one == user]
    found: dict[str, Tally] = defaultdict(Tally)
    for _, kind, tally in sorted(rows, key=lambda row: row[0]):
        found[kind] = found[kind].then(tally)
    return dict(found)


def untrue(books: Connection) -> list[int]:
    """Return the days whose kept tallies are not what the games and the ledger say; for the audit.

    Raise `store.connection.FAILURES`.
    """
    open_days = {int(day) for (day,) in books.execute("SELECT day FROM untallied")}
    days = {day_of(closed) for (closed,) in books.execute("SELECT closed FROM game WHERE closed IS NOT NULL")}
    kept: dict[int, Tallies] = defaultdict(dict)
    for kind, day, user, *row in books.execute(f"SELECT kind, day, user, {_COLUMNS} FROM tally"):
        kept[day][kind, user] = Tally(*row)
    closed = sorted((days | kept.keys()) - open_days)
    return [day for day in closed if counted(lambda: nullcontext(books), day)[0] != kept.get(day, {})]
