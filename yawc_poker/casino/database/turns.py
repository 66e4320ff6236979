"""Turns: what one transaction at a time may do, where several write at the same moment.

Owns the numbers of the advisory locks in a PostgreSQL database; decides nothing, and does nothing on SQLite, where a
writing transaction is alone. A turn is for decisions that no row can be locked for: how many rows there are, or which
of two comes first. Invariants:

* A turn ends with its transaction, after all others can see what that wrote. So who has a turn sees everything that was
  written in the same turn before, and numbers that are drawn in it are in the order in which they appear.
* A turn is taken in a writing transaction, before the rows are read that are decided by. Rows that another one may hold
  while it waits for this turn are locked before it, too: who has a turn waits for nobody who wants it.
"""

from enum import IntEnum
from typing import Final

from yawc_poker.casino.database.connection import Connection

_SPACE: Final = 0x59415700
"""The first number of each lock, less the turn's. The one for layouts is 0x59415743 (`postgres`)."""
_MOST: Final = 0x7FFFFFFF


class Turn(IntEnum):
    """What is done in turn. The numbers are the locks': processes of two versions of the program agree on them."""

    ATTEMPTS = 1
    """Tries at passwords, and the places where users are known."""
    REGISTRATIONS = 2
    VISITS = 3
    """Who came and went."""
    BANS = 4
    """Publishing the list of banned addresses."""
    WALL = 5
    MESSAGES = 6
    """One user's X-messages."""
    LETTERS = 7
    """One user's box of letters."""
    IGNORED = 8
    """One user's ignore list."""
    CLOSINGS = 9
    """Closing games in the ledger: events are told in the order of these transactions' numbers."""


def take_turn(database: Connection, turn: Turn, user: int = 0) -> None:
    """Wait until no other transaction has this turn, and keep it until the end of this one; it may be taken again.

    With `user` it is a turn of that user alone. Raise what a statement raises, such as after `lock_timeout`.
    """
    if database.engine == "postgresql":
        database.execute("SELECT pg_advisory_xact_lock(?, ?)", (_SPACE + turn, user & _MOST))
