"""A PostgreSQL database as a store, by psycopg (the extra `cluster`); 15 and later.

Owns how PostgreSQL is used; never the contents (`layouts`). Imported only where a database is configured, before the
first fork. Invariants, beside those of `connection`:

* Nothing is kept in a connection from one transaction to the next, so a pooler may stand between (PgBouncer, by
  transactions): no prepared statement, no setting but SET LOCAL. BEGIN and the settings are one message.
* A connection belongs to the process that opened it. One that came through fork is neither used nor closed: its end
  would say goodbye to the server in the parent's name.
* A reading transaction is REPEATABLE READ: all its statements see one moment. A writing one is READ COMMITTED: each
  statement sees what was committed before it, and rows that it locks as they are then.
* A transaction takes no longer than `BUSY_SECONDS`, and its commit no longer again; on both sides of the connection.
  Where the server does not answer in time, the connection is closed, and the server undoes what was open.
* A transaction is begun anew, once, on a new connection if the old one turns out to be lost before anything was sent.
* Where hosts share the database, whoever writes first shows, in the same message as BEGIN, that the lease of its host
  stands, and keeps it so until the end (`casino.cluster.hosts.guard`): taking a lease away waits for what is under way.
"""

import math
import os
from time import monotonic
from typing import Final

import psycopg

from yawc_poker.casino.cluster.here import Fence
from yawc_poker.casino.cluster.hosts import guard
from yawc_poker.casino.store import link as links
from yawc_poker.casino.store.connection import (
    BUSY_SECONDS,
    LOOKER_SECONDS,
    NO_LOCK,
    Fenced,
    Layout,
    Lock,
    Row,
    StoreError,
    Unavailable,
)
from yawc_poker.casino.store.link import Link
from yawc_poker.casino.store.transactions import FOR_UPDATE, JointTransaction, Part, Snapshot, Transaction

COPY_SECONDS: Final = 600.0
"""How long a long look may take, in each statement and between two."""
QUICKLY: Final = BUSY_SECONDS / 4
"""Seconds: a transaction that could not begin is begun anew if that came out so soon."""
_LAYOUTS: Final = 0x59415743
"""The number of the advisory lock under which layouts are made."""

_inherited: list[Link] = []
"""Connections of a parent process: kept alive, because their end would close them."""


