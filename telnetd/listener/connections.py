"""The open connections: which process serves which door and address. Counts only; never looks at a process.

Invariant: a process is listed once, from its fork (or from the moment it was found) until it is reaped.
"""

from collections import Counter
from collections.abc import Set
from typing import NamedTuple

from telnetd.listener.rate_limits import address_group


class Connection(NamedTuple):
    """The connection that a process serves; `address` is empty unless it is a caller's."""

    door: str
    address: str

    def __str__(self) -> str:
        return self.address or self.door


class Connections:
    """All connections for which the listener has forked or found a process."""

    def __init__(self) -> None:
        self._by_pid: dict[int, Connection] = {}
        self._addresses: Counter[str] = Counter()
        self._doors: Counter[str] = Counter()
        self._lineless: dict[int, Connection] = {}
        """The connections of processes whose line is gone, as they were: meanwhile they count for no address."""
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

    def of(self, address: str) -> int:
        """Return the number of callers from this address; for IPv6, from its network."""
        return self._addresses[address_group(address)]

    def at(self, door: str) -> int:
        """Return the number of connections at this door."""
        return self._doors[door]

    def enter(self, pid: int, connection: Connection) -> None:
        """Add a process, in place of one with the same pid whose end has not been noticed yet."""
        self.leave(pid)
        self._by_pid[pid] = connection
        self._doors[connection.door] += 1
        if connection.address:
            self.callers += 1
            self._addresses[address_group(connection.address)] += 1

    def leave(self, pid: int) -> Connection | None:
        """Remove a process and return its connection; None if it was not listed."""
        self._lineless.pop(pid, None)
        connection = self._by_pid.pop(pid, None)
        if connection is not None:
            self._doors[connection.door] -= 1
            if connection.address:
                self.callers -= 1
                place = address_group(connection.address)
                self._addresses[place] -= 1
                if not self._addresses[place]:
                    del self._addresses[place]
        return connection

    def moved(self, pid: int, address: str) -> None:
        """Count a caller's process for this address from now on: its line has come back from there."""
        connection = self._by_pid.get(pid)
        if connection is not None and connection.address not in {"", address}:
            self.enter(pid, connection._replace(address=address))

    def without_line(self, pids: Set[int]) -> None:
        """Note that these of the processes have no line now, and all others have one: who calls again is let in."""
        for pid in self._lineless.keys() - pids:
            self.enter(pid, self._lineless[pid])
        for pid in pids & self._by_pid.keys():
            connection = self._by_pid[pid]
            if connection.address:
                self.enter(pid, connection._replace(address=""))
                self._lineless[pid] = connection
