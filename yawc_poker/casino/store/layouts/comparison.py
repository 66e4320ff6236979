"""Whether the tables of a PostgreSQL schema are those that this program makes: a missing trigger lets a mistake in.

Owns the comparison of a `Layout`'s text with the catalogue: tables, indexes, triggers (there, and switched on), the
bodies of functions, and how many checks and foreign keys there are. Only looks.
"""

import re
from typing import Final

from yawc_poker.casino.store.connection import Connection, Layout

_MADE: Final = re.compile(r"^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) (\w+)", re.MULTILINE)
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


def differences(books: Connection, layout: Layout) -> list[str]:
    """Return the names of what is missing, too many, switched off or changed. Raise `FAILURES`.

    Of tables that a newer program has brought up to date only what is missing or switched off is told.
    """
    wanted, there = _wanted(layout), _there(books, layout.schema)
    (version,) = books.execute(f"SELECT version FROM {layout.schema}.layout").fetchone()
    if int(version) > layout.version:
        of_older = {(kind, name) for kind, name in wanted if kind != "CONSTRAINT"}
        return sorted(name for kind, name in of_older if there.get((kind, name), "D") == "D")
    return sorted({name for (_, name), _ in wanted.items() ^ there.items()})


def _wanted(layout: Layout) -> dict[tuple[str, str], str]:
    script = "".join(layout.steps)
    made = {(str(kind), str(name)): "O" for kind, name in _MADE.findall(script)}
    made["CONSTRAINT", "constraints"] = str(len(_CONSTRAINT.findall(script)))
    return made | {("FUNCTION", str(name)): str(body) for name, body in _FUNCTION.findall(script)}


def _there(books: Connection, schema: str) -> dict[tuple[str, str], str]:
    found = {}
    for query in (_TABLES, _TRIGGERS, _FUNCTIONS, _CONSTRAINTS):
        for kind, name, state in books.execute(query, {"schema": schema}):
            found[str(kind), str(name)] = str(state)
    return found
