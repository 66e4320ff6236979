"""A BBS moves: every row from its two files into a PostgreSQL database, or from there into two files.

Owns the copying and the comparison. Never looks whether the BBS runs, and never decides where it keeps its rows from
then on (`move_command`). The store's description says which tables there are, the files the order of columns.
Triggers are off while rows are copied, since they would book everything a second time. Invariants:

* The rows of both sides are read, audited and compared before anything is committed: what differs is not moved.
* Into a database it is one transaction, into files one for each, in a folder that nobody else looks at.
* Numbers that were given once are not given again on the other side, also where their rows are gone.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Final, Literal, NamedTuple

import msgspec

from yawc_poker.casino.bank.audit import Figures, figures, problems
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import Connection, Row, Store, StoreError
from yawc_poker.casino.store.layout import Table
from yawc_poker.casino.store.sqlite import columns
from yawc_poker.casino.store.users import USERS
from yawc_poker.extras.cluster.server.opening import of_server

BATCH: Final = 1000
"""Rows that are copied by one call."""


class NotMoved(StoreError):
    """Nothing was moved; `str()` is one line that says why."""


class Sides(NamedTuple):
    """Both stores of one BBS."""

    books: Store
    users: Store


class Moved(msgspec.Struct, frozen=True):
    """What was moved."""

    rows: dict[str, int]
    """By schema and table."""
    figures: Figures
    """Of the books on both sides."""


class _Moving(NamedTuple):
    """A table that is moved, with its columns in the files' order."""

    schema: str
    table: Table
    columns: tuple[str, ...]

    def place(self, database: Connection) -> str:
        """Return the name of the table in SQL: a file holds one schema only."""
        return self.table.name if database.engine == "sqlite" else f"{self.schema}.{self.table.name}"


