"""Which store the configuration asks for: the two files of SQLite, or one PostgreSQL database.

Owns that decision. psycopg is loaded only where a database is configured: by whoever opens the store first, which is
the listener, before it forks.
"""

from pathlib import Path

from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.bank.schema import BOOKS
from yawc_poker.casino.database.connection import Lock, Store, StoreError
from yawc_poker.casino.database.layouts.books import BOOKS_LAYOUT
from yawc_poker.casino.database.sqlite import SqliteStore


def load(database: str) -> None:
    """Load what a database needs, before the first fork. Raise `StoreError` if it is not installed."""
    if database:
        try:
            import yawc_poker.casino.database.postgres
        except ImportError as error:
            raise StoreError(f"a database needs psycopg, which is not installed: {error}") from None


def open_books(
    database: str, path: Path, lock: Lock, *, look_only: bool = False, must_exist: bool = False
) -> Store:
    """Return the bank's books: in the database of this URL, or, if it is empty, in the file at `path`.

    `lock` is held around every transaction on the file. With `look_only` nothing is made or written, with `must_exist`
    nothing is made. Nothing is opened yet. Raise `StoreError` if psycopg is not installed, or for a bad URL.
    """
    if not database:
        return SqliteStore(path, lock, BOOKS, look_only=look_only, must_exist=must_exist, failure=BankUnavailable)
    load(database)
    from yawc_poker.casino.database.postgres import PostgresStore

    return PostgresStore(
        database, BOOKS_LAYOUT, look_only=look_only, must_exist=must_exist, failure=BankUnavailable
    )
