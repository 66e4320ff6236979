"""A PostgreSQL database as a store, by psycopg (the extra `cluster`); 15 and later.

Owns how PostgreSQL is used; never the contents (`books`, `users`). Imported only where a database is configured, before
the first fork. Invariants, beside those of `connection`:

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
  stands, and keeps it so until the end (`local_host.fence_of`): taking it away waits for what is under way.
* A transaction that cannot be rolled back ends with its connection.
* A part of a joint transaction happens as a whole or not at all: what it wrote before it was refused is undone, back to
  a savepoint that it found or set before it wrote first. A part that only reads, or is refused before it wrote, costs
  nothing of that.
* Where a statement fails, the joint transaction has failed: it ends by that error, whoever caught it meanwhile, and
  nothing of it has happened.
* What a part locks stays locked until the joint transaction ends. Where two of these wait for each other, the server
  ends one of them: that is a statement that failed.
"""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from time import monotonic, time
from types import TracebackType
from typing import Final

import psycopg

from yawc_poker.casino.store.connection import (
    BUSY_SECONDS,
    LOOKER_SECONDS,
    NO_LOCK,
    Clock,
    Engine,
    Fenced,
    Lock,
    Row,
    Rows,
    Statement,
    StoreError,
    Unavailable,
)
from yawc_poker.casino.store.dialect import translated
from yawc_poker.casino.store.layout import Layout
from yawc_poker.extras.cluster.server import link as links
from yawc_poker.extras.cluster.server.access import Access
from yawc_poker.extras.cluster.server.link import Answer, Link, Sent

COPY_SECONDS: Final = 600.0
"""How long a long look may take, in each statement and between two."""
QUICKLY: Final = BUSY_SECONDS / 4
"""Seconds: a transaction that could not begin is begun anew if that came out so soon."""
_LAYOUTS: Final = 0x59415743
"""The number of the advisory lock under which layouts are made."""

FOR_UPDATE: Final = " FOR UPDATE"
SET_MARK: Final = b"SAVEPOINT part"
_BACK_TO_MARK: Final = b"ROLLBACK TO SAVEPOINT part"

_inherited: list[Link] = []
"""Connections of a parent process: kept alive, because their end would close them."""


# --- transactions -----------------------------------------------------------------------------------------------------


