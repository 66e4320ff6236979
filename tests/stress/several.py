"""The stress test over several hosts: `python -m tests.stress --hosts 3`.

Beside the faults of one BBS there are those of a cluster: couriers are killed and stopped, hosts are killed with all
their processes, stopped and cut off for shorter and longer than their lease, the database's server and the pooler are
killed. The first host is spared the worst, since the driver looks at the tables there. No client of Mau-Mau's wire
plays, no process is stopped for good while it holds a lock, and no disk is slow: the run at one host has these.
"""

import math
import os
import signal
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import psutil

from tests.cluster.site import Site, clustered
from tests.stress import verdict
from tests.stress.callers import Caller
from tests.stress.doors import Calling
from tests.stress.faults import AFTERMATH, Injector, rates
from tests.stress.figures import Figures
from tests.stress.holders import Holders
from tests.stress.listener import ended_child
from tests.stress.loop import Loop
from tests.stress.run import Run
from tests.stress.site import FORGOTTEN, HostDoors, HostListener, SharedTables
from tests.stress.wire_bots import WireBot
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.segment import segment_name
from yawc_poker.session.caller.endings import Exit

LEASE: Final = 1.5
LATE: Final = 3.0
"""Seconds after an outage in which callers need not be prompt: leases are taken, connections made anew."""
LEFT_OUT: Final = ("wire ", "holder", "disk", "listener stop")
OWN_RATES: Final = {
    "courier kill": 0.06,
    "courier stop": 0.03,
    "host kill": 0.03,
    "host stop": 0.03,
    "cut": 0.04,
    "server kill": 0.02,
    "pooler kill": 0.02,
}
"""Faults of a cluster, in a second."""
AGAIN: Final = 1.0
"""Seconds after which a host that was killed is started again, at least."""


