"""A database file of SQLite: opened once a process, kept up to date, written in transactions.

Owns how SQLite is used; never the contents of a file (`books`, `users`). Invariants, beside those of `connection`:

* A connection belongs to the process that opened it. One that came through fork is neither used nor closed: closing
  it could roll back the parent's open transaction.
* A process that opens, reads or writes the file holds the lock *outside* the transaction, so SQLite's own busy handler,
  which polls and starves, never has to run: with six busy writers a read without the lock took seconds, with it
  microseconds. Only a program from outside (`yawcctl`) polls. Transactions are short and never nested.
* No process forks while it is inside a transaction: the child would inherit SQLite's notes of the locks held.
* The journal is a rollback journal: SQLite before 3.51.3 may corrupt a file in WAL mode. It stays and is overwritten
  (PERSIST): with the same durability (FULL) a commit takes a seventh of the time that truncating it takes, which
  changes the file system's own metadata.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from yawc_poker.casino.store.connection import (
    BUSY_SECONDS,
    LOOKER_SECONDS,
    Clock,
    Connection,
    Engine,
    Lock,
    Row,
    Statement,
    StoreError,
    Unavailable,
)
from yawc_poker.casino.store.layout import Layout
from yawc_poker.ipc.semaphore import LockSlow, LockTimeout

JOURNAL_BYTES = 1 << 20
"""Bytes: a larger journal is cut to this."""
CACHE_KILOBYTES = 64
"""Cache of a file in each process. A transaction needs a part of it, and another process's next one makes it void."""
CACHED_STATEMENTS = 24
"""Compiled statements that each process keeps of a file. A game repeats fewer."""


class SqliteConnection(sqlite3.Connection):
    """A connection as `connection.Connection` has it. A class of its own, so that no statement takes longer for it."""

    engine: Engine = "sqlite"
    for_update = ""

    def together(self, *queries: Statement) -> list[list[Row]]:
        """Run statements one after the other, and return the rows of each. Raise `sqlite3.Error`."""
        return [self.execute(sql, tuple(parameters)).fetchall() for sql, parameters in queries]

    def later(self, sql: str, parameters: Sequence[object] = (), /) -> None:
        """Run a statement: a file is at hand at once. Raise `sqlite3.Error`."""
        self.execute(sql, tuple(parameters))


_inherited: list[SqliteConnection] = []
"""Connections of a parent process: kept alive, because their end would close them."""


