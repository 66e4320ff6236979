"""A real PostgreSQL for tests: a server of this machine's own programs, and a fresh database for each test.

`postgres` is a server in a folder of its own, one for each test worker: at a Unix socket only, small, and without
waiting for the disk. `database` is the URL of a database in which the layouts of bank and users are made, as by the
first start of a BBS; `renewed_database` of one like it that many tests use, one after the other, which takes them a
tenth of the time of a new one; `empty_database` of one with nothing in it. A test that is run by root runs the server
as another user, since PostgreSQL refuses root. Without the programs, or without psycopg, such tests are skipped and say
why.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from pkgutil import iter_modules
from typing import Final, NamedTuple
from urllib.parse import quote

import psutil
import pytest

from tests.waiting import wait_until
from yawc_poker import extras
from yawc_poker.casino.instance.databases import Databases, databases_of
from yawc_poker.config import Config, convert, sections

OLDEST: Final = 15
ROLE: Final = "yawc"
SECONDS: Final = 30.0
_FOLDERS: Final = Path("/usr/lib/postgresql")
"""Where Debian keeps the servers' programs, a folder for each version."""
_TEMPLATE: Final = "with_layouts"
SETTINGS: Final = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "max_wal_senders": "0",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "autovacuum": "off",
}
"""A killed server loses nothing by them: what was written is in the kernel's keeping. With `wal_level` minimal it
would: a sequence that was made since the last checkpoint gives its numbers once more."""


def programs() -> Path | None:
    """Return the folder with the newest server's programs; None: there is none that is new enough."""
    found = shutil.which("initdb")
    folders = [*([Path(found).resolve().parent] if found else []), *_FOLDERS.glob("*/bin")]
    versions = {folder: _version(folder) for folder in folders}
    newest = max(versions, key=lambda folder: versions[folder], default=None)
    return newest if newest is not None and versions[newest] >= OLDEST else None


def _version(folder: Path) -> int:
    """Return the number in `postgres (PostgreSQL) 15.14 (Debian ...)`; 0: there is no such program."""
    with suppress(OSError, ValueError, IndexError, subprocess.CalledProcessError):
        said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
        return int(said.split()[2].partition(".")[0])
    return 0


def why_not() -> str:
    """Return why there can be no such test; empty: there can."""
    if programs() is None:
        return f"PostgreSQL {OLDEST} or later is needed (Debian: postgresql)"
    if "cluster" not in (module.name for module in iter_modules(extras.__path__)):
        return "the extra that uses it is not there"
    return "" if find_spec("psycopg") else "psycopg is needed (pip install 'yawc-poker[cluster]')"