class PostgresStore:
    """The tables of one layout in a database.

    They are made where they are missing; with `look_only` nothing is made or written, and every write raises
    `Unavailable`. With `must_exist` nothing is made: tables that a running BBS misses were taken away. With
    `any_layout` the tables are looked at as they are, by statements that fit all versions: for looks before a start.
    Nothing is opened before the first use. With `failure`, all that goes wrong is told by an error of that class.
    `fence` returns number and epoch of the host whose lease every transaction that writes depends on. Raise
    `StoreError` for an URL that cannot be read.
    """

    joined: JointTransaction | None = None
    """The transaction that is open here, if all others of this store are parts of it."""

    def __init__(
        self,
        url: str,
        layout: Layout,
        *,
        look_only: bool = False,
        must_exist: bool = False,
        any_layout: bool = False,
        failure: type[StoreError] | None = None,
        lock: Lock = NO_LOCK,
        fence: Fence | None = None,
    ) -> None:
        self.lock = lock
        self._fence = fence
        self._url = url
        self._layout = layout
        self._look_only = look_only
        self._must_exist = must_exist or look_only
        self._any_layout = any_layout
        self._failure = failure
        self._link: Link | None = None
        self._owner = 0
        try:
            self._name = links.name_of(url)
        except psycopg.Error as error:
            raise (failure or StoreError)(f"the database's URL cannot be read: {error}") from None
        self.patience = LOOKER_SECONDS if look_only else BUSY_SECONDS
        self._reading = _beginning(layout, "REPEATABLE READ READ ONLY", self.patience)
        self._writing = _beginning(layout, "READ COMMITTED" + look_only * " READ ONLY", self.patience)

    def __str__(self) -> str:
        return self._name

    def writing(self) -> Transaction | Part:
        """Run a transaction: all of it happens, or, with any exception, nothing. Raise `StoreError`."""
        if self.joined is not None:
            return Part(self.joined, FOR_UPDATE)
        return Transaction(self, self._writing + self._guard(), "" if self._look_only else FOR_UPDATE)

    def reading(self) -> Transaction | Part:
        """Read the tables as they are at one moment. Raise `StoreError`."""
        return Transaction(self, self._reading, "") if self.joined is None else Part(self.joined, "")

    def checking(self) -> Transaction | Part:
        """Look whether a transaction whose commit failed was done; the rows it locked are waited for."""
        return self.writing()

    def joint(self, first: str) -> JointTransaction:
        """Run a transaction that begins with this query, and of which all others are parts until it ends.

        The query goes with BEGIN, so it is PostgreSQL's text, without parameters. Raise `StoreError`.
        """
        return JointTransaction(self, self._writing + self._guard() + f"; {first}".encode())

    def _guard(self) -> bytes:
        """Return the queries for the message of BEGIN; the second one finds nothing if this host's lease has ended."""
        return b"" if self._fence is None else f"; {guard(self._fence)}".encode()

    def copy(self) -> Snapshot:
        """Return the tables as they are now, for long looks, by a connection of its own. Raise `StoreError`."""
        try:
            link = links.connect(self._url)
            try:
                self._prepare(link)
                link.until = math.inf
                link.execute(_beginning(self._layout, "REPEATABLE READ READ ONLY", COPY_SECONDS))
                link.execute(b"SELECT 1")  # the moment is that of the first statement
            except BaseException:
                link.close()
                raise
        except (psycopg.Error, StoreError) as error:
            raise self.told(error) from error
        return Snapshot(self, link, "")

    def told(self, error: BaseException) -> BaseException:
        """Map psycopg's errors to `StoreError`."""
        if isinstance(error, StoreError):
            return self._failure(str(error)) if self._failure and type(error) in {StoreError, Unavailable} else error
        if not isinstance(error, psycopg.Error):
            return error
        later = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError))
        kind = self._failure or (Unavailable if later else StoreError)
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return kind(f"{self}: {lines[0]}")

    def close(self) -> None:
        """Close this process's connection, if there is one; the next use opens another."""
        if self._link is not None and self._owner == os.getpid():
            self._link.close()
            self._link = None

    def rest(self) -> bool:
        """Do nothing: opening a connection takes the server a new process."""
        return False

    def begun(self, begin: bytes) -> tuple[Link, list[list[Row]]]:
        """Return this process's connection, with a transaction open, and the rows of each query that it began with.

        For `Transaction`. Raise `psycopg.Error`, `StoreError`.
        """
        started = monotonic()
        is_new = self._link is None or self._owner != os.getpid()
        try:
            return self._begin(begin, started)
        except (psycopg.OperationalError, psycopg.InterfaceError):
            if is_new or monotonic() - started > QUICKLY:
                raise
        return self._begin(begin, started)

    def _begin(self, begin: bytes, started: float) -> tuple[Link, list[list[Row]]]:
        link = self._opened()
        if link.is_answering:
            raise Unavailable(f"{self}: a transaction is open already")
        link.until = started + self.patience
        link.waiting.clear()
        try:
            found = link.results(begin)
            if self._fence is not None and begin.startswith(self._writing) and not found[1]:  # after its lock
                raise Fenced(f"{self}: the lease of this host was taken away")
        except BaseException:
            self.close()
            raise
        return link, found

    def _opened(self) -> Link:
        if self._link is not None and self._owner == os.getpid():
            return self._link
        if self._link is not None:
            _inherited.append(self._link)
            self._link = None
        link = links.connect(self._url)
        try:
            self._prepare(link)
        except BaseException:
            link.close()
            raise
        self._link, self._owner = link, os.getpid()
        return link

    # --- layout ------------------------------------------------------------------------------------------------------

    def _prepare(self, link: Link) -> None:
        """See to it that the tables are there, and this program can use them. Raise `StoreError`."""
        if self._any_layout:
            return
        link.until = monotonic() + self.patience
        (version, usable_from), known = self._version(link), self._layout.version
        if usable_from <= known <= version:
            return
        if version > known:
            raise StoreError(f"{self}: has layout {version}, this program knows only up to {known}")
        if self._must_exist and not version:
            raise StoreError(f"{self}: there are no tables of the {self._layout.schema}")
        if self._look_only:
            raise StoreError(f"{self}: has an older layout; start the BBS once, which brings it up to date")
        link.until = monotonic() + LOOKER_SECONDS
        self._migrate(link)

    def _version(self, link: Link) -> tuple[int, int]:
        """Return the version of the tables, and the oldest whose programs may use them; 0: there are none."""
        schema = self._layout.schema
        tables = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'layout'"  # no cache answers that
        if link.execute(tables, (schema,)).fetchone() is None:
            return 0, 0
        oldest = "to_jsonb(made) ->> 'oldest'"  # the first programs made no such column
        found = link.execute(f"SELECT version, ({oldest})::integer FROM {schema}.layout AS made".encode()).fetchone()
        if found is None:
            return 0, 0
        return int(found[0]), int(found[0] if found[1] is None else found[1])

    def _migrate(self, link: Link) -> None:
        """Lead the tables to the newest version, alone; a process that waited for another finds nothing to do."""
        schema, steps = self._layout.schema, self._layout.steps
        link.execute(_beginning(self._layout, "READ COMMITTED", LOOKER_SECONDS))
        link.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LAYOUTS, schema))
        version, _ = self._version(link)
        if not version:
            link.execute(
                f"CREATE SCHEMA IF NOT EXISTS {schema}; CREATE TABLE layout (version integer NOT NULL)".encode()
            )
            link.execute("INSERT INTO layout VALUES (0)")
        link.execute(b"ALTER TABLE layout ADD COLUMN IF NOT EXISTS oldest integer")
        for step in steps[version:]:
            link.execute(step.encode())
        link.execute("UPDATE layout SET version = %s, oldest = %s", (self._layout.version, self._layout.usable_from))
        link.execute(b"COMMIT")


def _beginning(layout: Layout, kind: str, patience: float) -> bytes:
    """Return the statements that begin a transaction; `patience` in seconds."""
    milliseconds = int(patience * 1000)
    return (
        f"BEGIN ISOLATION LEVEL {kind}; SET LOCAL search_path = {layout.schema};"
        f" SET LOCAL statement_timeout = {milliseconds}; SET LOCAL lock_timeout = {milliseconds * 3 // 4};"
        f" SET LOCAL idle_in_transaction_session_timeout = {milliseconds * 2}"
    ).encode()