class _Tally:
    """How many rows went by, and a sum over their values that does not depend on their order."""

    def __init__(self) -> None:
        self.rows = 0
        self.sum = 0

    def count(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows, and count them."""
        for row in rows:
            self.rows += 1
            self.sum = (self.sum + hash(tuple(row))) % 2**64
            yield row


def into_database(files: Sides, database: Sides) -> Moved:
    """Copy all rows of the files into a database in which nobody has an account yet. Raise `StoreError`."""
    of_server(database.books).patience = math.inf
    with database.users.reading():
        pass  # opened, so that its layout is made; the books' is by the next line
    with files.books.reading() as books, files.users.reading() as users, database.books.writing() as target:
        _unhurried(target)  # first: to look through a ledger takes long
        _refuse_unsound(books, "the ledger")
        sources: dict[str, Connection] = {BOOKS.schema: books, USERS.schema: users}
        tables = _tables_of(sources)
        _refuse_other_layout(target)
        _refuse_occupied(target)
        for table in tables:
            _switch_triggers(table, target, "DISABLE")
        for table in reversed(tables):
            target.execute(f"DELETE FROM {table.place(target)}")  # rows that every new layout has
        numbers = {table: _last_number(table, sources[table.schema]) for table in tables}
        moved = _copied(tables, sources, {BOOKS.schema: target, USERS.schema: target})
        for table, last in numbers.items():
            _go_on_from(table, last, target)
            _switch_triggers(table, target, "ENABLE")
        return Moved(moved, _same_figures(books, target))


def into_files(database: Sides, files: Sides) -> Moved:
    """Copy all rows of a database into new files, which are there afterwards. Raise `StoreError`."""
    try:
        with closing(database.books.copy()) as source, files.books.writing() as books, files.users.writing() as users:
            _unhurried(source)
            _refuse_unsound(source, "the ledger")
            targets: dict[str, Connection] = {BOOKS.schema: books, USERS.schema: users}
            tables = _tables_of(targets)
            _refuse_other_layout(source)
            triggers = [trigger for target in targets.values() for trigger in _taken_off(target)]
            for table in reversed(tables):
                targets[table.schema].execute(f"DELETE FROM {table.table.name}")
            moved = _copied(tables, {BOOKS.schema: source, USERS.schema: source}, targets)
            for table in tables:
                _go_on_from(table, _last_number(table, source), targets[table.schema])
            for target, text in triggers:
                target.execute(text)
            return Moved(moved, _same_figures(source, books))
    except Exception as error:
        if (told := database.books.as_store_error(error)) is not error:
            raise told from error
        raise


# --- what may be moved ------------------------------------------------------------------------------------------------


def _tables_of(files: Mapping[str, Connection]) -> list[_Moving]:
    """Return the tables in an order in which none refers to a later one."""
    return [
        _Moving(layout.schema, table, tuple(columns(files[layout.schema], table.name)))
        for layout in (BOOKS, USERS)
        for table in layout.all_tables
    ]


def _refuse_other_layout(database: Connection) -> None:
    """A newer program may have added what this one does not know."""
    for layout in (BOOKS, USERS):
        (version,) = database.execute(f"SELECT version FROM {layout.schema}.layout").fetchone()
        if version != (known := layout.version("postgresql")):
            raise NotMoved(f"{layout.schema} has layout {version} in the database, this program makes {known}")


def _refuse_occupied(database: Connection) -> None:
    for table, what in (("bank.txn", "transactions"), ("bank.game", "games"), ("users.user", "accounts")):
        if database.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None:
            raise NotMoved(f"the database is in use: it has {what} already")


def _refuse_unsound(books: Connection, what: str) -> None:
    if found := problems(books):
        raise NotMoved(f"{what} is not sound, nothing is moved: {found[0]}")


# --- copying ----------------------------------------------------------------------------------------------------------


def _copied(
    tables: Sequence[_Moving], sources: Mapping[str, Connection], targets: Mapping[str, Connection]
) -> dict[str, int]:
    """Copy the rows, read them back, and return how many there are. Raise `NotMoved` where they differ."""
    rows = {}
    for table in tables:
        source, target = sources[table.schema], targets[table.schema]
        before, after = _Tally(), _Tally()
        _write(table, before.count(_rows(table, source)), target)
        for _ in after.count(_rows(table, target)):
            pass
        if (before.rows, before.sum) != (after.rows, after.sum):
            raise NotMoved(
                f"table {table.table.name}: the {after.rows} rows written are not the {before.rows} rows read"
            )
        rows[f"{table.schema}.{table.table.name}"] = after.rows
    return rows


def _rows(table: _Moving, database: Connection) -> Iterator[Row]:
    """Yield the rows of a table; a server gives them in batches, since a table may be larger than memory."""
    select = f"SELECT {', '.join(table.columns)} FROM {table.place(database)}"
    if database.engine == "sqlite":
        yield from database.execute(select)
        return
    database.execute(f"DECLARE moving NO SCROLL CURSOR FOR {select}")
    while batch := database.execute(f"FETCH {BATCH} FROM moving").fetchall():
        yield from batch
    database.execute("CLOSE moving")


def _write(table: _Moving, rows: Iterator[Row], database: Connection) -> None:
    given = "" if database.engine == "sqlite" else " OVERRIDING SYSTEM VALUE"
    places = ", ".join("?" * len(table.columns))
    insert = f"INSERT INTO {table.place(database)} ({', '.join(table.columns)}){given} VALUES ({places})"
    while batch := list(islice(rows, BATCH)):
        database.executemany(insert, batch)


def _unhurried(database: Connection) -> None:
    """Lift the limits that keep a transaction short: nobody waits for this one."""
    for limit in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        database.execute(f"SET LOCAL {limit} = 0")


def _switch_triggers(table: _Moving, database: Connection, how: Literal["ENABLE", "DISABLE"]) -> None:
    """Switch the triggers of a server's table on or off, but not its foreign keys."""
    query = "SELECT tgname FROM pg_trigger WHERE tgrelid = CAST(? AS regclass) AND NOT tgisinternal"
    for (name,) in database.execute(query, (f'{table.schema}."{table.table.name}"',)).fetchall():
        database.execute(f'ALTER TABLE {table.place(database)} {how} TRIGGER "{name}"')


def _taken_off(file: Connection) -> list[tuple[Connection, str]]:
    """Remove the triggers of a file; return it with the statement that makes each again."""
    triggers = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid").fetchall()
    for name, _ in triggers:
        file.execute(f"DROP TRIGGER {name}")
    return [(file, str(text)) for _, text in triggers]


def _same_figures(source: Connection, target: Connection) -> Figures:
    """Return the figures of the books. Raise `NotMoved` if they are not the same, or the copy is not sound."""
    _refuse_unsound(target, "the copy")
    before, after = figures(source), figures(target)
    if before != after:
        raise NotMoved(f"the books differ: {before} became {after}")
    return after


# --- numbers ----------------------------------------------------------------------------------------------------------


def _last_number(table: _Moving, database: Connection) -> int:
    """Return the highest number that a table has ever given to a row; 0: none, or its rows have no numbers."""
    name, columns = table.table.name, table.table.columns
    if "NUMBER" not in columns:
        return 0
    found = database.execute(f"SELECT max(id) FROM {table.place(database)}").fetchall()
    if database.engine == "sqlite":
        found += database.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).fetchall()
    elif "NUMBER IN ORDER" in columns:
        found += database.execute(f"SELECT last FROM {table.schema}.numbering WHERE source = ?", (name,)).fetchall()
    else:
        found += database.execute(f"SELECT pg_sequence_last_value({_sequence(table)})").fetchall()
    return max(int(number or 0) for (number,) in found)


def _go_on_from(table: _Moving, last: int, database: Connection) -> None:
    """Make a table give numbers above the last one."""
    name, columns = table.table.name, table.table.columns
    if not last:
        return
    if database.engine == "postgresql" and "NUMBER IN ORDER" in columns:
        database.execute(f"UPDATE {table.schema}.numbering SET last = ? WHERE source = ?", (last, name))
    elif database.engine == "postgresql":
        database.execute(f"SELECT setval({_sequence(table)}, ?)", (last,))
    elif "NUMBER ONCE" in columns or "NUMBER IN ORDER" in columns:
        database.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        database.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, last))


def _sequence(table: _Moving) -> str:
    """Return the sequence that numbers the rows of a server's table, in SQL."""
    return f"CAST('{table.schema}.{table.table.name}_id_seq' AS regclass)"
