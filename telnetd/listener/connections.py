"""The roster: which processes serve whom, by door and address. Counts only; never looks at a process.

Invariant: a process is on it once, from its fork (or from the moment it was found) until it was reaped.
"""

from collections import Counter
from typing import NamedTuple

from telnetd.listener.rate_limits import address_group


class Connection(NamedTuple):
    """Whom a process serves; `address` is empty for one who is no caller."""

    door: str
    address: str

    def __str__(self) -> str:
        return self.address or self.door


class Connections:
    """Everybody for whom the listener has, or has found, a process."""

    def __init__(self) -> None:
        self._by_pid: dict[int, Connection] = {}
        self._addresses: Counter[str] = Counter()
        self._doors: Counter[str] = Counter()
        self.callers = 0
        """Those who have an address."""

    def __contains__(self, pid: int) -> bool:
        return pid in self._by_pid

    def __getitem__(self, pid: int) -> Connection:
        return self._by_pid[pid]

    @property
    def pids(self) -> set[int]:
        """Their processes."""
        return set(self._by_pid)

    def of(self, address: str) -> int:
        """Callers from this address; of IPv6, from its network."""
        return self._addresses[address_group(address)]

    def at(self, door: str) -> int:
        """Those who came in by this door."""
        return self._doors[door]

    def enter(self, pid: int, connection: Connection) -> None:
        """Note a process; one that bore its pid before, and whose end has not been noticed yet, is struck off."""
        self.leave(pid)
        self._by_pid[pid] = connection
        self._doors[connection.door] += 1
        if connection.address:
            self.callers += 1
            self._addresses[address_group(connection.address)] += 1

    def leave(self, pid: int) -> Connection | None:
        """Strike a process off; None if it was not on the roster."""
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
