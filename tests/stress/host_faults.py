"""The faults of a cluster: couriers are killed and stopped, hosts killed with all their processes, stopped and cut off
for shorter and longer than their lease, the database's server and the pooler killed, the server's clock set ahead, and
once a replica takes the server's place, which has all that anybody was told of.

The first host is spared the worst, since the driver looks at the tables there.
"""

import math
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random
from typing import Final

import psutil

from tests.cluster.site import Site
from tests.postgres import Replica
from tests.stress.callers import Caller
from tests.stress.faults import AFTERMATH, Injector
from tests.stress.figures import Figures
from tests.stress.holders import Holders
from tests.stress.loop import Loop
from tests.stress.site import FORGOTTEN, LEASE, HostDoors, HostListener, SharedTables
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity

LATE: Final = 3.0
"""Seconds after an outage in which callers need not be prompt: leases are taken, connections made anew."""
RATES: Final = {
    "courier kill": 0.06,
    "courier stop": 0.03,
    "host kill": 0.03,
    "host stop": 0.03,
    "cut": 0.04,
    "server kill": 0.02,
    "pooler kill": 0.02,
    "clock": 0.03,
    "failover": 0.03,
}
"""How many of each kind there are in a second."""
AHEAD: Final = 4 * LEASE
"""Seconds by which the server's clock is set, more than any lease has."""
AGAIN: Final = 1.0
"""Seconds after which a host that was killed is started again, at least."""


class HostInjector(Injector):
    """Executes the faults of a cluster, too."""

    aftermath = 2 * LEASE + LATE

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
        replica: Replica,
    ) -> None:
        super().__init__(loop, hosts, site.disk, tables, callers, figures, rng, holders)
        self._site = site
        self._hosts = hosts
        self._doors = doors
        self._frozen = dict[int, list[psutil.Process]]()
        """Processes of stopped hosts, by the host's place."""
        self._servers_are_away = False
        self._replica: Replica | None = replica
        """None: it is the server now."""
        self._ahead = 0.0
        self._acts |= {
            "courier kill": partial(self._hit_courier, signal.SIGKILL),
            "courier stop": partial(self._hit_courier, signal.SIGSTOP),
            "host kill": self._kill_host,
            "host stop": self._stop_host,
            "cut": self._cut_host,
            "disk": lambda seconds: not self._servers_are_away and self._slow_disk(seconds),
            "clock": lambda seconds: self._set_clock(),
            "failover": self._fail_over,
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
                self.listeners.start(host)
        self._site.server.start()
        self._site.pooler.start()

    def is_stopped(self, pid: int) -> bool:
        return super().is_stopped(pid) or self.is_frozen(pid)

    def is_frozen(self, pid: int) -> bool:
        return any(pid == one.pid for some in self._frozen.values() for one in some)

    # --- couriers and hosts -------------------------------------------------------------------------------------------

    def _hit_courier(self, number: int, seconds: float) -> bool:
        first = 0 if number == signal.SIGKILL else 1
        at = self._rng.randrange(first, len(self._hosts))
        courier = None if self._hosts[at].is_away else self._hosts[at].courier
        if courier is None or not process.kill(courier, number):
            return False
        if number == signal.SIGSTOP:
            self.ever_stopped.add(courier.pid)
            self._disturb_host(at, seconds + LEASE + LATE)
            self._loop.after(seconds, partial(_go_on, courier))
        else:
            self._disturb_host(at, LEASE)
        return True

    def _kill_host(self, seconds: float) -> bool:
        at = self.listeners.some(1)
        if at is None:
            return False
        self._disturb_host(at, seconds + AGAIN + LEASE + LATE)
        self._freeze(at)
        host = self._hosts[at]
        host.is_away = True
        for one in self._frozen.pop(at):
            self._holders.forget(one.pid)
            self._stopped.pop(one.pid, None)
            with suppress(psutil.NoSuchProcess):  # it was about to end when it was stopped
                one.kill()
        host.kill()
        self._loop.after(seconds + AGAIN, partial(self.listeners.start, host))
        return True

    def _stop_host(self, seconds: float) -> bool:
        at = self.listeners.some(1)
        if at is None:
            return False
        self._disturb_host(at, seconds + LEASE + LATE)
        self._hosts[at].is_away = True
        self._freeze(at)
        self._loop.after(seconds, partial(self._thaw, at))
        return True

    def _cut_host(self, seconds: float) -> bool:
        at = self.listeners.some(1)
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
                with suppress(psutil.NoSuchProcess):
                    one = psutil.Process(pid)
                    one.suspend()
                    frozen.append(one)
            known |= new
        self.ever_stopped |= known
        self._frozen[at] = frozen

    def _thaw(self, at: int) -> None:
        """Continue all processes of a host, but for holders of locks, which are stopped for good."""
        for one in self._frozen.pop(at, ()):
            if one.pid not in self._holders.stopped:
                with suppress(psutil.NoSuchProcess):
                    one.resume()
        if not self._hosts[at].is_dead:
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
        for bot in self.bots:
            if self._doors.host_of(bot.line) is self._hosts[at]:
                bot.disturb(seconds + AFTERMATH)

    def _is_on(self, caller: Caller, at: int) -> bool:
        return self._doors.host_of(caller.wire) is self._hosts[at]

    # --- what all hosts use -------------------------------------------------------------------------------------------

    def _set_clock(self) -> bool:
        """Set the server's clock ahead; clocks of tables go by it, so some run out."""
        if not self._site.wall.under or self._servers_are_away:
            return False
        self._ahead += AHEAD
        self._site.wall.set(round(self._ahead))
        self._disturb_all(self.aftermath + FORGOTTEN)
        return True

    def _fail_over(self, seconds: float) -> bool:
        """Let the replica take the server's place: all hosts are cut off, and begin anew."""
        replica, self._replica = self._replica, None
        if replica is None:
            return False

        def take_over() -> None:
            self._site.server.give_way(replica)
            self._disturb_all(self.aftermath + FORGOTTEN)

        if self._kill_server(self._site.server.kill, take_over, seconds):
            return True
        self._replica = replica
        return False

    def _kill_server(self, kill: Callable[[], None], start: Callable[[], None], seconds: float) -> bool:
        """Kill the server or the pooler; nobody can do anything until it is back."""
        if self._servers_are_away or self._is_slowed:
            return False
        self._servers_are_away = True
        self._slow_until = math.inf
        self._disturb_all(seconds + self.aftermath + FORGOTTEN)
        kill()

        def again() -> None:
            start()  # which takes seconds on a busy machine
            self._disturb_all(self.aftermath + FORGOTTEN)
            self._servers_are_away = False
            self._slow_until = time.monotonic() + self.aftermath

        self._loop.after(seconds, again)
        return True


def _go_on(stopped: Identity) -> None:
    process.kill(stopped, signal.SIGCONT)