class SqliteStore:
    """One database file.

    `path` is the file, made with mode 0600 where it is missing; with `look_only` nothing is made, migrated or written,
    and every write raises `Unavailable`. With `must_exist` nothing is made: a file that a running BBS misses was taken
    away, and an empty one in its place would be a loss that nobody is told of. Nothing is opened before the first use.
    With `failure`, all that goes wrong with the file is told by an error of that class.
    """

    def __init__(
        self,
        path: Path,
        lock: Lock,
        layout: Layout,
        *,
        look_only: bool = False,
        must_exist: bool = False,
        failure: type[StoreError] | None = None,
    ) -> None:
        self.clock: Clock = time.time
        self.path = path
        self.lock = lock
        self._layout = layout
        self._look_only = look_only
        self._must_exist = must_exist or look_only
        self._failure = failure
        self._connection: SqliteConnection | None = None
        self._owner = 0

    def __str__(self) -> str:
        return str(self.path)

    def writing(self) -> "Transaction":
        """Run a transaction under the lock: all of it happens, or, with any exception, nothing. Raise `StoreError`."""
        return Transaction(self, "BEGIN IMMEDIATE")

    def reading(self) -> "Transaction":
        """Read the file as it is at one moment; keep it short, the lock is held. Raise `StoreError`."""
        return Transaction(self, "BEGIN")

    def checking(self) -> "Transaction":
        """Look whether a transaction whose commit failed was done: the file shows it. Raise `StoreError`."""
        return self.reading()

    def copy(self) -> SqliteConnection:
        """Return a private copy of the file as it is now, for long looks. Raise `StoreError`."""
        copy = sqlite3.connect("", isolation_level=None, factory=SqliteConnection)
        try:
            with self.reading() as connection:
                connection.backup(copy)
        except BaseException:
            copy.close()
            raise
        return copy

    def as_store_error(self, error: BaseException) -> BaseException:
        """Map SQLite and lock errors to `StoreError`."""
        if isinstance(error, StoreError):
            return self._failure(str(error)) if self._failure and type(error) in {StoreError, Unavailable} else error
        if not isinstance(error, (LockTimeout, sqlite3.Error)):
            return error
        later = isinstance(error, (LockTimeout, sqlite3.OperationalError))
        kind = self._failure or (Unavailable if later else StoreError)
        told = kind(f"{self.path}: {error}")
        told.slow = isinstance(error, LockSlow)
        return told

    def close(self) -> None:
        """Close this process's connection, if there is one; the next use opens another."""
        if self._connection is not None and self._owner == os.getpid():
            self._connection.close()
            self._connection = None

    def rest(self) -> bool:
        """Close the file: an open one takes some 0.3 MB of caches and prepared statements, opening it 0.5 ms."""
        is_open = self._connection is not None and self._owner == os.getpid()
        self.close()
        return is_open

    def opened(self) -> SqliteConnection:
        """Return this process's connection; for `Transaction`. Raise `sqlite3.Error`, `LockTimeout`, `StoreError`."""
        if self._connection is not None and self._owner == os.getpid():
            return self._connection
        if self._connection is not None:
            _inherited.append(self._connection)
            self._connection = None
        connection = self._connect()
        try:
            with self.lock:
                self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._owner = connection, os.getpid()
        return connection

    def _connect(self) -> SqliteConnection:
        if not self._must_exist:
            self._create()
        elif not is_there(self.path):
            raise StoreError(f"{self.path}: there is no such file")
        patience = LOOKER_SECONDS if self._look_only else BUSY_SECONDS
        address = f"file:{quote(str(self.path))}?mode=rw"
        return sqlite3.connect(
            address,
            uri=True,
            isolation_level=None,
            timeout=patience,
            factory=SqliteConnection,
            cached_statements=CACHED_STATEMENTS,
        )

    def _create(self) -> None:
        """Make the file for its owner alone; SQLite gives the journal the same mode.

        An existing file is not opened here: closing a descriptor would drop all of this process's locks on the file.
        """
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            pass
        except FileNotFoundError:
            raise StoreError(f"{self.path}: the directory does not exist") from None
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be made: {error.strerror}") from error

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA cache_size = {-CACHE_KILOBYTES}")
        if self._look_only:
            connection.execute("PRAGMA query_only = ON")
        else:
            connection.execute("PRAGMA journal_mode = PERSIST")
            connection.execute(f"PRAGMA journal_size_limit = {JOURNAL_BYTES}")
            connection.execute("PRAGMA synchronous = FULL")
        with _whole(connection, "BEGIN"):
            is_newest = self._version(connection) == self._layout.version("sqlite")
        if not is_newest:
            if self._look_only:
                raise StoreError(f"{self.path}: has an older layout; start the BBS once, which brings it up to date")
            with _whole(connection, "BEGIN IMMEDIATE"):
                migrate(connection, self._layout, self._version(connection))
        connection.execute("PRAGMA foreign_keys = ON")

    def _version(self, connection: sqlite3.Connection) -> int:
        """Return the file's version. Raise `StoreError` for a file of another kind."""
        version = pragma(connection, "user_version")
        application = pragma(connection, "application_id")
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != self._layout.mark and (application or version or tables):
            raise StoreError(f"{self.path}: is a database of something else")
        if version > (known := self._layout.version("sqlite")):
            raise StoreError(f"{self.path}: has layout {version}, this program knows only up to {known}")
        return version