class Server:
    """A PostgreSQL server in a folder, with its databases."""

    def __init__(self, folder: Path, settings: Mapping[str, str] = SETTINGS, under: Sequence[str] = ()) -> None:
        """Make its files; a test that is root gives the folder away to the user that the server is run as.

        `under` is a command under which its programs are run.
        """
        found = programs()
        assert found is not None, why_not()
        self.folder = folder
        self._programs = found
        self._data = folder / "data"
        self._user = _user_of_server()
        self.settings = settings
        self._under = under
        self._numbers = count(1)
        self._has_template = False
        if self._user is not None:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        options = ("-U", ROLE, "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        assert self._run("initdb", "-D", str(self._data), *options).wait() == 0, self.log
        self._process = self._started()

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        user = self._user
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*self._under, self._programs / program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={name: value for name, value in os.environ.items() if not name.startswith("PG")},
                user=None if user is None else user.pw_uid,
                group=None if user is None else user.pw_gid,
                extra_groups=None if user is None else [],
                start_new_session=True,  # no Ctrl-C of the terminal's
            )

    def _started(self) -> subprocess.Popen[bytes]:
        settings = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        process = self._run("postgres", "-D", str(self._data), "-k", str(self.folder), *settings)
        wait_until(lambda: process.poll() is not None or self._is_ready(process.pid), "the server", SECONDS)
        assert process.poll() is None, self.log
        return process

    def _is_ready(self, pid: int) -> bool:
        """Return whether the server of this pid says that it takes connections."""
        with suppress(FileNotFoundError):
            lines = (self._data / "postmaster.pid").read_text().splitlines()
            return lines[:1] == [str(pid)] and lines[-1].strip() in {"ready", "standby"}
        return False

    # --- its life -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it again, if it does not run; after a kill it recovers first."""
        if self._process.poll() is not None:
            self._process = self._started()

    def stop(self) -> None:
        """Stop it in good order, whoever is connected."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(SECONDS)

    def kill(self) -> None:
        """Kill all of its processes at one moment, as a loss of power would."""
        family = self._family()
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.suspend()
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        self._process.wait(SECONDS)
        _, left = psutil.wait_procs(family, SECONDS)
        assert not left, left

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all of its processes where they are, for the block: connections stand, and nothing answers."""
        family = self._family()
        for one in family:
            one.suspend()
        try:
            yield
        finally:
            for one in reversed(family):
                one.resume()

    def _family(self) -> list[psutil.Process]:
        first = psutil.Process(self._process.pid)
        return [first, *first.children(recursive=True)]

    @property
    def pid(self) -> int:
        """Its first process."""
        return self._process.pid

    @property
    def log(self) -> str:
        """All that the server has said."""
        return (self.folder / "log").read_text()

    # --- a replica ----------------------------------------------------------------------------------------------------

    @contextmanager
    def followed(self, folder: Path) -> Iterator["Replica"]:
        """Yield a replica for the block, with its files in a folder. `max_wal_senders` must allow for that."""
        folder.mkdir()
        if self._user is not None:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        replica = Replica(self, folder)
        try:
            yield replica
        finally:
            replica.stop()

    def give_way(self, replica: "Replica") -> None:
        """Be lost, with all that the replica has not got, which is promoted and reached in the same way from now on."""
        if self._process.poll() is None:
            self.kill()
        replica.stop()
        self._data = replica.data
        self._process = self._started()
        self.asks("postgres", "SELECT pg_promote()")
        assert self.asks("postgres", "SELECT pg_is_in_recovery()") == [(False,)]

    # --- its databases ------------------------------------------------------------------------------------------------

    def url(self, name: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://{ROLE}@/{name}?host={quote(str(self.folder), safe='')}"

    def asks(self, name: str, *queries: str) -> list[tuple[object, ...]]:
        """Return the rows that the last statement finds, each committed on its own, by a connection of their own.

        For tests that look behind the program.
        """
        import psycopg  # not everybody has it

        with closing(psycopg.connect(self.url(name), autocommit=True)) as connection:
            for query in queries:
                found = connection.execute(query.encode())
            return found.fetchall() if found.description else []

    def create(self, make_layouts: Callable[[str], None] | None = None) -> str:
        """Make a database, empty or with the layouts that `make_layouts` makes in one of this URL; return its name."""
        name, template = f"bbs_{next(self._numbers)}", "template0"
        if make_layouts is not None:
            template = _TEMPLATE
            if not self._has_template:
                self.asks("postgres", f"CREATE DATABASE {template} TEMPLATE template0")
                make_layouts(self.url(template))
                self._has_template = True
        # Without a write-ahead log of its pages, which costs four times as much.
        self.asks("postgres", f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return name

    def drop(self, name: str) -> None:
        """Drop a database, whoever is connected to it; a server that was stopped is started for that."""
        self.start()
        self.asks("postgres", f"DROP DATABASE {name} WITH (FORCE)")


class Replica:
    """A streaming replica of a server, which nobody may write to yet."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server = server
        self._folder = folder
        self.data = folder / "data"
        copy = ("-D", str(self.data), "-h", str(server.folder), "-U", ROLE, "-R", "-X", "stream", "--checkpoint=fast")
        assert server._run("pg_basebackup", *copy, "--no-sync").wait() == 0, server.log
        settings = {**server.settings, "listen_addresses": ""}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._process = server._run("postgres", "-D", str(self.data), "-k", str(folder), *words)
        wait_until(self._follows, "the replica", SECONDS)

    def _follows(self) -> bool:
        (found,) = self._server.asks("postgres", "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
        return found != (0,)

    def has_all(self) -> None:
        """Wait until it has all that the server has written."""
        self._server.asks("postgres", "SELECT pg_switch_wal()")
        query = "SELECT pg_current_wal_lsn() <= replay_lsn FROM pg_stat_replication"
        wait_until(lambda: self._server.asks("postgres", query) == [(True,)], "the replica to follow", SECONDS)

    def is_waited_for(self) -> None:
        """Make the server wait for it at each COMMIT: then nothing is lost with the server."""
        self._server.asks("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
        self._server.asks("postgres", "SELECT pg_reload_conf()")
        query = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        wait_until(lambda: self._server.asks("postgres", query) == [(1,)], "the replica to be waited for", SECONDS)

    def lag(self) -> None:
        """Get nothing from now on."""
        import psycopg  # not everybody has it

        with closing(psycopg.connect(f"postgresql://{ROLE}@/postgres?host={self._folder}", autocommit=True)) as asked:
            asked.execute(b"ALTER SYSTEM SET primary_conninfo = ''")
            asked.execute(b"SELECT pg_reload_conf()")
        query = "SELECT count(*) FROM pg_stat_replication"
        wait_until(lambda: self._server.asks("postgres", query) == [(0,)], "the replica to lag", SECONDS)

    def stop(self) -> None:
        """Stop it, if it runs."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(SECONDS)


_TABLES: Final = """
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname IN ('bank', 'users', 'cluster') AND tablename <> 'layout'
"""
_KEPT: Final = f"""
    CREATE SCHEMA kept;
    DO $$ DECLARE made record; BEGIN
        FOR made IN {_TABLES} LOOP EXECUTE format('CREATE TABLE kept.%I AS TABLE %s', made.name, made.name); END LOOP;
    END $$
"""
_RENEWED: Final = f"""
    DO $$ DECLARE made record; BEGIN
        SET LOCAL session_replication_role = replica;  -- no triggers, no foreign keys
        FOR made IN {_TABLES} LOOP
            EXECUTE format('DELETE FROM %s', made.name);
            IF to_regclass(format('kept.%I', made.name)) IS NOT NULL THEN
                EXECUTE format('INSERT INTO %s OVERRIDING SYSTEM VALUE TABLE kept.%I', made.name, made.name);
            END IF;
        END LOOP;
    END $$
"""


def _user_of_server() -> pwd.struct_passwd | None:
    """Return the user that the server is run as; None: the tests' own."""
    if os.geteuid() != 0:
        return None
    with suppress(KeyError):
        return pwd.getpwnam("postgres")
    return pwd.getpwnam("nobody")


def on_server(config: Config, url: str) -> Config:
    """Return a configuration with this database."""
    return convert({**sections(config), "cluster": {"database": url}}, [type(game) for game in config.games])


def databases_at(folder: Path, url: str) -> Databases:
    """Return the databases of a BBS that has this one."""
    return databases_of(folder, on_server(Config(), url))


def make_layouts(url: str) -> None:
    """Make the layouts of bank and users, as the first start of a BBS does."""
    databases = databases_at(Path(), url)
    for store in (databases.books(), databases.users()):
        with closing(store), store.reading():
            pass


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server; each test worker has its own."""
    if reason := why_not():
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="yawc-pg-"))  # short, for its socket, and below no folder of root's
    try:
        server = Server(folder)
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """The URL of a database with the layouts, and nobody in it."""
    name = postgres.create(make_layouts)
    yield postgres.url(name)
    postgres.drop(name)


class Kept(NamedTuple):
    """A database that keeps a copy of its first rows."""

    name: str
    tables: str


@pytest.fixture(scope="session")
def kept_database(postgres: Server) -> Kept:
    """A database with the layouts, which keeps a copy of the rows that are in them."""
    name = postgres.create(make_layouts)
    postgres.asks(name, _KEPT)
    return Kept(name, ", ".join(str(table) for (table,) in postgres.asks(name, _TABLES)))


@pytest.fixture
def renewed_database(postgres: Server, kept_database: Kept) -> str:
    """The URL of a database with the layouts, and nobody in it; its sequences go on from test to test."""
    postgres.start()
    postgres.asks(kept_database.name, _RENEWED, f"VACUUM {kept_database.tables}")
    return postgres.url(kept_database.name)


@pytest.fixture
def empty_database(postgres: Server) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)
