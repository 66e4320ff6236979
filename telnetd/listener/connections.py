"""The open connections: which process serves which door and address. Counts only; never looks at a process.

Invariant: a process is listed once, from its fork (or from the moment it was found) until it is reaped.
"""

import time
from collections import Counter
from collections.abc import Iterator, Set
from typing import Final, NamedTuple

from telnetd.listener.rate_limits import Group, address_group, address_groups


class Connection(NamedTuple):
    """The connection that a process serves; `address` is empty unless it is a caller's."""

    door: str
    address: str

    def __str__(self) -> str:
        return self.address or self.door


LEAVING: Final = "leaving"
"""The door of a connection that was asked to go."""


class Connections:
    """All connections for which the listener has forked or found a process."""

    def __init__(self) -> None:
        self._by_pid: dict[int, Connection] = {}
        self._addresses: Counter[str] = Counter()
        self._doors: Counter[str] = Counter()
        self._lineless: dict[int, Connection] = {}
        """The connections of processes whose line is gone, as they were: meanwhile they count for no address."""
        self._leaving: dict[int, Connection] = {}
        """Those that were asked to go for others, as they were: they count for nothing any more."""
        self._since: dict[int, float] = {}
        self.callers = 0
        """Connections with an address."""

    def __contains__(self, pid: int) -> bool:
        return pid in self._by_pid

    def __getitem__(self, pid: int) -> Connection:
        return self._by_pid[pid]

    @property
    def pids(self) -> set[int]:
        """The processes that serve them."""
        return set(self._by_pid)

    @property
    def leaving(self) -> list[int]:
        """The processes that were asked to go and are still there."""
        return list(self._leaving)

    @property
    def lines(self) -> int:
        """Connections of callers, and sessions whose line is gone."""
        return self.callers + len(self._lineless)

    def of(self, address: str) -> int:
        """Return the number of callers from this address; for IPv6, from its network."""
        return self._addresses[address_group(address)]

    def crowded(self, address: str, limit: int) -> list[Group]:
        """Return the groups of an address from which as many callers are here as may be, for a limit of one address."""
        return [group for group in address_groups(address) if self._addresses[group.name] >= limit * group.share]

    def callers_since(self) -> Iterator[tuple[int, Connection, float]]:
        """Yield the connections of callers, each with its process and since when it is there (monotonic seconds)."""
        for pid, connection in self._by_pid.items():
            if connection.address:
                yield pid, connection, self._since[pid]

    def address_of(self, pid: int) -> str:
        """Return the address of a caller, also if the line is gone; empty: it is none's, or not listed."""
        connection = self._lineless.get(pid) or self._by_pid.get(pid)
        return connection.address if connection else ""

    def at(self, door: str) -> int:
        """Return the number of connections at this door."""
        return self._doors[door]

    def enter(self, pid: int, connection: Connection) -> None:
        """Add a process, in place of one with the same pid whose end has not been noticed yet."""
        self._enter(pid, connection, time.monotonic())

    def _enter(self, pid: int, connection: Connection, since: float) -> None:
        self.leave(pid)
        self._by_pid[pid] = connection
        self._since[pid] = since
        self._doors[connection.door] += 1
        if connection.address:
            self.callers += 1
            self._addresses.update(group.name for group in address_groups(connection.address))

    def leave(self, pid: int) -> Connection | None:
        """Remove a process and return its connection; None if it was not listed."""
        self._lineless.pop(pid, None)
        self._leaving.pop(pid, None)
        self._since.pop(pid, None)
        connection = self._by_pid.pop(pid, None)
        if connection is not None:
            self._doors[connection.door] -= 1
            if connection.address:
                self.callers -= 1
                for group in address_groups(connection.address):
                    self._addresses[group.name] -= 1
                    if not self._addresses[group.name]:
                        del self._addresses[group.name]
        return connection

    def let_go(self, pid: int) -> None:
        """Note that a caller's process was asked to go."""
        connection = self._by_pid[pid]
        self._enter(pid, Connection(LEAVING, ""), self._since[pid])
        self._leaving[pid] = connection

    def keep(self, pid: int) -> None:
        """Note that a process which was asked to go stays: its caller has logged in meanwhile."""
        self._enter(pid, self._leaving[pid], self._since[pid])

    def moved(self, pid: int, address: str) -> None:
        """Count a caller's process for this address from now on: its line has come back from there."""
        connection = self._by_pid.get(pid)
        if connection is not None and connection.address not in {"", address}:
            self._enter(pid, connection._replace(address=address), self._since[pid])

    def without_line(self, pids: Set[int]) -> None:
        """Note that these of the processes have no line now, and all others have one: who calls again is let in."""
        for pid in self._lineless.keys() - pids:
            self._enter(pid, self._lineless[pid], self._since[pid])
        for pid in pids & self._by_pid.keys():
            connection = self._by_pid[pid]
            if connection.address:
                self._enter(pid, connection._replace(address=""), self._since[pid])
                self._lineless[pid] = connection
