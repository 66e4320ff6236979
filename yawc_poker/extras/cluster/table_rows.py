"""The rows of `cluster.place`: the tables' values, where all hosts find them.

Owns their statements, and what tells whether a transaction was done whose COMMIT got no answer. Never knows the meaning
of a value, takes no lock of this host. A row's version is the commit number of the table's cell on each host that has
taken it over. Who changes a row has locked it first, in the transaction in which the bank moves what the change costs:
so both happen, or neither.

A version counts the row's commits, above bits that are drawn by lot. So where a database is put back, or a replica is
promoted that lags, what is committed then has other versions than what was lost: whoever has the row's version has its
value. Even and odd ones alternate, as the halves of a cell do.
"""

import secrets
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from yawc_poker.casino.store.connection import Connection, Store, StoreError
from yawc_poker.extras.cluster.server.opening import of_server

if TYPE_CHECKING:  # it needs psycopg, which is loaded where a database is configured
    from yawc_poker.extras.cluster.server.postgres import JointStatements

EMPTY: Final = (0, b"")
"""Version and value of a table where nothing was ever committed."""
_VERSIONS: Final = "SELECT number, version FROM cluster.place"
_LOT_BITS: Final = 20
_KEPT: Final = 15
"""Former versions that a row keeps."""
_REMEMBERED: Final = f"recent = (version || recent)[1:{_KEPT}]"


def next_version(version: int) -> int:
    """Return the version of what is committed after one: its lot is drawn by this process."""
    lot = secrets.randbits(_LOT_BITS - 1)
    return (commits(version) + 1 << _LOT_BITS) | (lot << 1) | (1 - version % 2)


def commits(version: int) -> int:
    """Return how many commits a row had when it got a version."""
    return version >> _LOT_BITS


def lay_out(connection: Connection, tables: int) -> None:
    """Make the rows that are missing, for so many tables."""
    query = "INSERT INTO cluster.place (number) VALUES (?) ON CONFLICT DO NOTHING"
    connection.executemany(query, [(number,) for number in range(tables)])


def versions(connection: Connection) -> dict[int, int]:
    """Return the version of each table's row, by the table's number."""
    return {int(number): int(version) for number, version in connection.execute(_VERSIONS)}


def values(connection: Connection, tables: Collection[int]) -> dict[int, tuple[int, bytes]]:
    """Return version and value of the rows of these tables, by number."""
    if not tables:
        return {}
    query = f"SELECT number, version, value FROM cluster.place WHERE number IN ({_places(tables)})"
    rows = connection.execute(query, tuple(tables))
    return {int(number): (int(version), bytes(value)) for number, version, value in rows}


def clear(connection: Connection) -> None:
    """Empty all tables, when nobody sits anywhere: each under a new version."""
    left = connection.execute("SELECT number, version FROM cluster.place WHERE value <> '' FOR UPDATE").fetchall()
    update = f"UPDATE cluster.place SET {_REMEMBERED}, version = ?, value = '' WHERE number = ?"
    connection.executemany(update, [(next_version(int(version)), number) for number, version in left])


def _places(items: Iterable[object]) -> str:
    return ", ".join("?" for _ in items)


class TableRow:
    """The row of one table, as one process uses it."""

    __slots__ = ("_number", "_store")

    def __init__(self, store: Store, number: int) -> None:
        """`store` is the bank's. Raise `StoreError` if it is a file."""
        self._store = of_server(store)
        self._number = number

    def joint(self, known: int) -> "AbstractContextManager[JointStatements]":
        """Run a transaction of which the bank's are parts, with the row locked from the beginning.

        What it `found` is the version, and the value, or None if it is `known`; nothing if there is no row yet.
        """
        value = f"CASE WHEN version <> {known} THEN value END"
        return self._store.joint(f"SELECT version, {value} FROM cluster.place WHERE number = {self._number} FOR UPDATE")

    def made(self, joint: "JointStatements") -> tuple[int, bytes]:
        """Make the row if it is missing, and lock it; return its version and its value."""
        joint.later("INSERT INTO cluster.place (number) VALUES (?) ON CONFLICT DO NOTHING", (self._number,))
        query = "SELECT version, value FROM cluster.place WHERE number = ? FOR UPDATE"
        version, value = joint.execute(query, (self._number,)).fetchone()
        return int(version), bytes(value)

    def read(self, connection: Connection | None = None) -> tuple[int, bytes]:
        """Return version and value: in an open transaction, or as they are now. Raise `StoreError`."""
        if connection is None:
            with self._store.reading() as reading:
                return self.read(reading)
        return values(connection, [self._number]).get(self._number, EMPTY)

    def write(self, joint: "JointStatements", version: int, value: bytes) -> None:
        """Write the next value into the row, which is locked, as this version; it goes with the end."""
        joint.later(
            f"UPDATE cluster.place SET {_REMEMBERED}, version = ?, value = ? WHERE number = ?",
            (version, value, self._number),
        )

    def was_done(self, version: int) -> bool | None:
        """Return whether the transaction was done that wrote this version, and whose COMMIT got no answer.

        None: that cannot be seen now. The server may still be at it. It holds the row meanwhile, so locking the row
        waits for its end. The row says whose commits it has had: a server that took the place of the one that was asked
        gives the numbers of transactions once more.
        """
        query = "SELECT version, recent FROM cluster.place WHERE number = ? FOR UPDATE"
        try:
            with self._store.checking() as database:
                newest, recent = database.execute(query, (self._number,)).fetchone() or (0, ())
        except StoreError:
            return None
        known = [int(newest), *map(int, recent)]
        if version in known:
            return True
        return False if commits(known[-1]) < commits(version) or len(known) <= _KEPT else None