class Statements:
    """An open transaction, or a copy."""

    engine: Engine = "postgresql"

    def __init__(self, store: "PostgresStore", link: Link, for_update: str) -> None:
        self.for_update = for_update
        self._store = store
        self._link = link

    def execute(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = (), /) -> Rows:
        """Run a statement. Raise `StoreError`."""
        (found,) = self._sent((sql, parameters))
        return found

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]], /) -> None:
        """Run a statement once for each row of parameters. Raise `StoreError`."""
        if rows := [(sql, row) for row in parameters]:
            self._sent(*rows)

    def together(self, *queries: Statement) -> list[list[Row]]:
        """Run statements by one message, one after the other, and return the rows of each. Raise `StoreError`."""
        return [one.fetchall() for one in self._sent(*queries)]

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement with the next one, or at the end."""
        self._link.waiting.append((translated(sql).encode(), parameters))

    def _sent(self, *statements: tuple[str, Sequence[object] | Mapping[str, object]]) -> list[Answer]:
        try:
            return self._link.send(*((translated(sql).encode(), parameters) for sql, parameters in statements))
        except psycopg.Error as error:
            raise self._store.as_store_error(error) from error


class Snapshot(Statements):
    """The tables as they were at one moment, by a connection of their own."""

    def close(self) -> None:
        """Close the connection."""
        self._link.close()


class Transaction:
    """One transaction."""

    __slots__ = ("_begin", "_for_update", "_link", "_store", "found")

    _link: Link
    found: list[list[Row]]
    """The rows of each query that it began with; empty where it began with none."""

    def __init__(self, store: "PostgresStore", begin: tuple[bytes, ...], for_update: str) -> None:
        self._store = store
        self._begin = begin
        self._for_update = for_update

    def __enter__(self) -> Statements:
        self._open()
        return Statements(self._store, self._link, self._for_update)

    def _open(self) -> None:
        self._store.lock.__enter__()
        try:
            self._link, self.found = self._store.begun(self._begin)
        except BaseException as error:
            self._store.lock.__exit__(None, None, None)
            self._tell(error)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._commit()
                return
            self._roll_back()
        finally:
            self._store.lock.__exit__(None, None, None)
        self._tell(error)

    def _commit(self) -> None:
        self._link.until = max(self._link.until, monotonic() + BUSY_SECONDS)
        try:
            (ended,) = self._link.send((b"COMMIT", None))
        except BaseException as failed:
            if self._link.is_answering:  # a statement that went with it was refused
                self._roll_back()
                self._tell(failed)
                raise
            self._store.close()
            told = self._store.as_store_error(failed)
            if not isinstance(told, StoreError):
                raise
            told.maybe_done = True
            raise told from failed
        if ended.status != "COMMIT":  # a statement had failed, and nobody let that end the block
            self._tell(StoreError(f"{self._store}: the transaction had failed before its end"))

    def _roll_back(self) -> None:
        self._link.waiting.clear()
        if self._link.is_answering:
            self._link.until = max(self._link.until, monotonic() + BUSY_SECONDS / 2)
            with suppress(psycopg.Error):
                self._link.send((b"ROLLBACK", None))
        if not self._link.is_idle:
            self._store.close()

    def _tell(self, error: BaseException) -> None:
        """Raise the error that this one is mapped to, if that is another one."""
        if (told := self._store.as_store_error(error)) is not error:
            raise told from error


# --- joint ones -------------------------------------------------------------------------------------------------------


class JointStatements(Statements):
    """An open joint transaction, or the part that is open in it."""

    def __init__(self, joint: "JointTransaction", store: "PostgresStore", link: Link, for_update: str) -> None:
        super().__init__(store, link, for_update)
        self._joint = joint

    @property
    def found(self) -> list[Row]:
        """The rows of the query that the joint transaction began with."""
        return self._joint.found[-1]

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement with the next one, or at the end. Raise `StoreError` if the joint transaction has failed."""
        self._joint.prepare(is_read=False)
        super().later(sql, parameters)

    def _sent(self, *statements: tuple[str, Sequence[object] | Mapping[str, object]]) -> list[Answer]:
        """If a statement fails, the joint transaction has failed."""
        self._joint.prepare(is_read=all(sql.lstrip()[:6].upper() == "SELECT" for sql, _ in statements))
        try:
            return super()._sent(*statements)
        except StoreError as error:
            self._joint.failure = error
            raise


