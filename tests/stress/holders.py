"""Sessions that are stopped while they hold a lock, and never continued: the program must kill them.

A holder is found as `yawcctl ipc` finds it, by a semaphore's value and its last process, and checked again once it is
stopped: if it has released the lock meanwhile it is continued, and another one is sought.
"""

import signal
import time
from collections.abc import Callable, Container, Sequence
from random import Random
from typing import NamedTuple

from tests.stress.figures import Figures
from tests.stress.listener import PATIENCE
from tests.stress.tables import Tables
from tests.stress.view import View, holder_of
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.semaphore import LockLevel, Mutex

LOOK = 0.02
"""Seconds for which one try polls the locks: most are held for less than a millisecond."""
STOPPING = 0.05
"""Seconds that a process may take to stop."""
CHOOSY = 1.0
"""Seconds for which the holder of one kind of lock is sought, before a holder of any lock is taken."""
SLACK = 2.0
"""Seconds that a busy machine and the kernel's resolution of a second may add to patience and tick."""
NEVER = 20.0
"""Seconds after which a holder must be killed even if few sessions could see it."""


class Held(NamedTuple):
    """A stopped holder."""

    person: SessionInfo
    lock: Mutex
    since: float
    witnesses: tuple[Identity, ...] | None
    """Sessions that check the table's lock at each tick; None: all do."""


class Holders:
    """Finds holders, stops them, and checks that they are killed in time."""

    def __init__(self, tables: Tables, figures: Figures, rng: Random, tick: float) -> None:
        self.stopped: dict[int, Held] = {}
        """Stopped holders by pid, until the lock is free again."""
        self._tables = tables
        self._figures = figures
        self._rng = rng
        self._limit = PATIENCE + tick + SLACK + tables.slack
        self._wanted: tuple[LockLevel, float] | None = None
        self._told = set[int]()

    def stop_one(self, untouchable: Container[int]) -> SessionInfo | None:
        """Stop a session that holds a lock at this moment and return it; None if none was caught."""
        now = time.monotonic()
        if self._wanted is None:
            self._wanted = (self._rng.choice(list(LockLevel)), now)
        level, since = self._wanted
        views = self._tables.views_there()
        if not views:
            return None
        view = self._rng.choice(views)
        everything = view.segment.locks
        locks = everything if now - since > CHOOSY else [lock for lock in everything if lock.level == level]
        found = self._catch(view, locks, untouchable)
        if found is None:
            return None
        self._wanted = None
        self.stopped[found.person.identity.pid] = found
        self._figures.held[found.lock.name.rstrip(" 0123456789")] += 1
        return found.person

    def look(self, is_stopped: Callable[[int], bool], is_frozen: Callable[[int], bool]) -> list[int]:
        """Return the holders whose locks are free again; record those not killed although a session could do it.

        The time of one that `is_frozen`, with all its host, begins when that is over.
        """
        freed = []
        for pid, held in list(self.stopped.items()):
            seconds = time.monotonic() - held.since
            if is_frozen(pid):
                self.stopped[pid] = held._replace(since=time.monotonic())
            elif not process.is_alive(held.person.identity) or holder_of(held.lock) != pid:
                self._figures.put_out.append(seconds)
                del self.stopped[pid]
                freed.append(pid)
            elif pid not in self._told and seconds > (self._limit if _any_able(held, is_stopped) else NEVER):
                self._told.add(pid)
                name = held.person.name or held.person.peer
                self._figures.stuck.append(
                    f"session {pid} of {name!r}, stopped, has kept lock {held.lock.name} for {seconds:.1f} s"
                )
        return freed

    def forget(self, pid: int) -> None:
        """Forget a holder that is killed by something else."""
        self.stopped.pop(pid, None)

    def _catch(self, view: View, locks: Sequence[Mutex], untouchable: Container[int]) -> Held | None:
        people = {one.identity.pid: one for one in view.everybody()}
        until = time.monotonic() + LOOK
        while time.monotonic() < until:
            for lock in self._rng.sample(locks, len(locks)):
                holder = holder_of(lock)
                person = None if holder is None else people.get(holder)
                if person is None or person.identity.pid in untouchable:
                    continue
                witnesses = self._witnesses(view, person, lock)
                if witnesses != () and _stop(person.identity, lock):
                    return Held(person, lock, time.monotonic(), witnesses)
        return None

    def _witnesses(self, view: View, person: SessionInfo, lock: Mutex) -> tuple[Identity, ...] | None:
        """Return the other sessions at a table that can look at its lock; None: everybody looks at this lock."""
        cells = view.segment.cells
        table = next((number for number, cell in enumerate(cells) if cell.lock is lock), None)
        if table is None:
            return None
        others = [one for one in view.everybody() if one.at_table and one.place.table == table]
        return tuple(
            one.identity
            for one in others
            if one.identity != person.identity and not self._tables.is_stopped(one.identity.pid)
        )


def _stop(holder: Identity, lock: Mutex) -> bool:
    """Stop a process, and return whether it still holds the lock then."""
    if not process.kill(holder, signal.SIGSTOP):
        return False
    until = time.monotonic() + STOPPING
    while not process.is_stopped(holder) and time.monotonic() < until:
        pass
    if process.is_stopped(holder) and holder_of(lock) == holder.pid:
        return True
    process.kill(holder, signal.SIGCONT)
    return False


def _any_able(held: Held, is_stopped: Callable[[int], bool]) -> bool:
    if held.witnesses is None:
        return True
    return any(process.is_alive(one) and not is_stopped(one.pid) for one in held.witnesses)
