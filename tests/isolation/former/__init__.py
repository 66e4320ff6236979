"""Databases as every former version of the program made them: files of SQLite, and schemas of a PostgreSQL database."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Literal

from yawc_poker.casino.store.layout import Layout

_FOLDER: Final = Path(__file__).parent


def steps(layout: Layout, kind: Literal["sqlite", "server"]) -> list[str]:
    """Return the scripts that led from each version to the next, the first of them from nothing."""
    text = (_FOLDER / f"{layout.schema}.{kind}.sql").read_text()
    return re.split(r"^-- version \d+\n", text, flags=re.MULTILINE)[1:]


@contextmanager
def former_file(path: Path, layout: Layout, version: int) -> Iterator[sqlite3.Connection]:
    """Make a file of this version, and yield it open."""
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        for step in steps(layout, "sqlite")[:version]:
            made.executescript(step)
        made.execute(f"PRAGMA user_version = {version}")
        made.execute(f"PRAGMA application_id = {layout.mark}")
        yield made


def make_former_schema(url: str, layout: Layout, version: int) -> None:
    """Make a schema of this version in a database."""
    import psycopg  # not everybody has it

    with closing(psycopg.connect(url, autocommit=True)) as link:
        link.execute(f"CREATE SCHEMA {layout.schema}; SET search_path = {layout.schema}".encode())
        for step in steps(layout, "server")[:version]:
            link.execute(step.encode())
        link.execute("CREATE TABLE layout (version integer NOT NULL, oldest integer)")
        link.execute("INSERT INTO layout VALUES (%s, %s)", (version, version))
