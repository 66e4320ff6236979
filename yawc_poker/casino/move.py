"""A BBS moves: every row from its two files into a PostgreSQL database, or from there into two files.

Owns the copying and the comparison. Never looks whether the BBS runs, and never decides where it keeps its rows from
then on (`sysop.storage.move`). The layout of the files says which tables and columns there are. Triggers are off while
rows are copied, since they would book everything a second time. Invariants:

* The rows of both sides are read, audited and compared before anything is committed: what differs is not moved.
* Into a database it is one transaction, into files one for each, in a folder that nobody else looks at.
* Numbers that were given once are not given again on the other side, also where their rows are gone.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from yawc_poker.casino.bank.audit import Figures, figures, problems
from yawc_poker.casino.store.connection import Connection, Row, Store, StoreError
from yawc_poker.casino.store.sqlite import columns

BOOKS: Final = "bank"
USERS: Final = "users"
"""The schemas of the database; each is one of the files."""
BATCH: Final = 1000
"""Rows that are copied by one call."""
_OWN: Final = {"layout", "numbering"}
"""Tables that only the database has: the layout's version, and the last numbers of some tables."""
_OWN_COLUMNS: Final = {"bank.txn.xact"}
"""Columns that only the database has, and gives a value: which of its transactions wrote a row."""


class NotMoved(StoreError):
    """Nothing was moved; `str()` is one line that says why."""


class Sides(NamedTuple):
    """Both stores of one BBS."""

    books: Store
    users: Store


@runtime_checkable
class _Hurried(Protocol):
    """A store whose transactions are given up after so many seconds."""

    patience: float


class Moved(msgspec.Struct, frozen=True):
    """What was moved."""

    rows: dict[str, int]
    """By schema and table."""
    figures: Figures
    """Of the books on both sides."""


class Table(NamedTuple):
    """A table, with its columns in the files' order."""

    schema: str
    name: str
    columns: tuple[str, ...]

    def place(self, database: Connection) -> str:
        """Return the name of the table in SQL: a file holds one schema only."""
        return self.name if database.engine == "sqlite" else f"{self.schema}.{self.name}"


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
    if isinstance(database.books, _Hurried):
        database.books.patience = math.inf
    with database.users.reading():
        pass  # opened, so that its layout is made; the books' is by the next line
    with files.books.reading() as books, files.users.reading() as users, database.books.writing() as target:
        _refuse_unsound(books, "the ledger")
        sources: dict[str, Connection] = {BOOKS: books, USERS: users}
        tables = [table for schema, source in sources.items() for table in tables_of(schema, source)]
        _unhurried(target)
        _refuse_other_layout(tables, target)
        _refuse_occupied(target)
        for table in tables:
            _switch_triggers(table, target, "DISABLE")
        for table in reversed(tables):
            target.execute(f"DELETE FROM {table.place(target)}")  # rows that every new layout has
        numbers = {table: _last_number(table, sources[table.schema]) for table in tables}
        moved = _copied(tables, sources, {BOOKS: target, USERS: target})
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
            targets: dict[str, Connection] = {BOOKS: books, USERS: users}
            tables = [table for schema, target in targets.items() for table in tables_of(schema, target)]
            _refuse_other_layout(tables, source)
            triggers = [trigger for target in targets.values() for trigger in _taken_off(target)]
            for table in reversed(tables):
                targets[table.schema].execute(f"DELETE FROM {table.name}")
            moved = _copied(tables, {BOOKS: source, USERS: source}, targets)
            for table in tables:
                _go_on_from(table, _last_number(table, source), targets[table.schema])
            for target, text in triggers:
                target.execute(text)
            return Moved(moved, _same_figures(source, books))
    except Exception as error:
        if (told := database.books.told(error)) is not error:
            raise told from error
        raise


# --- what may be moved ------------------------------------------------------------------------------------------------


