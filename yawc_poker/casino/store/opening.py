"""Which store the configuration asks for: a file of SQLite, or a PostgreSQL database.

Owns that decision. What only PostgreSQL needs is loaded where a database is configured, and nowhere else: by `load`,
which the listener calls before it forks, or by whoever opens a store first.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from yawc_poker.casino.store.connection import NO_LOCK, Clock, Lock, Store, StoreError
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from yawc_poker.casino.store.postgres import PostgresStore


def load() -> "type[PostgresStore]":
    """Load what a database takes; return the class of its stores. Raise `StoreError` if psycopg is not installed."""
    try:
        from yawc_poker.casino.store.postgres import PostgresStore
    except ImportError as error:
        raise StoreError(f"a PostgreSQL database needs psycopg (yawc-poker[cluster]): {error}") from None
    return PostgresStore


def open_store(
    layout: Layout,
    database: str,
    path: Path,
    lock: Lock = NO_LOCK,
    *,
    look_only: bool = False,
    must_exist: bool = False,
    failure: type[StoreError] | None = None,
    around: Lock = NO_LOCK,
    fence: str = "",
    clock: Clock = time.time,
) -> Store:
    """Return the store of these tables: in the database of this URL, or, if it is empty, in the file at `path`.

    `lock` is held around every transaction on the file, `around` around every one on the database, of which several run
    at once. With `look_only` nothing is made or written, with `must_exist` nothing is made. With `failure`, all that
    goes wrong is told by an error of that class. With `fence` a transaction on the database writes only as long as that
    finds a row. Nothing is opened yet. Raise `StoreError` if psycopg is not installed, or for a bad URL.
    """
    store: Store
    if database:
        store = load()(
            database, layout, look_only=look_only, must_exist=must_exist, failure=failure, lock=around, fence=fence
        )
    else:
        store = SqliteStore(path, lock, layout, look_only=look_only, must_exist=must_exist, failure=failure)
    store.clock = clock
    return store
