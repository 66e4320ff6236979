"""A cluster as a test has it: a database server and a pooler in the middle, and hosts with a daemon each around them.

`Site` is all of it, `Host` a BBS in a namespace of its own. Sessions reach the database by the pooler, couriers the
server itself. The last host has clocks of its own (`clocks`): a monotonic one that is a day ahead of the others', and a
wall clock that is wrong by an hour.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psutil
import pytest

from tests import postgres
from tests.cluster import namespaces, pooler
from tests.cluster.clocks import Wall, under_other_clocks
from tests.cluster.namespaces import HUB, Namespace, Network
from tests.cluster.pooler import Pooler
from tests.disk import CC, Disk
from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller
from tests.postgres import ROLE, Server
from tests.processes import is_spare
from tests.waiting import wait_until
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.segment import Segment, SegmentError, segment_name

NAMES: Final = ("north", "east", "south")
LEASE: Final = 1.5
"""Seconds; a tick is a fifteenth of it."""
_BUG: Final = re.compile(r"Traceback|ended by a bug|\(BUG\)|Fatal Python error|LockOrderError|too long and was killed")


def why_not() -> str:
    """Return why there can be no cluster on this machine; empty: there can."""
    return postgres.why_not() or pooler.why_not() or namespaces.why_not()


def needed() -> None:
    """Skip a test where there can be none, or let it fail, if the environment's YAWC_CLUSTER asks for that."""
    if reason := why_not():
        (pytest.fail if os.environ.get("YAWC_CLUSTER") else pytest.skip)(reason)


def clustered(config: str, database: str, host: str, lease: float) -> str:
    """Return the configuration of a host. `database` is the name of one of the server's, `lease` in seconds."""
    return (
        f"{config}\n[cluster]\n"
        f'database = "postgresql://{ROLE}@{HUB}:{pooler.PORT}/{database}"\n'
        f'listen = "postgresql://{ROLE}@{HUB}:5432/{database}"\n'
        f'host = "{host}"\nlease_seconds = {lease}\n'
    )


_LOCAL: Final = "local all,replication all trust\n"
_HOSTS: Final = "host all all 10.77.0.0/24 trust\n"


class HubServer(Server):
    """PostgreSQL in the middle, by a socket for the test, and by its port for all hosts."""

    def __init__(self, folder: Path, hub: Namespace, settings: Mapping[str, str], under: Sequence[str]) -> None:
        self._hub = hub
        self._rules = folder / "hba.conf"
        self._rules.write_text(_LOCAL + _HOSTS)
        here = {"listen_addresses": HUB, "hba_file": str(self._rules)}
        super().__init__(folder, {**postgres.SETTINGS, **here, **settings}, under)

    @contextmanager
    def turning_hosts_away(self) -> Iterator[None]:
        """Take no new connection but the pooler's for the block, as a server does that has as many as it may have."""
        try:
            self._rule(_LOCAL)
            yield
        finally:
            self._rule(_LOCAL + _HOSTS)

    def _rule(self, rules: str) -> None:
        self._rules.write_text(rules)
        self.asks("postgres", "SELECT pg_reload_conf()")

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with self._hub.inside():
            return super()._run(program, *arguments)


