"""The fault injector: kinds, moments and victims of faults, from a seed.

Kinds, moments and durations are drawn before anything starts, so a seed gives the same sequence of faults every time.
The same generator draws the victim of each among those present at that moment.
"""

import math
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from tests.disk import CC, Disk
from tests.stress.callers import Caller
from tests.stress.figures import Figures
from tests.stress.holders import Holders
from tests.stress.listener import PATIENCE, Listener
from tests.stress.listener_faults import ListenerFaults
from tests.stress.loop import Loop
from tests.stress.tables import Tables
from tests.stress.wire_bots import NAME, WireBot
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity

RETRY = 0.1
"""Seconds after which a fault without a victim looks for one again."""
AFTERMATH = 0.5
"""Seconds after a fault in which its victim need not be prompt."""

BUSY = 0.25
"""Seconds without a look at anything: the machine has other work, and nobody need be prompt."""
RECOVERY = 10.0
"""Seconds behind such a moment in which nobody need be, either."""


class Fault(NamedTuple):
    """One fault."""

    at: float
    """Seconds since the beginning of the run."""
    kind: str
    seconds: float
    """Its duration in seconds, if it has one."""


def rates(callers: int) -> dict[str, float]:
    """Return the rate of each kind per second, for a number of callers."""
    scale = min(2.0, max(0.4, callers / 100))
    found = {
        "kill": scale,
        "stop": scale,
        "reset": 0.4 * scale,
        "half-close": 0.3 * scale,
        "no reading": 0.5 * scale,
        "wire reset": 0.3 * scale,
        "wire half-close": 0.3 * scale,
        "wire no reading": 0.3 * scale,
        "wire garbage": 0.3 * scale,
        "listener kill": 0.06,
        "listener stop": 0.06,
        "upgrade": 0.06,
        "holder": 0.15 * scale,
        "disk": 0.06,
    }
    if CC is None:
        del found["disk"]
    return found


def row(rng: Random, seconds: float, rate_of: Mapping[str, float]) -> list[Fault]:
    """Return random faults for a run, in order of time."""
    faults = []
    for kind, rate in rate_of.items():
        longest = 6.0 if kind in {"no reading", "disk"} else 3.0
        at = min(rng.expovariate(rate), rng.uniform(0.4, 0.9) * seconds)  # each kind once, even in a short run
        while at < seconds:
            faults.append(Fault(at, kind, rng.uniform(0.1, longest)))
            at += rng.expovariate(rate)
    return sorted(faults)