def tables_of(schema: str, file: Connection) -> list[Table]:
    """Return the tables of a file in the order in which they were made: none refers to a later one."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    names = [str(name) for (name,) in file.execute(query).fetchall()]
    return [Table(schema, name, tuple(columns(file, name))) for name in names]


def columns_there(database: Connection) -> dict[str, set[str]]:
    """Return the columns of each table of a PostgreSQL database, by schema and table, without those it has alone."""
    found: dict[str, set[str]] = {}
    query = "SELECT table_schema, table_name, column_name FROM information_schema.columns WHERE table_schema IN (?, ?)"
    for schema, table, column in database.execute(query, (BOOKS, USERS)).fetchall():
        if table not in _OWN and f"{schema}.{table}.{column}" not in _OWN_COLUMNS:
            found.setdefault(f"{schema}.{table}", set()).add(str(column))
    return found


def _refuse_other_layout(tables: Sequence[Table], database: Connection) -> None:
    wanted = {f"{table.schema}.{table.name}": set(table.columns) for table in tables}
    there = columns_there(database)
    differ = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    if differ:
        raise NotMoved(f"files and database have different layouts: {', '.join(differ)}")


def _refuse_occupied(database: Connection) -> None:
    for table, what in ((f"{BOOKS}.txn", "transactions"), (f"{BOOKS}.game", "games"), (f"{USERS}.user", "accounts")):
        if database.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None:
            raise NotMoved(f"the database is in use: it has {what} already")


def _refuse_unsound(books: Connection, what: str) -> None:
    if found := problems(books):
        raise NotMoved(f"{what} is not sound, nothing is moved: {found[0]}")


# --- copying ----------------------------------------------------------------------------------------------------------


def _copied(
    tables: Sequence[Table], sources: Mapping[str, Connection], targets: Mapping[str, Connection]
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
            raise NotMoved(f"table {table.name}: the {after.rows} rows written are not the {before.rows} rows read")
        rows[f"{table.schema}.{table.name}"] = after.rows
    return rows


def _rows(table: Table, database: Connection) -> Iterator[Row]:
    """Yield the rows of a table; a server gives them in batches, since a table may be larger than memory."""
    select = f"SELECT {', '.join(table.columns)} FROM {table.place(database)}"
    if database.engine == "sqlite":
        yield from database.execute(select)
        return
    database.execute(f"DECLARE moving NO SCROLL CURSOR FOR {select}")
    while batch := database.execute(f"FETCH {BATCH} FROM moving").fetchall():
        yield from batch
    database.execute("CLOSE moving")


def _write(table: Table, rows: Iterator[Row], database: Connection) -> None:
    given = "" if database.engine == "sqlite" else " OVERRIDING SYSTEM VALUE"
    places = ", ".join("?" * len(table.columns))
    insert = f"INSERT INTO {table.place(database)} ({', '.join(table.columns)}){given} VALUES ({places})"
    while batch := list(islice(rows, BATCH)):
        database.executemany(insert, batch)


def _unhurried(database: Connection) -> None:
    """Lift the limits that keep a transaction short: nobody waits for this one."""
    for limit in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        database.execute(f"SET LOCAL {limit} = 0")


def _switch_triggers(table: Table, database: Connection, how: Literal["ENABLE", "DISABLE"]) -> None:
    """Switch the triggers of a server's table on or off, but not its foreign keys."""
    query = "SELECT tgname FROM pg_trigger WHERE tgrelid = CAST(? AS regclass) AND NOT tgisinternal"
    for (name,) in database.execute(query, (f'{table.schema}."{table.name}"',)).fetchall():
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


def _last_number(table: Table, database: Connection) -> int:
    """Return the highest number that a table has ever given to a row; 0: none, or its rows have no numbers."""
    if "id" not in table.columns:
        return 0
    there = database.execute(f"SELECT coalesce(max(id), 0) FROM {table.place(database)}").fetchone()[0]
    given = _given(table, database)
    return max(int(there), *(int(number) for number in given if number is not None))


def _given(table: Table, database: Connection) -> Iterator[int | None]:
    """Yield the last numbers of which the database itself keeps account."""
    yield 0
    if database.engine == "sqlite":
        yield from (row[0] for row in database.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,)))
        return
    if sequence := _sequence(table, database):
        yield database.execute("SELECT pg_sequence_last_value(CAST(? AS regclass))", (sequence,)).fetchone()[0]
    if _has_numbering(table, database):
        query = f"SELECT last FROM {table.schema}.numbering WHERE source = ?"
        yield from (row[0] for row in database.execute(query, (table.name,)).fetchall())


def _go_on_from(table: Table, last: int, database: Connection) -> None:
    """Make a table give numbers above the last one."""
    if not last:
        return
    if database.engine == "sqlite":
        query = "SELECT 1 FROM sqlite_master WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'"
        if database.execute(query, (table.name,)).fetchone() is not None:
            database.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table.name,))
            database.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table.name, last))
        return
    if sequence := _sequence(table, database):
        database.execute("SELECT setval(CAST(? AS regclass), ?)", (sequence, last))
    if _has_numbering(table, database):
        database.execute(f"UPDATE {table.schema}.numbering SET last = ? WHERE source = ?", (last, table.name))


def _sequence(table: Table, database: Connection) -> str | None:
    """Return the sequence that numbers the rows of a table of a server's; None: there is none."""
    place = f'{table.schema}."{table.name}"'
    found = database.execute("SELECT pg_get_serial_sequence(?, 'id')", (place,)).fetchone()[0]
    return None if found is None else str(found)


def _has_numbering(table: Table, database: Connection) -> bool:
    query = "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = 'numbering'"
    return database.execute(query, (table.schema,)).fetchone() is not None