class HostInjector(Injector):
    """Executes the faults of a cluster, too."""

    def __init__(
        self,
        loop: Loop,
        site: Site,
        hosts: list[HostListener],
        doors: HostDoors,
        tables: SharedTables,
        callers: list[Caller],
        figures: Figures,
        rng: Random,
        holders: Holders,
    ) -> None:
        super().__init__(loop, hosts[0], tables, callers, figures, rng, holders)
        self._site = site
        self._hosts = hosts
        self._doors = doors
        self._frozen = dict[int, list[psutil.Process]]()
        """Processes of stopped hosts, by the host's place."""
        self._dead = set[int]()
        self._servers_are_away = False
        self._acts |= {
            "listener kill": self._kill_some_listener,
            "upgrade": self._upgrade_some_listener,
            "courier kill": partial(self._hit_courier, signal.SIGKILL),
            "courier stop": partial(self._hit_courier, signal.SIGSTOP),
            "host kill": self._kill_host,
            "host stop": self._stop_host,
            "cut": self._cut_host,
            "server kill": lambda seconds: self._kill_server(site.server.kill, site.server.start, seconds),
            "pooler kill": lambda seconds: self._kill_server(site.pooler.kill, site.pooler.start, seconds),
        }

    def end(self) -> None:
        """End the faults, and bring back what is away."""
        super().end()
        for at, host in enumerate(self._hosts):
            self._thaw(at)
            self._site.network.join(at)
            if host.is_away:
                self._start_host(at)
        self._site.server.start()
        self._site.pooler.start()

    @property
    def listener_hears(self) -> bool:
        """Whether the listeners started last are so far that a signal does not end them."""
        return all(host.hears for host in self._hosts)

    @property
    def listener_is_away(self) -> bool:
        """Never: each host tells for itself."""
        return False

    def is_stopped(self, pid: int) -> bool:
        """Return whether this process is stopped, or was a moment ago."""
        return super().is_stopped(pid) or any(pid == one.pid for some in self._frozen.values() for one in some)

    # --- listeners ----------------------------------------------------------------------------------------------------

    def _some_host(self, first: int = 0) -> int | None:
        """Return the place of a host that is there."""
        there = [at for at in range(first, len(self._hosts)) if self._hosts[at].hears]
        return self._rng.choice(there) if there else None

    def _kill_some_listener(self, seconds: float) -> bool:
        at = self._some_host()
        if at is None:
            return False
        self._hosts[at].is_away = True
        self._dead.add(at)
        self._hosts[at].kill()
        self._loop.after(min(seconds, 1.0), partial(self._start_host, at))
        return True

    def _upgrade_some_listener(self, seconds: float) -> bool:
        at = self._some_host()
        if at is not None:
            self._hosts[at].signal(signal.SIGUSR2)
        return at is not None

    def _start_host(self, at: int) -> None:
        if at in self._dead:
            self._dead.discard(at)
            self._hosts[at].start_again()
        self._hosts[at].is_away = False

    # --- couriers and hosts -------------------------------------------------------------------------------------------

    def _hit_courier(self, number: int, seconds: float) -> bool:
        at = self._some_host(0 if number == signal.SIGKILL else 1)
        courier = None if at is None else self._hosts[at].courier
        if at is None or courier is None or not process.kill(courier, number):
            return False
        if number == signal.SIGSTOP:
            self.ever_stopped.add(courier.pid)
            self._disturb_host(at, seconds + LEASE + LATE)
            self._loop.after(seconds, partial(_go_on, courier))
        else:
            self._disturb_host(at, LEASE)
        return True

    def _kill_host(self, seconds: float) -> bool:
        at = self._some_host(1)
        if at is None:
            return False
        self._disturb_host(at, seconds + AGAIN + LEASE + LATE)
        self._freeze(at)
        host = self._hosts[at]
        host.is_away = True
        for one in self._frozen.pop(at):
            one.kill()
        host.kill()
        self._dead.add(at)
        self._loop.after(seconds + AGAIN, partial(self._start_host, at))
        return True

    def _stop_host(self, seconds: float) -> bool:
        at = self._some_host(1)
        if at is None:
            return False
        self._disturb_host(at, seconds + LEASE + LATE)
        self._hosts[at].is_away = True
        self._freeze(at)
        self._loop.after(seconds, partial(self._thaw, at))
        return True

    def _cut_host(self, seconds: float) -> bool:
        at = self._some_host(1)
        if at is None:
            return False
        self._disturb_host(at, seconds + LEASE + LATE)
        self._hosts[at].is_away = True
        self._site.network.cut(at)
        self._loop.after(seconds, partial(self._join, at))
        return True

    def _join(self, at: int) -> None:
        self._site.network.join(at)
        self._hosts[at].is_away = False

    def _freeze(self, at: int) -> None:
        """Stop all processes of a host, with what they fork meanwhile."""
        frozen: list[psutil.Process] = []
        known: set[int] = set()
        while new := set(self._hosts[at].namespace.pids()) - known:
            for pid in new:
                try:
                    one = psutil.Process(pid)
                    one.suspend()
                except psutil.NoSuchProcess:
                    continue
                frozen.append(one)
            known |= new
        self.ever_stopped |= known
        self._frozen[at] = frozen

    def _thaw(self, at: int) -> None:
        for one in self._frozen.pop(at, ()):
            try:
                one.resume()
            except psutil.NoSuchProcess:
                continue
        if at not in self._dead:
            self._hosts[at].is_away = False

    def _disturb_host(self, at: int, seconds: float) -> None:
        """Record that all callers of a host are disturbed, and for a moment those who play with them."""
        self._hit = max(self._hit, time.monotonic() + seconds)
        tables = {one.table for one in self._callers if self._is_on(one, at)} - {None}
        for caller in self._callers:
            if self._is_on(caller, at):
                caller.disturb(seconds + AFTERMATH)
            elif caller.table in tables:
                caller.disturb(FORGOTTEN + LEASE + AFTERMATH)

    def _is_on(self, caller: Caller, at: int) -> bool:
        return self._doors.host_of(caller.wire) is self._hosts[at]

    # --- what all hosts use -------------------------------------------------------------------------------------------

    def _kill_server(self, kill: Callable[[], None], start: Callable[[], None], seconds: float) -> bool:
        """Kill the server or the pooler; nobody can do anything until it is back."""
        if self._servers_are_away:
            return False
        self._servers_are_away = True
        self._slow_until = math.inf
        for caller in self._callers:
            caller.disturb(seconds + 2 * LEASE + LATE + FORGOTTEN)
        kill()

        def again() -> None:
            start()
            self._servers_are_away = False
            self._slow_until = time.monotonic() + 2 * LEASE + LATE

        self._loop.after(seconds, again)
        return True


