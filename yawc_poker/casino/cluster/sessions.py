"""The rows of `cluster.session`: who is logged in on which host, and where; a user has one row at most.

Owns these rows. Every function works in a transaction that somebody has begun, on whichever of the database's
connections: the table is named with its schema. Invariants:

* A session that logs in writes its row before it counts as logged in. So no user has two sessions, whatever hosts know
  of each other: the row of the older one is in the way until that is gone.
* A row is deleted by its session when it leaves, by the courier of its host when it is dead, by whoever needs its place
  when the lease of its host was taken away, and by nobody else.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from yawc_poker.casino.database.connection import Connection, Unavailable
from yawc_poker.casino.database.connection import Row as Columns

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


class Listed(msgspec.Struct, frozen=True):
    """A row, and what is known of its host."""

    row: Row
    host: str
    """The host's name."""
    in_force: bool
    """Whether the lease in which the row was written has not been taken away."""


_NAMES: Final = ", ".join(f'"{name}"' for name in Row.__struct_fields__)
_TYPES: Final = {int: "bigint", float: "double precision", str: "text"}
_LISTED: Final = f"""
    SELECT {", ".join(f's."{name}"' for name in Row.__struct_fields__)}, h.name,
        h.epoch = s.epoch AND h.until > '-infinity'::timestamptz
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
        if any(one.row.token == row.token for one in in_the_way):
            return None  # written before, by a commit that got no answer
        left = [one for one in in_the_way if one.in_force and one.row.record != row.record]
        for one in left:
            if one.row.host != row.host or not is_gone(one.row):
                return one
        forget(users, [one.row.token for one in in_the_way])
    raise Unavailable("rows of sessions that have left come back all the time")


def forget(users: Connection, tokens: Sequence[int]) -> None:
    """Delete the rows of these sessions."""
    if tokens:
        users.execute("DELETE FROM cluster.session WHERE token = ANY(?::bigint[])", (_signed(tokens),))


def everybody(users: Connection) -> list[Listed]:
    """Return all rows."""
    return [_listed(one) for one in users.execute(_LISTED)]


def users_in(users: Connection) -> set[int]:
    """Return the users who are logged in on any host."""
    return {one.row.user for one in everybody(users) if one.in_force}


def update(users: Connection, rows: Sequence[Row]) -> set[int]:
    """Bring rows up to date; return the tokens of those that there are."""
    if not rows:
        return set()
    assigned = ", ".join(f'"{name}" = v."{name}"' for name in _CHANGING)
    query = f"""
        UPDATE cluster.session AS s SET {assigned} FROM {_unnested()} WHERE s.token = v.token RETURNING s.token
    """
    return {int(token) % _SIGNED for (token,) in users.execute(query, _arrays(rows))}


def insert(users: Connection, rows: Sequence[Row]) -> None:
    """Write rows of sessions that have none, unless another session of the user has one."""
    if rows:
        users.execute(
            f"INSERT INTO cluster.session ({_NAMES}) SELECT {_NAMES} FROM {_unnested()} ON CONFLICT DO NOTHING",
            _arrays(rows),
        )


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


def _listed(columns: Columns) -> Listed:
    record, token, host, epoch, user, name, peer, door, place, login, pressed, waiting, host_name, in_force = columns
    row = Row(
        int(record),
        int(token) % _SIGNED,
        int(host),
        int(epoch),
        int(user),
        str(name),
        str(peer),
        int(door),
        int(place),
        float(login),
        float(pressed),
        int(waiting),
    )
    return Listed(row, str(host_name), bool(in_force))