class JointTransaction(Transaction):
    """A transaction of which the store's other transactions are parts until it ends. It begins with a query.

    One that has written nothing is rolled back at its end: that spares the server the disk.
    """

    __slots__ = ("_has_written", "_part_has_written", "_part_is_open", "failure")

    def __init__(self, store: "PostgresStore", begin: tuple[bytes, ...]) -> None:
        super().__init__(store, (*begin, SET_MARK), FOR_UPDATE)
        self.failure: StoreError | None = None
        """What a statement failed by."""
        self._has_written = False
        self._part_is_open = False
        self._part_has_written = False

    def __enter__(self) -> JointStatements:
        self._open()
        self._store.joined = self
        return JointStatements(self, self._store, self._link, FOR_UPDATE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.joined = None
        super().__exit__(kind, error or self.failure, trace)
        if error is None and self.failure is not None:
            raise self.failure

    def _commit(self) -> None:
        if self._has_written:
            super()._commit()
        else:
            self._roll_back()

    def prepare(self, *, is_read: bool) -> None:
        """Make ready for a statement. Raise the error by which an earlier one has failed.

        Before the first one that writes in a part there is a savepoint: the newest one, if nothing was written since.
        """
        if self.failure is not None:
            raise self.failure
        if is_read:
            return
        if self._part_is_open and not self._part_has_written:
            self._part_has_written = True
            if self._has_written:
                self._link.waiting.append((SET_MARK, None))
        self._has_written = True

    @contextmanager
    def part(self, for_update: str) -> Iterator[JointStatements]:
        """Run one of the store's transactions as a part of this one; with an error it has not happened.

        One that only reads sees what is committed by the time of each of its statements, and what was written before it
        in the joint transaction. Raise `StoreError` if one is open: transactions are never nested.
        """
        if self._part_is_open:
            raise StoreError(f"{self._store}: a transaction is open already")
        if self.failure is not None:
            raise self.failure
        self._part_is_open, self._part_has_written = True, False
        try:
            yield JointStatements(self, self._store, self._link, for_update)
        except BaseException as error:
            if self._part_has_written and self.failure is None:
                self._link.waiting.append((_BACK_TO_MARK, None))
            self._tell(error)
            raise
        finally:
            self._part_is_open = False


# --- the store --------------------------------------------------------------------------------------------------------


class PostgresStore:
    """The tables of one layout in a database.

    Nothing is opened before the first use. With `failure`, all that goes wrong is told by an error of that class.
    `fence` is what every transaction begins with that writes: queries, of which the last finds a row as long as this
    process may. Raise `StoreError` for an URL that cannot be read.
    """

    joined: JointTransaction | None = None
    """The transaction that is open here, if all others of this store are parts of it."""

    def __init__(
        self,
        url: str,
        layout: Layout,
        access: Access = Access.MAKE,
        *,
        failure: type[StoreError] | None = None,
        lock: Lock = NO_LOCK,
        fence: tuple[str, ...] = (),
    ) -> None:
        self.clock: Clock = time
        self.lock = lock
        self._fence = tuple(query.encode() for query in fence)
        self._url = url
        self._layout = layout
        self._access = access
        self._failure = failure
        self._link: Link | None = None
        self._owner = 0
        self._made = 0.0
        """When this process has made or changed the tables, in monotonic seconds: that takes a transaction no time."""
        try:
            self._name = links.name_of(url)
        except psycopg.Error as error:
            raise (failure or StoreError)(f"the database's URL cannot be read: {error}") from None
        self.patience = LOOKER_SECONDS if access.looks_only else BUSY_SECONDS
        self._reading = _beginning(layout, "REPEATABLE READ READ ONLY", self.patience)
        self._writing = _beginning(layout, "READ COMMITTED" + access.looks_only * " READ ONLY", self.patience)

    def __str__(self) -> str:
        return self._name

    def writing(self) -> AbstractContextManager[Statements]:
        """Run a transaction: all of it happens, or, with any exception, nothing. Raise `StoreError`."""
        if self.joined is not None:
            return self.joined.part(FOR_UPDATE)
        return Transaction(self, (*self._writing, *self._fence), "" if self._access.looks_only else FOR_UPDATE)

    def reading(self) -> AbstractContextManager[Statements]:
        """Read the tables as they are at one moment. Raise `StoreError`."""
        return Transaction(self, self._reading, "") if self.joined is None else self.joined.part("")

    def checking(self) -> AbstractContextManager[Statements]:
        """Look whether a transaction whose commit failed was done; the rows it locked are waited for."""
        return self.writing()

    def joint(self, first: str) -> JointTransaction:
        """Run a transaction that begins with this query, and of which all others are parts until it ends.

        A part happens as a whole or not at all. If a statement of one fails, nothing happens of the joint transaction,
        whoever catches the error: it ends with it. The query goes with BEGIN, so it is PostgreSQL's text, without
        parameters. Raise `StoreError`.
        """
        return JointTransaction(self, (*self._writing, *self._fence, first.encode()))

    def copy(self) -> Snapshot:
        """Return the tables as they are now, for long looks, by a connection of its own. Raise `StoreError`."""
        try:
            link = links.connect(self._url, links.PATIENT_SECONDS)
            try:
                self._prepare(link)
                link.until = math.inf
                link.send(*_plain(_beginning(self._layout, "REPEATABLE READ READ ONLY", COPY_SECONDS)))
                link.execute(b"SELECT 1")  # the moment is that of the first statement
            except BaseException:
                link.close()
                raise
        except (psycopg.Error, StoreError) as error:
            raise self.as_store_error(error) from error
        return Snapshot(self, link, "")

    def as_store_error(self, error: BaseException) -> BaseException:
        """Map psycopg's errors to `StoreError`."""
        if isinstance(error, psycopg.Error):
            error = links.failure_of(str(self), error)
        return self._failure(str(error)) if self._failure and type(error) in {StoreError, Unavailable} else error

    def close(self) -> None:
        """Close this process's connection, if there is one; the next use opens another."""
        if self._link is not None and self._owner == os.getpid():
            self._link.close()
            self._link = None

    def rest(self) -> bool:
        """Do nothing: opening a connection takes the server a new process."""
        return False

    def begun(self, begin: tuple[bytes, ...]) -> tuple[Link, list[list[Row]]]:
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

    def _begin(self, begin: tuple[bytes, ...], started: float) -> tuple[Link, list[list[Row]]]:
        link = self._opened()
        if link.is_answering:
            raise Unavailable(f"{self}: a transaction is open already")
        link.until = max(started, self._made) + self.patience
        link.waiting.clear()
        try:
            found = [one.fetchall() for one in link.send(*_plain(begin)) if one.is_query]
            if self._fence and begin[0] == self._writing[0] and not found[1]:  # after its lock
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
        link = links.connect(self._url, min(self.patience, links.PATIENT_SECONDS))
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
        if self._access is Access.LOOK_AT_ANY:
            return
        link.until = monotonic() + self.patience
        (version, usable_from), known = self._version(link), self._layout.version("postgresql")
        if usable_from <= known <= version:
            return
        if version > known:
            raise StoreError(f"{self}: has layout {version}, this program knows only up to {known}")
        if self._access is not Access.MAKE and not version:
            raise StoreError(f"{self}: there are no tables of the {self._layout.schema}")
        if self._access.looks_only:
            raise StoreError(f"{self}: has an older layout; start the BBS once, which brings it up to date")
        link.until = monotonic() + LOOKER_SECONDS
        self._migrate(link)
        self._made = monotonic()

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
        schema, layout = self._layout.schema, self._layout
        link.send(*_plain(_beginning(layout, "READ COMMITTED", LOOKER_SECONDS)))
        link.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LAYOUTS, schema))
        version, _ = self._version(link)
        if version:
            scripts = layout.before[version - 1 :]
        else:
            scripts = (layout.made("postgresql") + layout.guards("postgresql"),)
            link.execute(
                f"CREATE SCHEMA IF NOT EXISTS {schema}; CREATE TABLE layout (version integer NOT NULL)".encode()
            )
            link.execute("INSERT INTO layout VALUES (0)")
        link.execute(b"ALTER TABLE layout ADD COLUMN IF NOT EXISTS oldest integer")
        for script in (*scripts, *layout.later("postgresql", max(version, layout.first("postgresql")))):
            link.execute(script.encode())
        values = (layout.version("postgresql"), layout.usable_from)
        link.execute("UPDATE layout SET version = %s, oldest = %s", values)
        link.execute(b"COMMIT")


def _beginning(layout: Layout, kind: str, patience: float) -> tuple[bytes, ...]:
    """Return the statements that begin a transaction; `patience` in seconds."""
    milliseconds = int(patience * 1000)
    statements = (
        f"BEGIN ISOLATION LEVEL {kind}",
        f"SET LOCAL search_path = {layout.schema}",
        f"SET LOCAL statement_timeout = {milliseconds}",
        f"SET LOCAL lock_timeout = {milliseconds * 3 // 4}",
        f"SET LOCAL idle_in_transaction_session_timeout = {milliseconds * 2}",
    )
    return tuple(statement.encode() for statement in statements)


def _plain(statements: Iterable[bytes]) -> Iterator[Sent]:
    """Yield statements that have no parameters."""
    return ((statement, None) for statement in statements)
