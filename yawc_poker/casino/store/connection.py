"""What all databases offer, whichever engine is behind them: stores, transactions, statements, and how they fail.

Owns the words of it, and no engine. A *store* is the tables of one purpose: a file of SQLite (`sqlite`), or a schema of
a PostgreSQL database (`postgres`). Statements are written once, in the subset that both understand (`dialect` says what
that is). Invariants that every store keeps:

* A transaction happens as a whole, or not at all. Transactions are short and never nested, but for a joint one, which
  makes one of all those that are run until it ends.
* What a reading transaction sees is of one moment.
* A writing transaction of SQLite is alone. On PostgreSQL others write at the same time: whoever reads to decide what to
  write adds `for_update` to the query, so that the rows stay as they were read.
* A connection is used by the process that opened it, and by no child.

Rows are numbered when they are written. On PostgreSQL a row may appear after others with higher numbers (its
transaction ended later), and numbers are missing whose transaction was given up. Who follows a table by its numbers
heeds that.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar

import msgspec

Lock: TypeAlias = AbstractContextManager[object]
"""Held around every transaction; must be usable again and again, need not be re-entrant."""

NO_LOCK: Final[Lock] = nullcontext()
"""Of a process that nobody else's meets, and of PostgreSQL."""

Clock: TypeAlias = Callable[[], float]
"""Returns epoch seconds."""

Engine: TypeAlias = Literal["sqlite", "postgresql"]

Row: TypeAlias = Any
"""A tuple of the columns that were asked for. Its types are the query's, which no checker of types reads: the same rule
as the standard library's for `sqlite3`. Who takes a row apart gives the columns their types."""

BUSY_SECONDS: Final = 2.0
"""How long another program, or the database, is waited for. An operation on a table may meet it four times while it
holds the table's lock, and must be done before the waiters for that lock take it for stuck
(`ipc.semaphore.PATIENCE`)."""
LOOKER_SECONDS: Final = 60.0
"""How long a process that holds no lock waits for its turn."""


class StoreError(Exception):
    """A database operation failed; `str()` is one line for the log.

    Nothing was changed, unless it is `maybe_done`. If the database itself is the reason, the line names it.
    """

    maybe_done = False
    """The commit itself failed: it may have been done all the same, and only the database shows it."""
    is_whole = False
    """If it was done, the table shows it as well as the ledger: nothing is there to come back."""
    slow = False
    """Another process waits for the disk, and the wait for that process was given up."""


class Unavailable(StoreError):
    """A database could not do it now (disk full, locked, read-only, gone); nothing was changed, try later."""


class Fenced(Unavailable):
    """The lease of this process's host was taken away: nothing was changed, nor will this process change anything."""


FAILURES: Final = (sqlite3.Error, StoreError)
"""What a statement raises; outside of the transaction it is a `StoreError`."""


Statement: TypeAlias = tuple[str, Sequence[object]]
"""A statement with `?` for its parameters, and these."""


StructT = TypeVar("StructT", bound=msgspec.Struct)


def struct_of(kind: type[StructT], row: Row) -> StructT:
    """Return a row whose columns are those of a struct, in their order."""
    return msgspec.convert(dict(zip(kind.__struct_fields__, row, strict=True)), kind, strict=False)


class Rows(Protocol):
    """The rows that a statement brought."""

    @property
    def rowcount(self) -> int:
        """How many rows the statement changed."""

    def fetchone(self) -> Row:
        """Return the next row, or None if there is none."""

    def fetchall(self) -> list[Row]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Row]: ...


class Connection(Protocol):
    """A transaction that is open, or a copy."""

    @property
    def engine(self) -> Engine:
        """For the rare statement that must differ."""

    @property
    def for_update(self) -> str:
        """What a SELECT ends with whose rows are to stay as they are until the transaction ends.

        Empty on SQLite, where a writing transaction is alone, and wherever nothing can be written.
        """

    def execute(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ..., /) -> Rows:
        """Run a statement with `?` or `:name` for its parameters. Raise one of `FAILURES`."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]], /) -> object:
        """Run a statement once for each row of parameters. Raise one of `FAILURES`."""

    def together(self, *queries: "Statement") -> list[list[Row]]:
        """Run statements one after the other, and return the rows of each; a server gets them by one message.

        Each sees what was committed before it, as if it had been sent alone. Raise one of `FAILURES`.
        """

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement that changes something, and whose rows nobody needs.

        A server gets it with the next statement, or with the end of the transaction: whatever is wrong with it is
        raised there. So only what cannot be refused, but for a fault, is done later.
        """


class Copy(Connection, Protocol):
    """A database as it was at one moment, for long looks that nobody waits for. To be closed."""

    def close(self) -> None:
        """Let go of it."""


class Store(Protocol):
    """The tables of one purpose. `str()` names the database for a line of the log: a path, or database and host.

    Nothing is opened before the first use.
    """

    clock: Clock
    """For what is written down: on several hosts it is the database's."""

    @property
    def lock(self) -> Lock:
        """What is held around every transaction; on PostgreSQL it keeps none apart."""

    def writing(self) -> AbstractContextManager[Connection]:
        """Run a transaction: all of it happens, or, with any exception, nothing. Raise `StoreError`."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Read the tables as they are at one moment; keep it short. Raise `StoreError`."""

    def checking(self) -> AbstractContextManager[Connection]:
        """Look whether a transaction whose commit failed (`maybe_done`) was done. Raise `StoreError`.

        PostgreSQL may still be at it: it holds the rows that the transaction locked, so a query with `for_update` waits
        for its end.
        """

    def copy(self) -> Copy:
        """Return the tables as they are now, for long looks. Raise `StoreError`."""

    def as_store_error(self, error: BaseException) -> BaseException:
        """Map errors of the engine and of locks to `StoreError`."""

    def close(self) -> None:
        """Close this process's connection, if there is one; the next use opens another."""

    def rest(self) -> bool:
        """Close what is seldom used and large, until the next use; return whether anything was closed."""


def read_rows(store: Store, sql: str, parameters: Sequence[object] | Mapping[str, object] = (), /) -> list[Row]:
    """Return the rows of one query. Raise `StoreError`."""
    with store.reading() as tables:
        return tables.execute(sql, parameters).fetchall()


def read_row(store: Store, sql: str, parameters: Sequence[object] | Mapping[str, object] = (), /) -> Row:
    """Return the first row of one query, or None if there is none. Raise `StoreError`."""
    with store.reading() as tables:
        return tables.execute(sql, parameters).fetchone()
