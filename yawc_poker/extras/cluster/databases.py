"""One PostgreSQL database for accounts, ledger and history, instead of two files.

Owns the choice, and the mark that it leaves in the data directory for those who read no configuration (`yawcctl` beside
a stopped BBS). Invariants:

* A BBS never begins anew beside what it had: a start is refused where files lie and a database is configured.
* psycopg is loaded before the first fork, and only where a database is configured.
* Of several hosts each process writes in the epoch in which it was begun, and by the database's clock
  (`ClusteredHost`).
"""

import time
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import asdict

from yawc_poker.casino.files import write_as_owner
from yawc_poker.casino.instance.databases import CONFIG_FILE, FILES, MARK_FILE, Databases, DatabasesKind
from yawc_poker.casino.store.connection import Store, StoreError
from yawc_poker.casino.store.layout import Layout
from yawc_poker.casino.store.sqlite import is_there
from yawc_poker.config import Config
from yawc_poker.extras.cluster.layout import CLUSTER
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.server.access import Access
from yawc_poker.extras.cluster.server.opening import load
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import LockWatch


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


class StartedWith(Databases, frozen=True):
    """Databases that know what `[cluster]` said when the BBS was started."""

    cluster: ClusterSettings = ClusterSettings()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.data})"  # never a URL: a password may be in it

    def in_force(self, config: Config) -> Config:
        """Return a configuration with these databases: others wait until the BBS is stopped and started."""
        return config.having(self.cluster)

    def waiting(self, config: Config) -> list[str]:
        """Return the settings of a configuration that wait for that."""
        mine, asked = asdict(self.cluster), asdict(config.of(ClusterSettings))
        return [f"cluster.{key}" for key in mine if mine[key] != asked[key]]


class ServerDatabases(StartedWith, frozen=True):
    """The databases of one BBS: two schemas of a PostgreSQL database."""

    @property
    def url(self) -> str:
        """The database."""
        return self.cluster.database

    # --- opening ------------------------------------------------------------------------------------------------------

    def inside(
        self, layout: Layout, segment: Segment, *, must_exist: bool = False, failure: type[StoreError] | None = None
    ) -> Store:
        """Return the store of these tables for a process of the BBS; all that goes wrong is told as a `failure`."""
        here = ClusteredHost(segment.head)
        access = Access.USE if must_exist else Access.MAKE
        store = load()(self.url, layout, access, failure=failure, lock=AtWork(segment.watch), fence=here.fence)
        store.clock = here.now if here.is_clustered else time.time
        return store

    def outside(self, layout: Layout, *, look_only: bool = False, failure: type[StoreError] | None = None) -> Store:
        """Return it for a program from outside. Raise `StoreError` without psycopg."""
        return load()(self.url, layout, Access.LOOK if look_only else Access.MAKE, failure=failure)

    def shared(self, access: Access = Access.MAKE) -> Store:
        """Return the store of what several hosts share. Raise `StoreError`."""
        return load()(self.url, CLUSTER, access)

    def refuse_server(self, instead: str) -> None:
        """Raise `StoreError`, which says what to do instead."""
        raise StoreError(f"accounts and ledger are in a PostgreSQL database: {instead} (docs/cluster.md)")

    # --- before a start -----------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load what they take, before the first fork. Raise `StoreError`."""
        try:
            from yawc_poker.extras.cluster.server.probe import readable_name
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
            import_module("yawc_poker.extras.cluster.server.direct")
        self.books()
        self.users()

    def examine(self) -> None:
        """Raise `StoreError` if a BBS could not start with them. Changes nothing, and loads what they take."""
        if len(made := self.schemas()) == 1 and any(made.values()):
            raise StoreError(f"the database has the schema {min(made)} alone: bank and users make one BBS")
        if left := [file for file in FILES.values() if is_there(self.data / file)]:
            raise StoreError(
                f"{self.data / left[0]} is there, and [cluster] database is set: move accounts and ledger into it"
                " (yawcctl move URL), or move the files away to begin with what the database has"
            )

    def schemas(self) -> dict[str, bool]:
        """Return which schemas of a BBS the database has, each with whether it has anything to lose.

        Raise `StoreError` if no BBS could use the database.
        """
        self.load()
        from yawc_poker.extras.cluster.server.probe import look_at  # it loads psycopg

        return look_at(self.url)

    def mark(self) -> None:
        """Note in the data directory which database a BBS begins with. Raise `OSError`."""
        write_as_owner(self.data / MARK_FILE, self.url.encode())

    def mark_moved(self) -> None:
        """Leave a mark in the database that its BBS keeps files from now on. Raise `StoreError`."""
        from yawc_poker.extras.cluster.server.probe import MOVED  # it loads psycopg

        now = time.strftime("%Y-%m-%d %H:%M")
        with closing(self.books()) as store, store.writing() as books:
            books.execute(f"COMMENT ON SCHEMA bank IS '{MOVED}{now}'")


# --- which ones -------------------------------------------------------------------------------------------------------


def server_databases(data: Path, url: str) -> ServerDatabases:
    """Return the databases of a BBS that are at a URL."""
    return ServerDatabases(data, ClusterSettings(database=url))


def _with(data: Path, settings: ClusterSettings) -> StartedWith:
    return ServerDatabases(data, settings) if settings.database else StartedWith(data, settings)


def _of(data: Path, config: Config) -> StartedWith:
    return _with(data, config.of(ClusterSettings))


def _in_use(data: Path) -> StartedWith:
    return _with(data, msgspec.json.decode((data / CONFIG_FILE).read_bytes(), type=_Running).cluster)


class _Running(msgspec.Struct):
    """The part of `CONFIG_FILE` that names the database; an older program leaves it out."""

    cluster: ClusterSettings = ClusterSettings()


def _marked(data: Path) -> ServerDatabases | None:
    with suppress(OSError):
        return server_databases(data, (data / MARK_FILE).read_text().strip())
    return None


ANNOUNCED: Final = (DatabasesKind(_of, _in_use, _marked),)