def _go_on(stopped: Identity) -> None:
    process.kill(stopped, signal.SIGCONT)


class HostsRun(Run):
    """A run over several hosts."""

    def __init__(self, folder: Path, callers: int, seconds: float, seed: int, hosts: int) -> None:
        self._count = hosts
        try:
            super().__init__(folder, callers, seconds, seed)
        except BaseException:
            self._remove()
            raise

    def _open(self, folder: Path, config: str) -> Calling:
        names = [f"host-{number + 1}" for number in range(self._count)]
        self.site = Site(config, names=names, lease=LEASE, settings={"max_connections": "100"}, pool=40, clocks=False)
        self.hosts: list[HostListener] = []
        for number, name in enumerate(names):
            (folder / name).mkdir()
            told = clustered(config, self.site.database, name, LEASE)
            host = HostListener(folder / name, self.site.network.hosts[number], told, self.figures)
            self.hosts.append(host)
            host.start()
        self.listener = self.hosts[0]
        self._doors = HostDoors(self.loop, self.hosts, self.figures)
        return self._doors

    def _look_at_tables(self) -> SharedTables:
        self._shared = SharedTables(self.hosts, self.loop, self.figures, Random(self.seed + 1), self.pace, LEASE)
        return self._shared

    def _rates(self, callers: int) -> Mapping[str, float]:
        left = {kind: rate for kind, rate in rates(callers).items() if not kind.startswith(LEFT_OUT)}
        return left | OWN_RATES

    def _make_injector(self, everybody: list[Caller], rng: Random) -> Injector:
        holders = Holders(self.tables, self.figures, rng, self.pace.tick)
        site = self.loop, self.site, self.hosts, self._doors, self._shared
        return HostInjector(*site, everybody, self.figures, rng, holders)

    def _make_bots(self, count: int, rng: Random) -> list[WireBot]:
        return []

    def _look_after_listener(self) -> None:
        """Reap orphans; restart listeners that ended without having been told to, as those do that find no database."""
        self._reap()
        for number, host in enumerate(self.hosts):
            if host.is_away or host.process is None or host.process.poll() is None:
                continue
            if host.process.returncode != Exit.UNAVAILABLE or not self.injector.disk_is_slow():
                self.figures.driver.append(f"listener {number + 1} ended by itself with {host.process.returncode}")
            host.start_again()

    def _reap(self) -> None:
        """Reap adopted processes; exit codes of those that have an owner here are left to them."""
        owned = {host.process.pid for host in self.hosts if host.process is not None} | self.site.pids
        while (found := ended_child()) is not None and found not in owned:
            os.waitpid(found, os.WNOHANG)

    def _logs(self) -> list[Path]:
        return [host.log for host in self.hosts]

    def _databases(self) -> Databases:
        return Databases(self.hosts[0].data, self.site.url)

    def _end(self) -> verdict.Remains:
        """Stop all hosts, the first one last, and return what is left."""
        codes, left, objects = [], [], []
        is_orphaned = self.tables.segment.is_orphaned
        for host in reversed(self.hosts):
            keys = [] if host.view is None else [lock.key for lock in host.view.segment.locks]
            codes.append(host.stop())
            objects += verdict.objects_left(segment_name(host.data), keys)
        time.sleep(0.5)  # sessions whose listener was killed end by themselves
        self._reap()
        for host in self.hosts:
            left += [f"process {pid}" for pid in host.namespace.pids()]
        wrong = [code for code in codes if code != 0]
        return verdict.Remains(wrong[0] if wrong else 0, left, objects, is_orphaned)

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
        self.site.end()
