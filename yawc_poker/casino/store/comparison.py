"""Whether tables are those that this program makes: a missing trigger lets a mistake in.

Owns the comparison with a `Layout`: of a file's tables, indexes and triggers, word by word, and of a schema's, which
are there or not, switched on or off, with the bodies of functions, and how many checks and foreign keys there are. Only
looks.
"""

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from typing import Final

from yawc_poker.casino.store.connection import Connection
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import SqliteConnection, migrate

_WORDS: Final = re.compile(r"'[^']*'|\w+|[^\w\s]")
_COMMENT: Final = re.compile(r"--.*")
_MADE: Final = re.compile(r'^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) "?(\w+)', re.MULTILINE)
_FUNCTION: Final = re.compile(r"^CREATE FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$", re.MULTILINE | re.DOTALL)

_TABLES: Final = """
SELECT CASE relkind WHEN 'r' THEN 'TABLE' ELSE 'INDEX' END, relname, 'O' FROM pg_class
WHERE relnamespace = :schema::regnamespace AND relkind IN ('r', 'i') AND relname <> 'layout'
AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = pg_class.oid)
"""
_TRIGGERS: Final = """
SELECT 'TRIGGER', tgname, tgenabled::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE relnamespace = :schema::regnamespace AND NOT tgisinternal
"""
_FUNCTIONS: Final = "SELECT 'FUNCTION', proname, prosrc FROM pg_proc WHERE pronamespace = :schema::regnamespace"
_CONSTRAINTS: Final = """
SELECT 'CONSTRAINT', 'constraints', count(*) FROM pg_constraint
WHERE connamespace = :schema::regnamespace AND contype IN ('c', 'f')
"""
_CONSTRAINT: Final = re.compile(r"\bCHECK \(|\bREFERENCES ")


def differences(database: Connection, layout: Layout) -> list[str]:
    """Return the names of what is missing, too many, switched off or changed. Raise `FAILURES`.

    Of a schema that a newer program has brought up to date only what is missing or switched off is told.
    """
    if database.engine == "sqlite":
        new, found = _new_file(layout), _in_file(database)
        return sorted(name for name in new.keys() | found.keys() if new.get(name) != found.get(name))
    wanted, there = _wanted(layout), _there(database, layout.schema)
    (version,) = database.execute(f"SELECT version FROM {layout.schema}.layout").fetchone()
    if int(version) > layout.version("postgresql"):
        of_older = {(kind, name) for kind, name in wanted if kind != "CONSTRAINT"}
        return sorted(name for kind, name in of_older if there.get((kind, name), "D") == "D")
    return sorted({name for (_, name), _ in wanted.items() ^ there.items()})


@cache
def _new_file(layout: Layout) -> Mapping[str, list[str]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None, factory=SqliteConnection)) as fresh:
        migrate(fresh, layout, 0)
        return _in_file(fresh)


def _in_file(database: Connection) -> Mapping[str, list[str]]:
    """Return the words of each statement; those of a table sorted, since a column may have been added to it later."""
    rows = database.execute("SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    words = {str(name): (kind, _WORDS.findall(_COMMENT.sub("", sql))) for name, kind, sql in rows}
    return {name: sorted(found) if kind == "table" else found for name, (kind, found) in words.items()}


def _wanted(layout: Layout) -> dict[tuple[str, str], str]:
    steps = layout.later("postgresql", layout.first("postgresql"))
    script = "".join((layout.made("postgresql"), layout.guards("postgresql"), *steps))
    made = {(str(kind), str(name)): "O" for kind, name in _MADE.findall(script)}
    made["CONSTRAINT", "constraints"] = str(len(_CONSTRAINT.findall(script)))
    return made | {("FUNCTION", str(name)): str(body) for name, body in _FUNCTION.findall(script)}


def _there(books: Connection, schema: str) -> dict[tuple[str, str], str]:
    found = {}
    for query in (_TABLES, _TRIGGERS, _FUNCTIONS, _CONSTRAINTS):
        for kind, name, state in books.execute(query, {"schema": schema}):
            found[str(kind), str(name)] = str(state)
    return found
