"""The stress test over several hosts: `python -m tests.stress --hosts 3`.

The callers, and the clients of Mau-Mau's wire, come to three hosts with one database, each in a network of its own.
Beside the faults of one BBS there are those of a cluster (`host_faults`). The slow disk is that of the database's
server; processes are stopped for good while they hold a lock of whatever host.
"""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

from tests.cluster.site import Site, clustered
from tests.postgres import databases_at
from tests.stress import verdict
from tests.stress.callers import Caller
from tests.stress.doors import Calling
from tests.stress.faults import Injector, rates
from tests.stress.holders import Holders
from tests.stress.host_faults import RATES, HostInjector
from tests.stress.listener import Listener, ended_child
from tests.stress.run import Asked, Run
from tests.stress.site import LEASE, HostDoors, HostListener, SharedTables
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.extras.cluster.table_rows import commits
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.segment import segment_name
from yawc_poker.session.caller.endings import Exit

SETTINGS: Final = {
    "max_connections": "100",
    "max_wal_senders": "4",
    "autovacuum": "on",
    "autovacuum_naptime": "15s",
}
"""The server's. Without statistics of its tables a query of a long run takes a hundred times as long as it should."""


class HostsRun(Run):
    """A run over several hosts."""

    def __init__(self, folder: Path, asked: Asked, hosts: int) -> None:
        self._count = hosts
        self._stack = ExitStack()
        try:
            super().__init__(folder, asked)
        except BaseException:
            self._remove()
            raise

    def _open(self, folder: Path, config: str) -> Calling:
        names = [f"host-{number + 1}" for number in range(self._count)]
        self.site = Site(config, names=names, lease=LEASE, settings=SETTINGS, pool=40, clocks=False, slow_disk=True)
        self.hosts: list[HostListener] = []
        for number, name in enumerate(names):
            (folder / name).mkdir()
            told = clustered(config, self.site.database, name, LEASE)
            host = HostListener(folder / name, self.site.network.hosts[number], told, self.figures)
            self.hosts.append(host)
            host.start()
        self.listener = self.hosts[0]
        self._replica = self._stack.enter_context(self.site.server.followed(self.site.folder / "replica"))
        self._replica.is_waited_for()
        self._doors = HostDoors(self.loop, self.hosts, self.figures)
        return self._doors

    def _look_at_tables(self) -> SharedTables:
        known = self.loop, self.figures, Random(self.seed + 1), self.pace, self.asked.slack
        self._shared = SharedTables(self.hosts, *known)
        return self._shared

    def _rates(self, callers: int) -> Mapping[str, float]:
        return {**rates(callers), **RATES}

    def _make_injector(self, everybody: list[Caller], rng: Random) -> Injector:
        holders = Holders(self.tables, self.figures, rng, self.pace.tick)
        site = self.loop, self.site, self.hosts, self._doors, self._shared
        return HostInjector(*site, everybody, self.figures, rng, holders, self._replica)

    def _commits(self, cell: Cell) -> int:
        return commits(cell.number)

    def _look_after_listener(self) -> None:
        """Reap orphans; restart listeners that ended without having been told to, as those do that find no database."""
        self._reap()
        for number, host in enumerate(self.hosts):
            if host.is_away or host.process is None or host.process.poll() is None:
                continue
            if host.process.returncode != Exit.UNAVAILABLE or not self.injector.disk_is_slow(host.spawned):
                self.figures.driver.append(f"listener {number + 1} ended by itself with {host.process.returncode}")
            host.start_again()

    def _reap(self) -> None:
        """Reap adopted processes; exit codes of those that have an owner here are left to them."""
        owned = {host.process.pid for host in self.hosts if host.process is not None} | self.site.pids
        while (found := ended_child()) is not None and found not in owned:
            os.waitpid(found, os.WNOHANG)

    def _listeners(self) -> Sequence[Listener]:
        return self.hosts

    def _logs(self) -> list[Path]:
        return [host.log for host in self.hosts]

    def _databases(self) -> Databases:
        return databases_at(self.hosts[0].data, self.site.url)

    def _end(self) -> verdict.Remains:
        """Stop all hosts, the first one last, and return what is left."""
        codes, left, objects = [], [], []
        for host in reversed(self.hosts):
            keys = [] if host.view is None else [lock.key for lock in host.view.segment.locks]
            codes.append(host.stop())
            objects += verdict.objects_left(segment_name(host.data), keys)
        time.sleep(0.5)  # sessions whose listener was killed end by themselves
        self._reap()
        for host in self.hosts:
            left += [f"process {pid}" for pid in host.namespace.pids()]
        wrong = [code for code in codes if code != 0]
        return verdict.Remains(wrong[0] if wrong else 0, left, objects, self._shared.lost)

    def go(self) -> list[str]:
        """Run it; return the problems found, one line each."""
        try:
            return super().go()
        finally:
            self._remove()

    def _remove(self) -> None:
        for network in self.site.network.hosts:
            for pid in network.pids():
                os.kill(pid, signal.SIGKILL)
        self._stack.close()
        self.site.end()
