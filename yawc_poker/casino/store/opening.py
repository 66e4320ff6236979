"""Which store the configuration asks for: a file of SQLite, or a PostgreSQL database.

Owns that decision. What only PostgreSQL needs is loaded where a database is configured, and nowhere else: by `load`,
which the listener calls before it forks, or by whoever opens a store first.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.bank.schema import BOOKS
from yawc_poker.casino.cluster.here import Fence
from yawc_poker.casino.store.connection import NO_LOCK, Layout, Lock, Store, StoreError
from yawc_poker.casino.store.sqlite import SqliteStore
from yawc_poker.casino.users.schema import USERS

if TYPE_CHECKING:
    from yawc_poker.casino.store.direct import Direct
    from yawc_poker.casino.store.postgres import PostgresStore


def load(database: str, *, is_shared: bool = False) -> None:
    """Load what a configured database needs, and what several hosts need. Raise `StoreError` if it is not installed."""
    if database:
        _postgres()
        for name in ("layouts.books", "layouts.users", *(("layouts.cluster", "direct") if is_shared else ())):
            import_module(f"yawc_poker.casino.store.{name}")


def _postgres() -> "type[PostgresStore]":
    """Return the class of its stores. Raise `StoreError` if psycopg is not installed."""
    try:
        from yawc_poker.casino.store.postgres import PostgresStore
    except ImportError as error:
        raise StoreError(f"a PostgreSQL database needs psycopg (yawc-poker[cluster]): {error}") from None
    return PostgresStore


def open_books(
    database: str,
    path: Path,
    lock: Lock,
    *,
    look_only: bool = False,
    must_exist: bool = False,
    around: Lock = NO_LOCK,
    fence: Fence | None = None,
) -> Store:
    """Return the bank's books: in the database of this URL, or, if it is empty, in the file at `path`.

    `lock` is held around every transaction on the file, `around` around every one on the database, of which several run
    at once. With `look_only` nothing is made or written, with `must_exist` nothing is made. With `fence` a transaction
    on the database writes only as long as that is in force. Nothing is opened yet. Raise `StoreError` if psycopg is not
    installed, or for a bad URL.
    """
    if not database:
        return SqliteStore(path, lock, BOOKS, look_only=look_only, must_exist=must_exist, failure=BankUnavailable)
    from yawc_poker.casino.store.layouts.books import BOOKS_LAYOUT

    return _postgres()(
        database,
        BOOKS_LAYOUT,
        look_only=look_only,
        must_exist=must_exist,
        failure=BankUnavailable,
        lock=around,
        fence=fence,
    )


def open_users(
    database: str,
    path: Path,
    lock: Lock,
    *,
    look_only: bool = False,
    must_exist: bool = False,
    around: Lock = NO_LOCK,
    fence: Fence | None = None,
) -> Store:
    """Return the accounts and all that is kept of callers: in the database of this URL, or in the file at `path`.

    The arguments are those of `open_books`. Raise `StoreError` if psycopg is not installed, or for a bad URL.
    """
    if not database:
        return SqliteStore(path, lock, USERS, look_only=look_only, must_exist=must_exist)
    from yawc_poker.casino.store.layouts.users import USERS_LAYOUT

    return _postgres()(database, USERS_LAYOUT, look_only=look_only, must_exist=must_exist, lock=around, fence=fence)


def open_shared(database: str, *, look_only: bool = False, must_exist: bool = False, any_layout: bool = False) -> Store:
    """Return what the hosts of one BBS share beside books and users, in the database of this URL.

    The arguments are those of `open_books`; with `any_layout` nothing is made, and another version's tables are looked
    at as they are. Raise `StoreError` if psycopg is not installed, or for a bad URL.
    """
    from yawc_poker.casino.store.layouts.cluster import CLUSTER_LAYOUT

    return _postgres()(
        database, CLUSTER_LAYOUT, look_only=look_only or any_layout, must_exist=must_exist, any_layout=any_layout
    )


def layouts() -> tuple[Layout, ...]:
    """Return the layouts of all schemas of a database, as this program makes them."""
    from yawc_poker.casino.store.layouts.books import BOOKS_LAYOUT
    from yawc_poker.casino.store.layouts.cluster import CLUSTER_LAYOUT
    from yawc_poker.casino.store.layouts.users import USERS_LAYOUT

    return BOOKS_LAYOUT, USERS_LAYOUT, CLUSTER_LAYOUT


def open_direct(database: str, otherwise: str = "") -> "Direct":
    """Return a connection that listens, to the database of this URL. Nothing is opened yet. Raise `StoreError`.

    `otherwise` is the URL of the same one by which statements go while there is no such connection; empty: they fail.
    """
    _postgres()
    from yawc_poker.casino.store.direct import Direct
    from yawc_poker.casino.store.layouts.cluster import CLUSTER_LAYOUT

    return Direct(database, CLUSTER_LAYOUT, open_shared(otherwise, must_exist=True) if otherwise else None)
