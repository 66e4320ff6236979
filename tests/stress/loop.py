"""An event loop: one epoll and one list of timers for all callers. The driver waits nowhere else."""

import heapq
import itertools
import selectors
import time
from collections.abc import Callable
from typing import Protocol

Act = Callable[[], None]
Ready = Callable[[int], None]
"""Called with what is ready: EVENT_READ, EVENT_WRITE or both."""


class Descriptor(Protocol):
    """A socket, or a terminal."""

    def fileno(self) -> int:
        """Return the file descriptor."""


class Loop:
    """Calls back for sockets and timers, in order."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[float, int, Act]] = []
        self._order = itertools.count()
        self.lag = 0.0
        """Maximum delay of a timer in seconds, which limits the precision of all measurements."""

    def after(self, seconds: float, act: Act) -> None:
        """Call `act` once, after some seconds."""
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), act))

    def every(self, seconds: float, act: Act) -> None:
        """Call `act` repeatedly, at an interval in seconds."""

        def again() -> None:
            act()
            self.after(seconds, again)

        self.after(seconds, again)

    def watch(self, connection: Descriptor, events: int, ready: Ready) -> None:
        """Call `ready` when the socket is ready, in place of its former callback."""
        if connection.fileno() in self._selector.get_map():
            self._selector.modify(connection, events, ready)
        else:
            self._selector.register(connection, events, ready)

    def forget(self, connection: Descriptor) -> None:
        """Stop watching the socket."""
        if connection.fileno() in self._selector.get_map():
            self._selector.unregister(connection)

    def run(self, until: Callable[[], bool]) -> None:
        """Run until the condition holds."""
        while not until():
            for key, events in self._selector.select(self._wait()):
                ready: Ready = key.data
                ready(events)
            self._fire()

    def run_for(self, seconds: float) -> None:
        """Run for some seconds."""
        end = time.monotonic() + seconds
        self.run(lambda: time.monotonic() >= end)

    def _wait(self) -> float:
        return max(0.0, min(0.05, self._timers[0][0] - time.monotonic() if self._timers else 0.05))

    def _fire(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            moment, _, act = heapq.heappop(self._timers)
            self.lag = max(self.lag, now - moment)
            act()
