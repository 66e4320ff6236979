"""Turns: what one transaction at a time may do, where several write at the same moment.

Owns the numbers of the advisory locks in a PostgreSQL database, and how numbers of rows are followed there. Decides
nothing, and does nothing on SQLite, where a writing transaction is alone. A turn is for decisions that no row can be
locked for: how many rows there are, or which of two comes first. Invariants:

* A turn ends with its transaction, after all others can see what that wrote. So who has a turn sees everything that was
  written in the same turn before.
* A turn is taken in a writing transaction, before the rows are read that are decided by. Rows that another one may hold
  while it waits for this turn are locked before it, too: who has a turn waits for nobody who wants it.
* What everybody does, such as to log in, takes no turn that all others want: it would be held until the disk is done.

Numbers that a sequence gives appear in another order than they were given in, and some never do. So whoever is given
one shows before, until the transaction ends, above which number it will be: by an advisory lock that all may have at
once (`layout.shown_when_given`). Whoever follows a table by its numbers looks first how far they are settled, and reads
the rows by a later transaction.
"""

import zlib
from collections.abc import Collection
from enum import IntEnum
from typing import Final

from yawc_poker.casino.store.connection import Connection

_SPACE: Final = 0x59415700
"""The first number of each lock, less the turn's. The one for layouts is 0x59415743 (`postgres`)."""
_MOST: Final = 0x7FFFFFFF


NUMBERED: Final = {"visit": 0x59415780, "txn": 0x59415781}
"""The first number of the locks that show above which number a row of a table will be."""
_GIVING: Final = """
    SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = ? AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Turn(IntEnum):
    """What is done in turn. The numbers are the locks': processes of two versions of the program agree on them.

    Those that former versions used, 1, 3 and 9, are not used again.
    """

    REGISTRATIONS = 2
    """Registrations from one network."""
    BANS = 4
    """Publishing the list of banned addresses."""
    WALL = 5
    MESSAGES = 6
    """One user's X-messages."""
    LETTERS = 7
    """One user's box of letters."""
    IGNORED = 8
    """One user's ignore list."""


def take_turn(database: Connection, turn: Turn, whose: int | str = 0) -> None:
    """Wait until no other transaction has this turn, and keep it until the end of this one; it may be taken again.

    With `whose` it is a turn of that user, or place, alone; now and then of another place, too. Raise what a statement
    raises, such as after `lock_timeout`.
    """
    if database.engine == "postgresql":
        number = zlib.crc32(whose.encode()) if isinstance(whose, str) else whose
        database.execute("SELECT pg_advisory_xact_lock(?, ?)", (_SPACE + turn, number & _MOST))


def hold_users(database: Connection, users: Collection[int]) -> None:
    """Keep what is written of these users, from the next statement on, as it is, but for this transaction."""
    if users and database.engine == "postgresql":
        places = ", ".join("?" * len(users))
        query = f"SELECT 1 FROM user WHERE id IN ({places}) ORDER BY id FOR NO KEY UPDATE"
        database.later(query, tuple(users))


def rows_nobody_holds(database: Connection, table: str, condition: str) -> str:
    """Return the condition, in SQL, of those rows that another transaction does not change or delete at this moment."""
    if database.engine == "sqlite":
        return condition
    return f"id IN (SELECT id FROM {table} WHERE {condition} FOR UPDATE SKIP LOCKED)"


def need_no_disk(database: Connection) -> None:
    """Let the end of this transaction not wait for the server's disk: a turn that many want is over the sooner.

    If the server's machine loses power within a second, what was written may be lost.
    """
    if database.engine == "postgresql":
        database.later("SET LOCAL synchronous_commit = off")


def numbers_given(database: Connection, table: str) -> int:
    """Return a number up to which a table's rows are there, or never will be, for whoever looks later than this.

    On SQLite a writing transaction is alone. Raise what a statement raises.
    """
    if database.engine == "sqlite":
        return int(database.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0])
    # This comes first: whoever shows nothing yet is given a higher number.
    sequence = f"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM {table}_id_seq"
    given = int(database.execute(sequence).fetchone()[0])
    return min([given, *(int(below) for (below,) in database.execute(_GIVING, (NUMBERED[table],)))])
