"""The stress test's hosts: a listener each in a network of its own, how callers come to them, and the tables of all.

The tables are seen through the first host, which is never killed as a whole, stopped or cut off; a table's commit
number is the same everywhere, so who comes first with a new one counts.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final
from weakref import WeakKeyDictionary

from tests.cluster.namespaces import Namespace
from tests.stress.doors import Doors
from tests.stress.figures import Figures
from tests.stress.listener import Listener
from tests.stress.loop import Loop
from tests.stress.screens import Screens
from tests.stress.tables import Pace, Tables
from tests.stress.wire import Wire
from yawc_poker.casino.cluster.here import Here
from yawc_poker.casino.database.connection import BUSY_SECONDS
from yawc_poker.casino.presence.directory import Directory, SessionInfo, index_of
from yawc_poker.games.poker import rules
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.segment import Segment, SegmentError, segment_name

PORTS: Final = (2323, 2324, 2325, 2326)
"""Of each host, whose network has nobody else: telnet, the same in TLS, Mau-Mau's wire, browsers."""
FORGOTTEN: Final = 2 * BUSY_SECONDS
"""Seconds for which the server may keep a table's row for a host that is gone in the middle of a transaction."""


class View:
    """A host's shared memory at one time of its life."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.here = Here(segment.head)
        self.directory = Directory(segment, segment.directory_lock)
        self.cells = [cell for cell in segment.cells if cell.game == rules.KIND]


class HostListener(Listener):
    """The listener of one host."""

    def __init__(self, folder: Path, namespace: Namespace, config: str, figures: Figures) -> None:
        super().__init__(folder, config, figures)
        self.disk = None  # it keeps nothing in files
        self.port = PORTS[0]
        self.namespace = namespace
        self.is_away = False
        """Whether its listener was killed, or all of it was killed, stopped or cut off, and is not back."""
        self._view: View | None = None

    def _ports(self) -> Sequence[int]:
        return PORTS[1:]

    @property
    def view(self) -> View | None:
        """Its shared memory as it is now; None where there is none at the moment."""
        if self._view is None or self._view.segment.is_orphaned:
            self._view = None
            with suppress(SegmentError):
                self._view = View(Segment.attach(segment_name(self.data)))
        return self._view

    @property
    def courier(self) -> Identity | None:
        """Its courier's process."""
        return None if self.view is None else self.view.here.courier

    @property
    def hears(self) -> bool:
        """Whether the listener started last is so far that a signal does not end it."""
        view = self.view
        serving = None if view is None or self.is_away else view.segment.head.listener
        return self.process is not None and serving is not None and serving.pid == self.process.pid

    def _spawn(self) -> None:
        with self.namespace.inside():
            super()._spawn()


class HostDoors:
    """The doors of all hosts: a call goes to the host whose turn it is, or to the next that is there, as by HAProxy."""

    def __init__(self, loop: Loop, hosts: Sequence[HostListener], figures: Figures) -> None:
        self._hosts = hosts
        self._doors = [Doors(loop, host, figures) for host in hosts]
        self._host_of = WeakKeyDictionary[Wire, HostListener]()
        self._figures = figures
        self._calls = 0

    def call(self, turn: int, heard: Callable[[bytes], None], ended: Callable[[], None], *, narrow: bool) -> Wire:
        """Call by the door and at the host whose turn it is."""
        self._calls += 1
        there = [at for at, host in enumerate(self._hosts) if not host.is_away] or [0]
        at = there[self._calls % len(there)]
        self._figures.did[f"calls to host {at + 1}"] += 1
        with self._hosts[at].namespace.inside():
            wire = self._doors[at].call(turn, heard, ended, narrow=narrow)
        self._host_of[wire] = self._hosts[at]
        return wire

    def host_of(self, wire: Wire | None) -> HostListener | None:
        """Return the host that a caller's line leads to."""
        return None if wire is None else self._host_of.get(wire)


class SharedTables(Tables):
    """The poker tables that all hosts share."""

    def __init__(
        self, hosts: Sequence[HostListener], loop: Loop, figures: Figures, rng: Random, clocks: Pace, lease: float
    ) -> None:
        self.slack = FORGOTTEN + 2 * lease
        super().__init__(hosts[0].data, loop, figures, rng, clocks)
        self._hosts = hosts
        self.screens = Screens(self._newest, figures)

    def _newest(self, table: int) -> int:
        """Return the greatest commit number of a table that any host has."""
        return max(view.cells[table].number for view in self._views())

    def _views(self) -> list[View]:
        return [view for host in self._hosts if (view := host.view) is not None]

    def everybody(self) -> list[SessionInfo]:
        """Return the sessions of all hosts that are there, each as its own host sees it."""
        found = []
        for host in self._hosts:
            if host.view is not None and not host.is_away:
                own = host.view.here.records
                people = host.view.directory.everybody()
                found += [one for one in people if own is None or (one.index in own and one.identity.pid)]
        return found

    def person(self, session: int) -> SessionInfo | None:
        """Return the session with a token, as its own host sees it; None where that host is away."""
        index = index_of(session)
        for host in self._hosts:
            if host.view is not None and not host.is_away and host.view.here.is_own(index):
                person = host.view.directory.at(index)
                return person if person is not None and person.token == session else None
        return None

    def any_lock_stopped(self) -> bool:
        """Return whether a stopped process holds a lock that all sessions of a host use."""
        locks = [lock for view in self._views() for lock in view.segment.locks[:3]]
        self._note_kept(found := any(self.is_stopped(lock.holder) for lock in locks if lock.is_held))
        return found

    def is_held_up(self, cell: Cell) -> bool:
        """Return whether a stopped process holds a table's lock, on any host."""
        locks = [view.segment.cells[cell.index].lock for view in self._views()]
        return any(lock.is_held and self.is_stopped(lock.holder) for lock in locks)
