"""The bank's books in both kinds of databases, and a look behind the program's back."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.clock import Clock
from tests.isolation.processes import FileLock
from tests.isolation.stores import open_store, with_clock
from tests.postgres import Server
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import Engine, Store


class Place(NamedTuple):
    """Where books are: in a file, or, with an URL, in a PostgreSQL database."""

    file: Path
    url: str = ""

    @property
    def engine(self) -> Engine:
        return "postgresql" if self.url else "sqlite"

    def open(self) -> Store:
        """Return the books as one of several processes opens them."""
        return open_store(BOOKS, self.url, self.file, FileLock(self.file.with_suffix(".lock")), BankUnavailable)

    def bank(self, clock: Clock | None = None) -> Bank:
        return Bank(self.open() if clock is None else with_clock(self.open(), clock))

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Return what another program reads there."""
        with closing(self.open()) as store, store.reading() as books:
            return [tuple(row) for row in books.execute(query)]

    def damage(self, *statements: str) -> None:
        """Do what the tables forbid."""
        if self.url:
            _damage_database(self.url, statements)
        else:
            _damage_file(self.file, statements)

    def try_out(self, statement: str) -> type[Exception] | None:
        """Do what another program may try; return how it was refused."""
        if not self.url:
            with closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
                try:
                    connection.execute(statement)
                except sqlite3.Error as error:
                    return type(error)
            return None
        import psycopg  # not everybody has it

        with closing(psycopg.connect(self.url, autocommit=True)) as link:
            link.execute("SET search_path = bank")
            try:
                link.execute(_translated(statement))
            except psycopg.Error as error:
                return type(error)
        return None


def _damage_file(path: Path, statements: tuple[str, ...]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)


def _damage_database(url: str, statements: tuple[str, ...]) -> None:
    import psycopg  # not everybody has it

    with closing(psycopg.connect(url, autocommit=True)) as link:
        link.execute("SET search_path = bank; SET session_replication_role = replica")  # no triggers, no foreign keys
        link.execute("ALTER TABLE account DROP CONSTRAINT IF EXISTS account_check")
        for statement in statements:
            link.execute(_translated(statement))
        link.execute("ALTER TABLE account ADD CONSTRAINT account_check CHECK (balance >= 0 OR kind = 'mint') NOT VALID")


def _translated(statement: str) -> bytes:
    from yawc_poker.casino.store.dialect import translated

    return translated(statement).replace("%%", "%").encode()


@contextmanager
def postgres_books(server: Server) -> Iterator[str]:
    """Yield the URL of a database with nothing in it, for one example of many."""
    name = server.create()
    try:
        yield server.url(name)
    finally:
        server.drop(name)
