"""Where a BBS keeps accounts, ledger and history: two files, unless an extra keeps them elsewhere.

Owns the names of the files, and what a start must not find beside them. Invariants:

* A BBS never begins anew beside what it had: a start is refused where one of the files is missing and the other has
  something to lose, or where a mark says that its accounts are elsewhere.
* What a BBS was started with it keeps, whatever its configuration says by then: all its sessions use the same.
"""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

import msgspec

from yawc_poker.announcing import announced
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import NO_LOCK, Store, StoreError
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import SqliteStore, is_there
from yawc_poker.casino.store.users import USERS
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.config import Config
from yawc_poker.ipc.segment import Segment

BANK_FILE: Final = "bank.sqlite"
USERS_FILE: Final = "users.sqlite"
FILES: Final = {BOOKS.schema: BANK_FILE, USERS.schema: USERS_FILE}
MARK_FILE: Final = "database.url"
"""The database server that the last start used; there is none where the BBS keeps files."""
BACKUP_INSTEAD: Final = "back them up by pg_dump"
CONFIG_FILE: Final = "running.json"
"""The configuration of the running BBS, for sessions that it did not fork."""
_SOMEBODY: Final = (
    (USERS_FILE, "SELECT 1 FROM user LIMIT 1", "accounts"),
    (BANK_FILE, "SELECT 1 FROM account WHERE kind = 'user' LIMIT 1", "CUBES of accounts"),
)


class Databases(msgspec.Struct, frozen=True):
    """The databases of one BBS: two files."""

    data: Path

    # --- opening ------------------------------------------------------------------------------------------------------

    def bank(self, segment: Segment, *, must_exist: bool = False) -> Bank:
        """Return the bank for a process of the BBS."""
        return Bank(self.inside(BOOKS, segment, must_exist=must_exist, failure=BankUnavailable))

    def accounts(self, segment: Segment, *, must_exist: bool = False) -> Accounts:
        """Return the accounts for a process of the BBS."""
        return Accounts(self.inside(USERS, segment, must_exist=must_exist))

    def bank_to_look_at(self) -> Bank:
        """Return the bank for a program from outside, which changes nothing."""
        return Bank(self.books(look_only=True))

    def accounts_to_look_at(self) -> Accounts:
        """Return the accounts for a program from outside, which changes nothing."""
        return Accounts(self.users(look_only=True))

    def books(self, *, look_only: bool = False) -> Store:
        """Return the ledger's store for a program from outside. Raise `StoreError`."""
        return self.outside(BOOKS, look_only=look_only, failure=BankUnavailable)

    def users(self, *, look_only: bool = False) -> Store:
        """Return the accounts' store for a program from outside. Raise `StoreError`."""
        return self.outside(USERS, look_only=look_only)

    def inside(
        self, layout: Layout, segment: Segment, *, must_exist: bool = False, failure: type[StoreError] | None = None
    ) -> Store:
        """Return the store of these tables for a process of the BBS; all that goes wrong is told as a `failure`."""
        file = self.data / FILES[layout.schema]
        return SqliteStore(file, segment.bank_lock, layout, must_exist=must_exist, failure=failure)

    def outside(self, layout: Layout, *, look_only: bool = False, failure: type[StoreError] | None = None) -> Store:
        """Return it for a program from outside. Raise `StoreError`."""
        return SqliteStore(self.data / FILES[layout.schema], NO_LOCK, layout, look_only=look_only, failure=failure)

    def refuse_server(self, instead: str) -> None:
        """Raise `StoreError`, which says what to do instead, unless these are files."""

    # --- before a start -----------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load what they take, before the first fork. Raise `StoreError`."""

    def in_force(self, config: Config) -> Config:
        """Return a configuration with these databases: others wait until the BBS is stopped and started."""
        return config

    def waiting(self, config: Config) -> list[str]:
        """Return the settings of a configuration that wait for that."""
        return []

    def examine(self) -> None:
        """Raise `StoreError` if a BBS could not start with them. Changes nothing, and loads what they take."""
        if is_there(self.data / MARK_FILE):
            raise StoreError(
                f"{self.data / MARK_FILE}: accounts and ledger are in a database: set [cluster] database, or move"
                " them back (yawcctl move --back); remove this file to begin with an empty BBS"
            )
        self._refuse_half()

    def _refuse_half(self) -> None:
        """Raise `StoreError` if one of the files is missing and the other has something to lose: both make one BBS.

        An empty ledger would take everybody's CUBES, and empty accounts would give old CUBES to new users.
        """
        data = self.data
        missing = [file for file, _, _ in _SOMEBODY if not is_there(data / file)]
        for file, query, what in _SOMEBODY:
            if len(missing) == 1 and file not in missing and _finds(data / file, query):
                raise StoreError(
                    f"{data / missing[0]} is missing, and {file} has {what}: put it back (yawcctl restore FILE"
                    f" --replace), or move {file} away as well to begin with an empty BBS"
                )

    def mark(self) -> None:
        """Note in the data directory which databases a BBS begins with. Raise `OSError`."""
        (self.data / MARK_FILE).unlink(missing_ok=True)


def _finds(path: Path, query: str) -> bool:
    """Return whether a query finds a row; of a file that cannot be asked, whether there is anything in it."""
    try:
        if not path.is_file():
            return False  # opening it as a database reports what it is
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchone() is not None
    except sqlite3.Error:
        return path.stat().st_size > 0


class DatabasesKind(NamedTuple):
    """How an extra keeps accounts, ledger and history elsewhere (place `databases`); None: they are in files."""

    of: Callable[[Path, Config], Databases | None]
    """The databases that a configuration asks for."""
    in_use: Callable[[Path], Databases | None]
    """Those that `CONFIG_FILE` names. Raise `OSError`, `msgspec.DecodeError`, `msgspec.ValidationError`."""
    marked: Callable[[Path], Databases | None]
    """Those that were marked."""


def databases_of(data: Path, config: Config) -> Databases:
    """Return the databases that a configuration asks for."""
    return _first(kind.of(data, config) for kind in announced("databases", DatabasesKind)) or Databases(data)


def in_use(data: Path, config: Config) -> Databases:
    """Return the databases of the BBS that runs on a data directory; those of `config` where that cannot be read."""
    try:
        return _first(kind.in_use(data) for kind in announced("databases", DatabasesKind)) or Databases(data)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return databases_of(data, config)


def marked(data: Path) -> Databases:
    """Return the databases that the last start on a data directory used, or that are moved there."""
    return _first(kind.marked(data) for kind in announced("databases", DatabasesKind)) or Databases(data)


def _first(found: Iterable[Databases | None]) -> Databases | None:
    return next((one for one in found if one is not None), None)