def is_there(file: Path) -> bool:
    """Return whether there is such a file; raise `StoreError` if that cannot be known, as on a disk that fails."""
    try:
        file.stat()  # from Python 3.14 on `exists` is False whatever the error is
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}") from error
    return True


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """Return the value of a numeric pragma."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def migrate(connection: sqlite3.Connection, layout: Layout, version: int) -> None:
    """Lead a database from `version` to the newest, inside the transaction that is open."""
    if not version:
        _run(connection, layout.made("sqlite") + layout.guards("sqlite"))
    elif version < layout.first("sqlite"):
        _renew(connection, layout)
    for step in layout.later("sqlite", max(version, layout.first("sqlite"))):
        _run(connection, step)
    connection.execute(f"PRAGMA user_version = {layout.version('sqlite')}")
    connection.execute(f"PRAGMA application_id = {layout.mark}")


def _renew(connection: sqlite3.Connection, layout: Layout) -> None:
    """Copy all rows of an older file's tables into new ones; what those have besides is given (`Layout.missing`).

    Foreign keys are not looked at meanwhile, and no trigger runs: what was damaged is that as before.
    """
    missing = dict(layout.missing)
    made = connection.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'table'")
    former: dict[str, list[str]] = {}
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("PRAGMA legacy_alter_table = ON")  # who refers to a table goes on referring to its name
    for kind, name in made.fetchall():
        if kind != "table":
            connection.execute(f"DROP {kind} {name}")
        elif not name.startswith("sqlite_"):
            former[name] = columns(connection, name)
            connection.execute(f"ALTER TABLE {name} RENAME TO former_{name}")
    _run(connection, layout.made("sqlite"))
    for name in (table.name for table in layout.tables if table.name in former):
        connection.execute(f"DELETE FROM {name}")  # rows that every new layout has
        there = columns(connection, name)
        values = [one if one in former[name] else missing.get(f"{name}.{one}", "") for one in there]
        known = [(one, value) for one, value in zip(there, values, strict=True) if value]
        names, given = (", ".join(part) for part in zip(*known, strict=True))
        connection.execute(f"INSERT INTO {name} ({names}) SELECT {given} FROM former_{name}")
    for name in (table.name for table in layout.tables if table.name not in former):
        _run(connection, missing.get(name, ""))
    # Numbers that were given once are not given again.
    connection.execute("DELETE FROM sqlite_sequence WHERE name NOT LIKE 'former_%'")
    connection.execute(
        "INSERT INTO sqlite_sequence SELECT substr(name, length('former_') + 1), seq FROM sqlite_sequence"
    )
    for name in former:
        connection.execute(f"DROP TABLE former_{name}")
    _run(connection, layout.guards("sqlite"))
    connection.execute("PRAGMA legacy_alter_table = OFF")
    connection.execute("PRAGMA ignore_check_constraints = OFF")


def columns(connection: Connection | sqlite3.Connection, table: str) -> list[str]:
    """Return the names of a table's columns, in their order."""
    return [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]


def _run(connection: sqlite3.Connection, script: str) -> None:
    for statement in _statements(script):
        connection.execute(statement)


def _statements(script: str) -> Iterator[str]:
    """Split a script; `executescript` would commit the open transaction first."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


@contextmanager
def _whole(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: sqlite3.Connection) -> None:
    """Undo what has not been committed; a full disk or an I/O error may have done so, or may keep it from working."""
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _is_open(connection: sqlite3.Connection) -> bool:
    """Return whether a transaction is open; a closed connection has none."""
    try:
        return connection.in_transaction
    except sqlite3.ProgrammingError:
        return False


class Transaction:
    """One transaction, as a context: yields the connection under the lock; one that cannot roll back is closed.

    A class and no generator, because it stands around every bet: generators in each other took 5 µs more.
    """

    __slots__ = ("_begin", "_connection", "_store")

    _connection: SqliteConnection

    def __init__(self, store: SqliteStore, begin: str) -> None:
        self._store = store
        self._begin = begin

    def __enter__(self) -> SqliteConnection:
        store = self._store
        try:
            self._connection = connection = store.opened()
            store.lock.__enter__()
            try:
                connection.execute(self._begin)
            except BaseException:
                self._release()  # nothing was begun: an open transaction is not this one, and is not rolled back
                raise
        except (LockTimeout, sqlite3.Error, StoreError) as error:
            self._tell(error)
            raise
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._connection.execute("COMMIT")
        except sqlite3.Error as failed:
            told = self._store.as_store_error(failed)
            if isinstance(told, StoreError):
                told.maybe_done = True
            raise told from failed
        finally:
            try:
                _roll_back(self._connection)
            finally:
                self._release()
        if error is not None:
            self._tell(error)

    def _tell(self, error: BaseException) -> None:
        """Raise the error that this one is mapped to, if that is another one."""
        if (told := self._store.as_store_error(error)) is not error:
            raise told from error

    def _release(self) -> None:
        try:
            self._store.lock.__exit__(None, None, None)
        finally:
            if _is_open(self._connection):
                self._store.close()
