"""The stress test's hosts: a listener each in a network of its own, how callers come to them, and the tables of all.

The tables are seen through the first host, which is never killed as a whole, stopped or cut from the network; a table's
commit number is the same everywhere, so who comes first with a new one counts. A failover ends all sessions.
"""

import socket
import time
from collections.abc import Callable, Sequence
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
from tests.stress.view import View
from tests.stress.wire import Wire
from yawc_poker.casino.store.connection import BUSY_SECONDS
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.process import Identity

PORTS: Final = (2323, 2324, 2325, 2326, 2327)
"""Of each host, whose network has nobody else: telnet, the same in TLS, Mau-Mau's wire, browsers, rlogin."""
LEASE: Final = 1.5
FORGOTTEN: Final = 2 * BUSY_SECONDS
"""Seconds for which the server may keep a table's row for a host that is gone in the middle of a transaction."""


class HostListener(Listener):
    """The listener of one host."""

    def __init__(self, folder: Path, namespace: Namespace, config: str, figures: Figures) -> None:
        super().__init__(folder, config, figures)
        self.disk = None  # it keeps nothing in files
        self.port = PORTS[0]
        self.namespace = namespace

    def _ports(self) -> Sequence[int]:
        return PORTS[1:]

    @property
    def courier(self) -> Identity | None:
        """Its courier's process."""
        return None if self.view is None else self.view.here.courier

    def _spawn(self) -> None:
        with self.namespace.inside():
            super()._spawn()


class HostDoors:
    """The doors of all hosts: a call goes to the host whose turn it is, or to the next that is there, as by HAProxy."""

    def __init__(self, loop: Loop, hosts: Sequence[HostListener], figures: Figures) -> None:
        self._hosts = hosts
        self._doors = [Doors(loop, host, figures) for host in hosts]
        self._host_of = WeakKeyDictionary[Wire | socket.socket, HostListener]()
        self._figures = figures
        self._calls = 0

    def call(self, turn: int, heard: Callable[[bytes], None], ended: Callable[[], None], *, narrow: bool) -> Wire:
        """Call by the door and at the host whose turn it is."""
        return self._at_next(lambda doors: doors.call(turn, heard, ended, narrow=narrow))

    def call_by_any(self, turn: int, heard: Callable[[bytes], None], ended: Callable[[], None]) -> Wire:
        """Call by the door and at the host whose turn it is, by any door."""
        return self._at_next(lambda doors: doors.call_by_any(turn, heard, ended))

    def _at_next(self, call: Callable[[Doors], Wire]) -> Wire:
        at = self._next()
        with self._hosts[at].namespace.inside():
            wire = call(self._doors[at])
        self._host_of[wire] = self._hosts[at]
        return wire

    def connect(self) -> socket.socket:
        """Connect to Mau-Mau's wire at the host whose turn it is."""
        at = self._next()
        with self._hosts[at].namespace.inside():
            line = self._doors[at].connect()
        self._host_of[line] = self._hosts[at]
        return line

    def _next(self) -> int:
        """Return the place of the host whose turn it is."""
        self._calls += 1
        there = [at for at, host in enumerate(self._hosts) if not host.is_away] or [0]
        at = there[self._calls % len(there)]
        self._figures.did[f"calls to host {at + 1}"] += 1
        return at

    def host_of(self, line: Wire | socket.socket | None) -> HostListener | None:
        """Return the host that the line of a caller, or of a client of the wire, leads to."""
        return None if line is None else self._host_of.get(line)


class SharedTables(Tables):
    """The poker tables that all hosts share."""

    def __init__(
        self, hosts: Sequence[HostListener], loop: Loop, figures: Figures, rng: Random, clocks: Pace, slack: float
    ) -> None:
        super().__init__(hosts[0], loop, figures, rng, clocks, slack + FORGOTTEN + 2 * LEASE)
        self._hosts = hosts
        self.screens = Screens(self._newest, figures, slack)

    def is_held_up(self, cell: Cell) -> bool:
        """Return that, or whether the copy that is looked at may be old.

        It is while no courier renews the first host's lease, as where its listener was killed as well.
        """
        return super().is_held_up(cell) or time.monotonic() - ClusteredHost(self._own.segment.head).renewed > LEASE

    def _newest(self, table: int) -> int:
        """Return the greatest commit number of a table that any host has."""
        return max(view.cells[table].number for view in self.views())

    def views(self) -> list[View]:
        return [view for host in self._hosts if (view := host.view) is not None]

    def views_there(self) -> list[View]:
        return [view for host in self._hosts if (view := host.view) is not None and not host.is_away]
