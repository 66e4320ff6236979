"""The rows of `cluster.session`: who is logged in on which host, and where; a user has one row at most.

Owns these rows. Every function works in a transaction that somebody has begun, on whichever of the database's
connections: the table is named with its schema. Invariants:

* A session that logs in writes its row before it counts as logged in. So no user has two sessions, whatever hosts know
  of each other: the row of the older one is in the way until that is gone.
* A row is deleted by its session when it leaves, by the courier of its host when it is dead, by whoever needs its place
  when the lease of its host was taken away, and by nobody else.
* The courier of a host numbers the changes of its host's rows, departures among them, one after the other: a change can
  be seen before the next one is made. So other couriers read what is new since the number that they know, and nothing
  where that is still the last one. Departures are known for a while; who comes later reads all rows of the host.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.store.connection import Connection, Unavailable, struct_of
from yawc_poker.casino.store.connection import Row as Columns

_SIGNED: Final = 1 << 64
_TRIES: Final = 5


class Row(msgspec.Struct, frozen=True):
    """A session that is logged in."""

    record: int
    token: int
    host: int
    epoch: int
    user: int
    name: str
    peer: str
    door: int
    place: int
    """`ipc.record.Place` as one word."""
    login: float
    """Epoch seconds."""
    input: float
    """When its caller last pressed a key, epoch seconds by the clock of the database."""
    waiting: int = 0
    """X-messages."""


class Roster(msgspec.Struct, frozen=True):
    """How far the rows of a host have been changed, whose lease is in force."""

    host: int
    epoch: int
    change: int
    """The number of the last change."""
    kept: int
    """Departures are known of the changes after this one."""


KEPT_CHANGES: Final = 1000
"""Changes of a host whose departures are known: some minutes."""


class Listed(Row, frozen=True, kw_only=True):
    """A row, and what is known of its host."""

    host_name: str
    in_force: bool
    """Whether the lease in which the row was written has not been taken away."""


_NAMES: Final = ", ".join(f'"{name}"' for name in Row.__struct_fields__)
_TYPES: Final = {int: "bigint", float: "double precision", str: "text"}
_IN_FORCE: Final = "h.epoch = s.epoch AND h.until > '-infinity'::timestamptz"
_LISTED: Final = f"""
    SELECT {", ".join(f's."{name}"' for name in Row.__struct_fields__)}, h.name,
        {_IN_FORCE}
    FROM cluster.session AS s JOIN cluster.host AS h ON h.number = s.host
