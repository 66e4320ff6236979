"""The users of a BBS in both kinds of databases: a file of SQLite, and the schema of a PostgreSQL database.

And a bank in such a database.
"""

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from tests.isolation.processes import FileLock, exit_code, fork
from tests.postgres import databases_at
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import NO_LOCK, Clock, Lock, Store, StoreError
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import SqliteStore
from yawc_poker.casino.store.users import USERS
from yawc_poker.casino.users.accounts import Accounts

OpenUsers: TypeAlias = Callable[[], Store]
"""Returns the store as another process opens it, by each call anew."""

_CHILDREN_FIRST: Final = (
    *(
        "act",
        "message",
        "familiar",
        "alert",
        "guess",
        "key",
        "visit",
        "ignored",
        "letter",
        "wall",
        "ban",
        "registration",
    ),
    "user",
)
_WITH_SEQUENCES: Final = ("message", "alert", "letter", "wall", "registration", "visit", "user")
EMPTIED: Final = "; ".join(
    (
        *(f'DELETE FROM users."{table}"' for table in _CHILDREN_FIRST),
        *(f"""ALTER TABLE users."{table}" ALTER COLUMN id RESTART""" for table in _WITH_SEQUENCES),
        "UPDATE users.numbering SET last = 0",
    )
)
"""Statements by which a database forgets all users, and that there were any."""


def with_clock(store: Store, clock: Clock) -> Store:
    """Return a store by whose clock things are written down from now on."""
    store.clock = clock
    return store


def open_store(
    layout: Layout, url: str, path: Path, lock: Lock = NO_LOCK, failure: type[StoreError] | None = None
) -> Store:
    """Return a store in the database of this URL, or, if it is empty, in a file."""
    if url:
        return databases_at(path.parent, url).outside(layout, failure=failure)
    return SqliteStore(path, lock, layout, failure=failure)


def in_file(path: Path, lock: Lock | None = None) -> Store:
    """Return the users in a file; it is made at the first use."""
    return SqliteStore(path, NO_LOCK if lock is None else lock, USERS)


def in_file_of_many(folder: Path) -> Store:
    """Return the users in a file of this folder that several processes open."""
    return in_file(folder / "users.sqlite", FileLock(folder / "lock"))


def in_database(url: str) -> Store:
    """Return the users in a PostgreSQL database."""
    return open_store(USERS, url, Path())


def bank_in_file(path: Path, lock: Lock = NO_LOCK, *, look_only: bool = False) -> Bank:
    """Return the bank in a file; it is made at the first use."""
    return Bank(SqliteStore(path, lock, BOOKS, look_only=look_only, failure=BankUnavailable))


def bank_in_database(url: str) -> Bank:
    """Return the bank in a PostgreSQL database."""
    return Bank(open_store(BOOKS, url, Path(), failure=BankUnavailable))


class AtOnce:
    """Processes that each have a connection of their own, and begin at one moment."""

    def __init__(self, open_users: OpenUsers, works: Iterable[Callable[[Accounts], None]]) -> None:
        gate, self._open_gate = os.pipe()
        self.left = [fork(partial(self._work, gate, open_users, work)) for work in works]
        os.close(gate)

    def _work(self, gate: int, open_users: OpenUsers, work: Callable[[Accounts], None]) -> None:
        os.close(self._open_gate)
        accounts = Accounts(open_users())
        accounts.find("Anna")  # connected
        os.read(gate, 1)
        work(accounts)

    def begin(self) -> None:
        """Let them begin."""
        os.close(self._open_gate)

    def are_done(self) -> bool:
        """Return whether all have ended; each must have ended well."""
        for pid in [*self.left]:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                self.left.remove(pid)
                assert os.waitstatus_to_exitcode(status) == 0
        return not self.left

    def codes(self) -> list[int]:
        """Wait for their ends, and return their exit codes, sorted."""
        return sorted(map(exit_code, self.left))


def at_once(open_users: OpenUsers, works: Iterable[Callable[[Accounts], None]]) -> list[int]:
    """Do all of this at one moment, each in a process with a connection of its own; return the exit codes, sorted."""
    processes = AtOnce(open_users, works)
    processes.begin()
    return processes.codes()