class Host(Bbs):
    """A host: the daemon in its namespace, with a data directory of its own."""

    is_forked = False

    def __init__(self, name: str, folder: Path, namespace: Namespace, config: str) -> None:
        self.name = name
        self.namespace = namespace
        folder.mkdir()
        super().__init__(folder / "data", config)

    def start(self) -> Self:
        with self.namespace.inside():
            return super().start()

    def call(
        self, columns: int = 80, rows: int = 24, kind: bytes = b"XTERM-256COLOR", address: str = "127.0.0.1"
    ) -> Caller:
        with self.namespace.inside():
            return super().call(columns, rows, kind, address)

    def yawcctl(self, *arguments: str) -> str:
        """Run a command of the sysop's on this host, by its network and its clocks."""
        done = self.tried(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def tried(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the sysop's, which may fail."""
        command = [*self.under, sys.executable, "-m", *self.yawcctl_module, "--data", str(self.data), *arguments]
        with self.namespace.inside():
            return subprocess.run(command, capture_output=True, text=True, check=False, timeout=DEADLINE)

    # --- its processes ------------------------------------------------------------------------------------------------

    @contextmanager
    def segment(self) -> Iterator[Segment]:
        """Look at its shared memory."""
        segment = Segment.attach(segment_name(self.data))
        try:
            yield segment
        finally:
            segment.close()

    @property
    def courier(self) -> Identity | None:
        """Its courier, as its shared memory names it."""
        with suppress(SegmentError), self.segment() as segment:
            return ClusteredHost(segment.head).courier
        return None

    @property
    def epoch(self) -> int:
        """The epoch in which it holds its lease."""
        with self.segment() as segment:
            return ClusteredHost(segment.head).epoch

    def hang_up(self) -> None:
        """Hang up all callers of this host."""
        for caller in self._callers:
            caller.hang_up()
        self._callers.clear()

    def everybody_out(self) -> None:
        self.hang_up()
        wait_until(lambda: not self.sessions(), lambda: f"{self.sessions()}\n{self.log.read_text()}", DEADLINE)

    def sessions(self) -> list[psutil.Process]:
        """Return its sessions: all processes that its listener forked, but for its courier and its spares."""
        courier = self.courier
        children = psutil.Process(self.process.pid).children()
        return [one for one in children if (courier is None or one.pid != courier.pid) and not is_spare(one)]

    def family(self) -> list[psutil.Process]:
        """Return all its processes, also those whose listener is gone."""
        found = []
        for pid in self.namespace.pids():
            with suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(pid))
        return found

    def kill(self) -> None:
        """Kill all its processes at one moment, as a loss of power would."""
        self.freeze()
        family = self.family()
        for one in family:
            with suppress(psutil.NoSuchProcess):  # it was about to end when it was stopped
                one.kill()
        self.close()
        psutil.wait_procs(family, DEADLINE)
        self.hang_up()

    def freeze(self) -> None:
        """Stop all its processes where they are, with what they fork meanwhile."""
        before: set[psutil.Process] = set()
        while (family := set(self.family())) - before:
            for one in family - before:
                with suppress(psutil.NoSuchProcess):
                    one.suspend()
            before |= family

    def thaw(self) -> None:
        """Let them go on."""
        for one in self.family():
            with suppress(psutil.NoSuchProcess):
                one.resume()

    # --- what is true at the end --------------------------------------------------------------------------------------

    def has_no_bugs(self) -> None:
        """Fail if its log tells of one."""
        said = self.log.read_text()
        assert not _BUG.search(said), said


class Site:
    """All machines of a test, in a folder that is removed at the end."""

    def __init__(
        self,
        config: str = FAST,
        *,
        names: Sequence[str] = NAMES,
        lease: float = LEASE,
        settings: Mapping[str, str] | None = None,
        pool: int = 20,
        clocks: bool = True,
        slow_disk: bool = False,
    ) -> None:
        """`settings` are the server's, `pool` its connections from the pooler. `clocks`: the last host has its own.

        `slow_disk`: that of the server can be slowed, where there is a C compiler, and the server waits for it.
        """
        self.lease = lease
        self.folder = Path(tempfile.mkdtemp(prefix="yawc-site-"))  # short, for the server's socket
        self.folder.chmod(0o755)
        self.network = Network(len(names))
        self._servers: list[Server | Pooler] = []
        try:
            (self.folder / "pg").mkdir()
            self.disk = Disk(self.folder) if slow_disk and CC is not None else None
            self.wall = Wall(self.folder)
            waits, under = ({"fsync": "on"}, self.disk.environment) if self.disk is not None else ({}, {})
            run_under = self.wall.beside(under) if under else self.wall.under
            self.server = HubServer(self.folder / "pg", self.network.hub, {**waits, **(settings or {})}, run_under)
            self._servers.append(self.server)
            self.database = self.server.create()
            self.pooler = Pooler(self.folder, self.folder / "pg", self.network.hub, pool)
            self._servers.insert(0, self.pooler)
        except BaseException:
            self._remove()
            raise
        self.hosts = [
            Host(name, self.folder / name, namespace, clustered(config, self.database, name, lease))
            for name, namespace in zip(names, self.network.hosts, strict=True)
        ]
        if clocks and len(names) > 1:
            self.hosts[-1].under = under_other_clocks(self.folder)

    @property
    def url(self) -> str:
        """The database's URL, for the test itself, past the pooler."""
        return self.server.url(self.database)

    @property
    def pids(self) -> set[int]:
        """The processes of the servers that the test has started itself."""
        return {one.pid for one in self._servers}

    def asks(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows that a statement finds."""
        return self.server.asks(self.database, query)

    def answers(self) -> bool:
        """Return whether the database answers by the pooler."""
        import psycopg  # not everybody has it

        with suppress(psycopg.Error), self.network.hub.inside():
            url = f"postgresql://{ROLE}@{HUB}:{pooler.PORT}/{self.database}"
            with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
                return connection.execute(b"SELECT 1").fetchone() == (1,)
        return False

    def host(self, name: str) -> Host:
        """Return a host by its name."""
        return next(one for one in self.hosts if one.name == name)

    def everybody_out(self) -> None:
        """Hang up all callers, and wait until all sessions have ended: house players stay while a person is there."""
        for host in self.hosts:
            host.hang_up()
        for host in self.hosts:
            host.everybody_out()

    def mend(self) -> None:
        """Bring back what a test has left dead, stopped or cut off."""
        self.server.start()
        self.pooler.start()
        for host in self.hosts:
            self.join(host)
            host.thaw()
            if host.process.poll() is not None:
                host.kill()
                host.start()

    def cut(self, host: Host) -> None:
        """Pull the cable of a host."""
        self.network.cut(self.hosts.index(host))

    def join(self, host: Host) -> None:
        """Plug it in again."""
        self.network.join(self.hosts.index(host))

    def __enter__(self) -> Self:
        try:
            first, *others = self.hosts
            first.start()  # it makes the layouts
            with ThreadPoolExecutor() as several:
                list(several.map(Host.start, others))
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            for host in self.hosts:
                sys.stderr.write(f"--- {host.name}\n{host.log.read_text()}")
            self.end()
            return
        try:
            self._close()
        finally:
            self.end()

    def _close(self) -> None:
        """Stop all hosts, one after the other: each ends cleanly, and the books are sound after each."""
        self.everybody_out()
        last = self.hosts[-1]
        for host in self.hosts:
            if host is last:
                host.audit()
            assert host.stop() == 0, host.log.read_text()
            host.close()
        last.audit()
        self.is_sound()
        for host in self.hosts:
            host.has_no_bugs()
            assert not [*host.data.glob("*.sqlite*")]

    def is_sound(self) -> None:
        """Fail if CUBES were made or lost, a pot is left, or a row bears a time of another clock."""
        query = "SELECT coalesce(sum(balance), 0) FROM bank.account WHERE kind = 'pot'"
        assert self.asks(query) == [(0,)]
        assert self.asks("SELECT count(*) FROM bank.game WHERE closed IS NULL") == [(0,)]
        for table, column in self.asks(_MOMENTS):
            future = f'SELECT max("{column}") > extract(epoch FROM clock_timestamp()) + 600 FROM {table}'
            assert self.asks(future) in ([(False,)], [(None,)]), f"{table}.{column} has moments of a wrong clock"

    def end(self) -> None:
        """End what still runs, and remove all that there is."""
        for host in self.hosts:
            host.hang_up()
            for one in host.family():
                with suppress(psutil.NoSuchProcess):
                    one.kill()
            if hasattr(host, "process"):
                host.close()
            with suppress(SegmentError):
                Segment.destroy(segment_name(host.data))
        self._remove()

    def _remove(self) -> None:
        for one in self._servers:
            one.stop()
        self.network.close()
        shutil.rmtree(self.folder, ignore_errors=True)


_MOMENTS: Final = """
SELECT table_schema || '.' || table_name, column_name FROM information_schema.columns
WHERE table_schema IN ('bank', 'users', 'cluster') AND data_type = 'double precision'
    AND column_name IN ('at', 'created', 'last_login', 'opened', 'closed', 'sent', 'read', 'told', 'last', 'since',
        'added', 'began', 'login', 'input')
ORDER BY 1, 2
"""


def courier_of(host: Host, other_than: Identity | None = None) -> Identity:
    """Wait for a host's courier, or for the one after it, and return it."""

    def is_there() -> bool:
        found = host.courier
        return found is not None and found != other_than and process.is_alive(found)

    wait_until(is_there, f"a courier of {host.name}", DEADLINE)
    found = host.courier
    assert found is not None
    return found


def has_own_clock(host: Host) -> bool:
    """Return whether a host's monotonic clock is not the machine's."""
    own, ours = (os.readlink(f"/proc/{pid}/ns/time") for pid in (host.process.pid, os.getpid()))
    return own != ours