"""
_CHANGING: Final = ("name", "peer", "door", "place", "login", "input", "waiting")


def claim(users: Connection, row: Row, is_gone: Callable[[Row], bool]) -> Listed | None:
    """Write the row of a session that logs in; if its user has another one that may live, return that, with no change.

    `is_gone` says of a row of the same host whether its session has left or died. Raise what a statement raises.
    """
    marks = ", ".join("?" * len(Row.__struct_fields__))
    insert = f"INSERT INTO cluster.session ({_NAMES}) VALUES ({marks}) ON CONFLICT DO NOTHING"
    for _ in range(_TRIES):
        if users.execute(insert, _values(row)).rowcount:
            return None
        wanted = '(s."user" = ? OR s.record = ?)'
        in_the_way = [_listed(one) for one in users.execute(f"{_LISTED} WHERE {wanted}", (row.user, row.record))]
        if any(one.token == row.token for one in in_the_way):
            return None  # written before, by a commit that got no answer
        left = [one for one in in_the_way if one.in_force and one.record != row.record]
        for one in left:
            if one.host != row.host or not is_gone(one):
                return one
        forget(users, [one.token for one in in_the_way])
    raise Unavailable("rows of sessions that have left come back all the time")


def forget(users: Connection, tokens: Sequence[int]) -> None:
    """Delete the rows of these sessions."""
    if tokens:
        users.execute("DELETE FROM cluster.session WHERE token = ANY(?::bigint[])", (_signed(tokens),))


def users_in(users: Connection) -> set[int]:
    """Return the users who are logged in on any host."""
    query = f"SELECT s.user FROM cluster.session AS s JOIN cluster.host AS h ON h.number = s.host WHERE {_IN_FORCE}"
    return {int(user) for (user,) in users.execute(query)}


# --- what a host's courier writes -------------------------------------------------------------------------------------


def begin_change(users: Connection, host: int, epoch: int, *, forgets: bool = False) -> int:
    """Return the number of the change that a host's courier makes by this transaction; old departures are forgotten.

    `forgets`: it does not know which were before, so that everybody has to read all rows.
    """
    query = """
        INSERT INTO cluster.roster AS r (host, epoch, change, kept) VALUES (?, ?, 1, 1)
        ON CONFLICT (host) DO UPDATE SET epoch = EXCLUDED.epoch, change = r.change + 1,
            kept = greatest(r.kept, r.change + 1 - ?)
        RETURNING change, kept
    """
    change, kept = users.execute(query, (host, epoch, 0 if forgets else KEPT_CHANGES)).fetchone()
    users.later("DELETE FROM cluster.departure WHERE host = ? AND change <= ?", (host, kept))
    return int(change)


def update(users: Connection, rows: Sequence[Row], change: int) -> set[int]:
    """Bring rows up to date; return the tokens of those that there are."""
    if not rows:
        return set()
    assigned = ", ".join(f'"{name}" = v."{name}"' for name in _CHANGING)
    query = f"""
        UPDATE cluster.session AS s SET {assigned}, change = ? FROM {_unnested()} WHERE s.token = v.token
        RETURNING s.token
    """
    return {int(token) % _SIGNED for (token,) in users.execute(query, [change, *_arrays(rows)])}


def insert(users: Connection, rows: Sequence[Row]) -> None:
    """Write rows of sessions that have none, unless another session of the user has one."""
    if rows:
        users.execute(
            f"INSERT INTO cluster.session ({_NAMES}) SELECT {_NAMES} FROM {_unnested()} ON CONFLICT DO NOTHING",
            _arrays(rows),
        )


def depart(users: Connection, host: int, tokens: Sequence[int], change: int) -> None:
    """Delete the rows of these sessions of a host, and let the others know."""
    if tokens:
        forget(users, tokens)
        query = "INSERT INTO cluster.departure SELECT ?, ?, unnest(?::bigint[]) ON CONFLICT DO NOTHING"
        users.later(query, (host, change, _signed(tokens)))


def unseen(users: Connection, host: int) -> list[int]:
    """Return the tokens of a host's sessions whose rows its courier has not changed yet."""
    query = "SELECT token FROM cluster.session WHERE host = ? AND change = 0"
    return [int(token) % _SIGNED for (token,) in users.execute(query, (host,))]


# --- what the couriers of the others read -----------------------------------------------------------------------------


def rosters(users: Connection) -> list[Roster]:
    """Return how far the rows of each host have been changed whose lease is in force."""
    query = f"""
        SELECT s.host, s.epoch, s.change, s.kept FROM cluster.roster AS s JOIN cluster.host AS h ON h.number = s.host
        WHERE {_IN_FORCE}
    """
    return [Roster(*map(int, row)) for row in users.execute(query)]


def of_host(users: Connection, host: int, after: int = 0) -> list[Listed]:
    """Return the rows of a host that its courier has changed after a change of this number."""
    return [_listed(one) for one in users.execute(f"{_LISTED} WHERE s.host = ? AND s.change > ?", (host, after))]


def departed(users: Connection, host: int, after: int) -> list[int]:
    """Return the tokens of a host's sessions that have left since a change of this number."""
    query = "SELECT token FROM cluster.departure WHERE host = ? AND change > ?"
    return [int(token) % _SIGNED for (token,) in users.execute(query, (host, after))]


def _unnested() -> str:
    """Return rows as a table `v` in a statement, from one array for each column."""
    columns = msgspec.structs.fields(Row)
    arrays = ", ".join(f"?::{_TYPES[column.type]}[]" for column in columns)
    return f"unnest({arrays}) AS v({_NAMES})"


def _arrays(rows: Sequence[Row]) -> list[list[int | float | str]]:
    return [list(column) for column in zip(*map(_values, rows), strict=True)]


def _values(row: Row) -> list[int | float | str]:
    return [_signed([row.token])[0] if name == "token" else getattr(row, name) for name in Row.__struct_fields__]


def _signed(tokens: Sequence[int]) -> list[int]:
    """Return tokens as the signed numbers that the column holds."""
    return [token - _SIGNED if token >= _SIGNED // 2 else token for token in tokens]


def _listed(row: Columns) -> Listed:
    found = struct_of(Listed, row)
    return replace(found, token=found.token % _SIGNED)
