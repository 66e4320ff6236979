"""The roster: which processes serve whom, by door and address. Counts only; never looks at a process.

Invariant: a process is on it once, from its fork (or from the moment it was found) until it was reaped.
"""

from collections import Counter
from typing import NamedTuple

from telnetd.listener.rate_limits import home


class Guest(NamedTuple):
    """Whom a process serves; `address` is empty for one who is no caller."""

    door: str
    address: str

    def __str__(self) -> str:
        return self.address or self.door


class Roster:
    """Everybody for whom the listener has, or has found, a process."""

    def __init__(self) -> None:
        self._guests: dict[int, Guest] = {}
        self._addresses: Counter[str] = Counter()
        self._doors: Counter[str] = Counter()
        self.callers = 0
        """Those who have an address."""

    def __contains__(self, pid: int) -> bool:
        return pid in self._guests

    def __getitem__(self, pid: int) -> Guest:
        return self._guests[pid]

    @property
    def pids(self) -> set[int]:
        """Their processes."""
        return set(self._guests)

    def of(self, address: str) -> int:
        """Callers from this address; of IPv6, from its network."""
        return self._addresses[home(address)]

    def at(self, door: str) -> int:
        """Those who came in by this door."""
        return self._doors[door]

    def enter(self, pid: int, guest: Guest) -> None:
        """Note a process; one that bore its pid before, and whose end has not been noticed yet, is struck off."""
        self.leave(pid)
        self._guests[pid] = guest
        self._doors[guest.door] += 1
        if guest.address:
            self.callers += 1
            self._addresses[home(guest.address)] += 1

    def leave(self, pid: int) -> Guest | None:
        """Strike a process off; None if it was not on the roster."""
        guest = self._guests.pop(pid, None)
        if guest is not None:
            self._doors[guest.door] -= 1
            if guest.address:
                self.callers -= 1
                place = home(guest.address)
                self._addresses[place] -= 1
                if not self._addresses[place]:
                    del self._addresses[place]
        return guest
