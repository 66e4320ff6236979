"""Where a BBS keeps accounts, ledger and history: two files in its data directory, or one PostgreSQL database.

Owns the names of the files, the choice between both, and the mark that it leaves in the data directory for those who
read no configuration (`yawcctl` beside a stopped BBS). Invariants:

* A BBS never begins anew beside what it had: a start is refused where files lie and a database is configured, or where
  a mark names a database and none is configured.
* What a BBS was started with it keeps, whatever its configuration says by then: all its sessions use one of both.
* psycopg is loaded before the first fork, and only where a database is configured.
* Of several hosts each process writes in the epoch in which it was begun, and by the database's clock (`LocalHost`).
"""

import time
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.cluster.local_host import LocalHost
from yawc_poker.casino.cluster.opening import open_shared
from yawc_poker.casino.files import write_as_owner
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import Store, StoreError
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.opening import load, open_store
from yawc_poker.casino.store.sqlite import is_there
from yawc_poker.casino.store.users import USERS
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.config import ClusterSettings, Config
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import LockWatch

BANK_FILE: Final = "bank.sqlite"
USERS_FILE: Final = "users.sqlite"
_FILES: Final = (BANK_FILE, USERS_FILE)
MARK_FILE: Final = "database.url"
"""The database that the last start used; there is none where the BBS keeps files."""
BACKUP_INSTEAD: Final = "back them up by pg_dump"
CONFIG_FILE: Final = "running.json"
"""The configuration of the running BBS, for sessions that it did not fork."""


class AtWork:
    """Held around every transaction of a database server: others see that this process waits, as for the disk.

    It is no lock: the server's own locks keep transactions apart.
    """

    def __init__(self, watch: LockWatch) -> None:
        self._watch = watch

    def __enter__(self) -> None:
        self._show(True)

    def __exit__(self, *error: object) -> None:
        self._show(False)

    def _show(self, works: bool) -> None:
        if self._watch.on_work is not None:
            self._watch.on_work(works)