class Injector:
    """Executes the faults in turn."""

    aftermath = AFTERMATH
    """Seconds after the end of a slow disk in which nobody need be prompt."""

    def __init__(
        self,
        loop: Loop,
        listeners: Sequence[Listener],
        disk: Disk | None,
        tables: Tables,
        callers: list[Caller],
        figures: Figures,
        rng: Random,
        holders: Holders,
    ) -> None:
        """`disk` is where the databases are; None: it cannot be slowed."""
        self.listeners = ListenerFaults(loop, listeners, rng)
        self._loop = loop
        self._disk = disk
        self._tables = tables
        self._callers = callers
        self._figures = figures
        self._rng = rng
        self._holders = holders
        self._stopped: dict[int, tuple[Identity, float]] = {}
        self._is_slowed = False
        """Whether the disk is slow at the moment."""
        self._slow_until = 0.0
        self._busy_until = 0.0
        self._looked = time.monotonic()
        self.ever_stopped = set[int]()
        """All processes that were ever stopped: only these may be killed for a lock."""
        self._is_over = False
        self._hit = 0.0
        self.bots: list[WireBot] = []
        """Clients of the wire."""
        self.others: dict[str, Caller] = {}
        """Callers unknown to `tables`, by name."""
        self._acts: dict[str, Callable[[float], bool]] = {
            "kill": self._kill,
            "stop": self._stop,
            "reset": self._reset,
            "half-close": self._half_close,
            "no reading": self._deafen,
            "wire reset": lambda seconds: self._bot(WireBot.reset),
            "wire half-close": lambda seconds: self._bot(WireBot.half_close),
            "wire no reading": lambda seconds: self._bot(lambda bot: bot.deafen(seconds)),
            "wire garbage": lambda seconds: self._bot(WireBot.garble),
            "listener kill": self.listeners.kill,
            "listener stop": lambda seconds: not self._is_slowed and self.listeners.stop(seconds),
            "upgrade": self.listeners.upgrade,
            "holder": self._stop_holder,
            "disk": self._slow_disk,
        }

    def begin(self, faults: list[Fault]) -> None:
        """Start the faults now."""
        for fault in faults:
            self._loop.after(fault.at, partial(self._inject, fault))

    def end(self) -> None:
        """End the faults; stopped processes are continued, except for holders of locks."""
        self._is_over = True
        for pid, (identity, _) in list(self._stopped.items()):
            if pid not in self._holders.stopped:
                process.kill(identity, signal.SIGCONT)
                del self._stopped[pid]
        self.listeners.end()
        self._mend_disk()
        for caller in self._callers:
            if caller.wire is not None and caller.wire.is_deaf:
                caller.wire.deafen(False)

    def calm(self) -> float:
        """Return the seconds since a session was last killed or stopped: negative while one is stopped."""
        return time.monotonic() - self._hit

    def is_stopped(self, pid: int) -> bool:
        """Return whether this process is stopped, or was a moment ago."""
        found = self._stopped.get(pid)
        return found is not None and time.monotonic() < found[1]

    def is_frozen(self, pid: int) -> bool:
        """Return whether this process's whole host is stopped: there nobody can do anything about it."""
        return False

    def look(self) -> None:
        """Check the stopped holders: those that were killed are gone; and whether the machine has time for all this."""
        now = time.monotonic()
        late = now - self._looked
        self._looked = now
        if late > BUSY:
            self._slow_until = max(self._slow_until, now + RECOVERY)
            self._busy_until = now + RECOVERY
            self._disturb_all(RECOVERY)
        if now < self._busy_until:
            self._figures.busy += late
        for pid in self._holders.look(self.is_stopped, self.is_frozen):
            self._stopped.pop(pid, None)

    @property
    def waits_for_holders(self) -> bool:
        """Return whether a stopped holder has not been killed yet."""
        return bool(self._holders.stopped)

    def _inject(self, fault: Fault) -> None:
        """Execute a fault as soon as there is a victim."""
        if self._is_over:
            return
        if self._acts[fault.kind](fault.seconds):
            self._figures.faults[fault.kind] += 1
        else:
            self._loop.after(RETRY, partial(self._inject, fault))

    # --- sessions -----------------------------------------------------------------------------------------------------

    def _victim(self) -> SessionInfo | None:
        """Return a random session: most are at tables, some at the login."""
        people = [one for one in self._tables.everybody() if one.identity.pid not in self._stopped]
        return self._rng.choice(people) if people else None

    def _disturb(self, person: SessionInfo, seconds: float) -> None:
        self._hit = max(self._hit, time.monotonic() + seconds)
        client = NAME.match(person.name)
        if client is not None:
            self.bots[int(client[1])].disturb(seconds + AFTERMATH)
        caller = self._tables.callers.get(person.name) or self.others.get(person.name.partition("-")[0])
        if caller is not None:
            caller.disturb(seconds + AFTERMATH)

    def _kill(self, seconds: float) -> bool:
        person = self._victim()
        if person is None:
            return False
        self._disturb(person, 0.0)
        return process.kill(person.identity, signal.SIGKILL)

    def _stop(self, seconds: float) -> bool:
        person = self._victim()
        if person is None:
            return False
        self._disturb(person, seconds)
        pid = person.identity.pid
        self.ever_stopped.add(pid)
        self._stopped[pid] = (person.identity, time.monotonic() + seconds + AFTERMATH)
        self._loop.after(seconds, lambda: self._go_on(person.identity))
        return process.kill(person.identity, signal.SIGSTOP)

    def _stop_holder(self, seconds: float) -> bool:
        person = self._holders.stop_one(self._stopped)
        if person is None:
            return False
        self._disturb(person, PATIENCE)
        self.ever_stopped.add(person.identity.pid)
        self._stopped[person.identity.pid] = (person.identity, math.inf)
        return True

    def _go_on(self, identity: Identity) -> None:
        process.kill(identity, signal.SIGCONT)
        self._loop.after(AFTERMATH, partial(self._forget, identity.pid))

    def _forget(self, pid: int) -> None:
        self._stopped.pop(pid, None)

    # --- lines --------------------------------------------------------------------------------------------------------

    def _line(self) -> Caller | None:
        open_lines = [one for one in self._callers if one.wire is not None and one.wire.is_open and one.wire.can_send]
        return self._rng.choice(open_lines) if open_lines else None

    def _reset(self, seconds: float) -> bool:
        caller = self._line()
        if caller is None or caller.wire is None:
            return False
        caller.disturb(AFTERMATH)
        caller.wire.abort()
        caller.drop()
        return True

    def _half_close(self, seconds: float) -> bool:
        caller = self._line()
        if caller is None or caller.wire is None:
            return False
        caller.disturb(AFTERMATH)
        caller.wire.half_close()
        return True

    def _deafen(self, seconds: float) -> bool:
        caller = self._line()
        if caller is None or caller.wire is None or caller.wire.is_deaf:
            return False
        wire = caller.wire
        caller.disturb(seconds + AFTERMATH)
        wire.deafen(True)
        self._loop.after(seconds, lambda: wire.deafen(False))
        return True

    # --- clients of the wire ------------------------------------------------------------------------------------------

    def _bot(self, hit: Callable[[WireBot], None]) -> bool:
        playing = [bot for bot in self.bots if bot.plays]
        if playing:
            hit(self._rng.choice(playing))
        return bool(playing)

    # --- the disk -----------------------------------------------------------------------------------------------------

    def _slow_disk(self, seconds: float) -> bool:
        """Make each call that waits for the disk take a second or two, which may delay all callers."""
        if self._disk is None or self.listeners.any_stopped or self._is_slowed:
            return False
        self._disk.slow(self._rng.uniform(1.0, 2.0))
        self._is_slowed = True
        self._slow_until = max(self._slow_until, time.monotonic() + seconds + self.aftermath)
        self._disturb_all(seconds + self.aftermath)
        self._loop.after(seconds, self._mend_disk)
        return True

    def _mend_disk(self) -> None:
        if self._disk is not None:
            self._disk.mend()
        self._is_slowed = False

    def _disturb_all(self, seconds: float) -> None:
        """Record that everybody is disturbed."""
        self._hit = max(self._hit, time.monotonic() + seconds)
        for caller in self._callers:
            caller.disturb(seconds)
        for bot in self.bots:
            bot.disturb(seconds)

    def disk_is_slow(self, since: float | None = None) -> bool:
        """Return whether the disk is slow, or was a moment ago; at `since` or later, in seconds of `monotonic`."""
        return (time.monotonic() if since is None else since) < self._slow_until