class Databases(msgspec.Struct, frozen=True):
    """The databases of one BBS."""

    data: Path
    url: str = ""
    """Empty: the files."""
    cluster: ClusterSettings = ClusterSettings()
    """What else was set of it, beside the URL."""

    def __repr__(self) -> str:
        return f"Databases({self.data}, {'a database' if self.url else 'files'})"  # never the URL: a password is in it

    # --- opening ------------------------------------------------------------------------------------------------------

    def bank(self, segment: Segment, *, must_exist: bool = False) -> Bank:
        """Return the bank for a process of the BBS."""
        return Bank(self._opened(BOOKS, BANK_FILE, segment, must_exist, BankUnavailable))

    def accounts(self, segment: Segment, *, must_exist: bool = False) -> Accounts:
        """Return the accounts for a process of the BBS."""
        return Accounts(self._opened(USERS, USERS_FILE, segment, must_exist))

    def _opened(
        self, layout: Layout, file: str, segment: Segment, must_exist: bool, failure: type[StoreError] | None = None
    ) -> Store:
        here = LocalHost(segment.head)
        return open_store(
            layout,
            self.url,
            self.data / file,
            segment.bank_lock,
            must_exist=must_exist,
            failure=failure,
            around=AtWork(segment.watch),
            fence=here.fence,
            clock=here.now if here.is_clustered else time.time,
        )

    def bank_to_look_at(self) -> Bank:
        """Return the bank for a program from outside, which changes nothing."""
        return Bank(self.books(look_only=True))

    def accounts_to_look_at(self) -> Accounts:
        """Return the accounts for a program from outside, which changes nothing."""
        return Accounts(self.users(look_only=True))

    def books(self, *, look_only: bool = False) -> Store:
        """Return the ledger's store for a program from outside. Raise `StoreError` without psycopg."""
        return open_store(BOOKS, self.url, self.data / BANK_FILE, look_only=look_only, failure=BankUnavailable)

    def users(self, *, look_only: bool = False) -> Store:
        """Return the accounts' store for a program from outside. Raise `StoreError` without psycopg."""
        return open_store(USERS, self.url, self.data / USERS_FILE, look_only=look_only)

    def shared(self, *, look_only: bool = False, must_exist: bool = False, any_layout: bool = False) -> Store:
        """Return the store of what several hosts share; only where a database is set. Raise `StoreError`."""
        return open_shared(self.url, look_only=look_only, must_exist=must_exist, any_layout=any_layout)

    def refuse_server(self, instead: str) -> None:
        """Raise `StoreError`, which says what to do instead, unless these are files."""
        if self.url:
            raise StoreError(f"accounts and ledger are in a PostgreSQL database: {instead} (docs/cluster.md)")

    # --- before a start -----------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load what they take, before the first fork. Raise `StoreError`."""
        if self.url:
            try:
                from yawc_poker.casino.store.probe import readable_name
            except ImportError as error:
                reason = str(error).splitlines()[0]
                raise StoreError(
                    f"[cluster] database needs psycopg: pip install 'yawc-poker[cluster]' ({reason})"
                ) from None
            readable_name(self.url)
            if self.cluster.listen:
                readable_name(self.cluster.listen)
            load()
            if self.cluster.host:
                import_module("yawc_poker.casino.cluster.direct")
            self.books()
            self.users()

    def in_force(self, config: Config) -> Config:
        """Return a configuration with these databases: others wait until the BBS is stopped and started."""
        return replace(config, cluster=replace(self.cluster, database=self.url))

    def examine(self) -> None:
        """Raise `StoreError` if a BBS could not start with them. Changes nothing, and loads what they take."""
        if not self.url:
            if is_there(self.data / MARK_FILE):
                raise StoreError(
                    f"{self.data / MARK_FILE}: accounts and ledger are in a database: set [cluster] database, or move"
                    " them back (yawcctl move --back); remove this file to begin with an empty BBS"
                )
            return
        if len(made := self.schemas()) == 1 and any(made.values()):
            raise StoreError(f"the database has the schema {min(made)} alone: bank and users make one BBS")
        if left := [file for file in _FILES if is_there(self.data / file)]:
            raise StoreError(
                f"{self.data / left[0]} is there, and [cluster] database is set: move accounts and ledger into it"
                " (yawcctl move URL), or move the files away to begin with what the database has"
            )

    def schemas(self) -> dict[str, bool]:
        """Return which schemas of a BBS the database has, each with whether it has anything to lose.

        Raise `StoreError` if no BBS could use the database.
        """
        self.load()
        from yawc_poker.casino.store.probe import look_at  # it loads psycopg

        return look_at(self.url)

    def mark(self) -> None:
        """Leave the mark, or take it away. Raise `OSError`."""
        file = self.data / MARK_FILE
        if self.url:
            write_as_owner(file, self.url.encode())
        else:
            file.unlink(missing_ok=True)


def databases_of(data: Path, config: Config) -> Databases:
    """Return the databases that a configuration asks for."""
    return Databases(data, config.cluster.database, config.cluster)


def marked(data: Path) -> Databases:
    """Return the databases that the last start on a data directory used, or that are moved there."""
    with suppress(OSError):
        return Databases(data, (data / MARK_FILE).read_text().strip())
    return Databases(data)


def mark_moved(databases: Databases) -> None:
    """Leave a mark in a database that its BBS keeps files from now on. Raise `StoreError`."""
    from yawc_poker.casino.store.probe import MOVED  # it loads psycopg

    now = time.strftime("%Y-%m-%d %H:%M")
    with closing(databases.books()) as store, store.writing() as books:
        books.execute(f"COMMENT ON SCHEMA bank IS '{MOVED}{now}'")


def in_use(data: Path, config: Config) -> Databases:
    """Return the databases of the BBS that runs on a data directory; those of `config` where that cannot be read."""
    with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
        running = msgspec.json.decode((data / CONFIG_FILE).read_bytes(), type=_Running)
        return Databases(data, running.cluster.database, running.cluster)
    return databases_of(data, config)


class _Running(msgspec.Struct):
    """The part of `CONFIG_FILE` that names the database; an older program leaves it out."""

    cluster: ClusterSettings = ClusterSettings()
