"""Alarms by name over the one interval timer a process has.

Owns ITIMER_REAL: one sorted list, and the timer always armed for its head; for a head that is repeated, to fire again
by itself, so that a process that only ticks never arms it. SIGALRM is heard by the bell (signals.py); the loop that it
wakes asks `due` and acts. Does nothing by itself and knows no alarm's meaning.

Invariants: the alarms are independent: setting or cancelling one shifts no other, so a player who sits down or gets up
moves nothing of the BBS's own 60-second duty. A repeated alarm stays on its own grid: it fires late if the process
slept, but the next one does not shift, and what was missed comes once, not many times. Unless it is asked for through
another moment, a grid begins when the `Alarms` are made, so that a tick of 5 s, a keepalive of 30 and a duty of 60 fall
on the same moments: a process that has nothing to do wakes once for all of them; more exactly, at the last whole `BEAT`
of the clock before that, so that processes wake in groups. The timer is never armed with zero, which would disarm it. A
child inherits no timer and makes its own `Alarms`.
"""

import signal
import time
from bisect import insort
from collections.abc import Callable

import msgspec

BEAT = 0.25
"""Seconds. One of a group that wakes at the same moment finds the code that all run in the processor's cache, which
halves what a tick costs; of a thousand fifty wake together, for two milliseconds."""
_SOON = 0.0001
"""Seconds to an alarm that is due already."""


def _arm(seconds: float, period: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds, period)


class _Alarm(msgspec.Struct, frozen=True, order=True):
    at: float
    serial: int
    name: str
    period: float
    origin: float
    """Where its grid begins, if it is repeated."""


class Alarms:
    """The alarms of this process. All times are seconds of the clock `now`.

    `arm` sets the timer to fire in so many seconds, 0: never, and then each time a period is over, 0: once.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, arm: Callable[[float, float], None] = _arm) -> None:
        self._now = now
        self._arm_timer = arm
        self._list: list[_Alarm] = []
        self._serial = 0
        self._origin = now() // BEAT * BEAT
        self._armed, self._again = 0.0, 0.0
        """When the timer fires, 0: never, and after which period again, 0: never."""

    @property
    def next_at(self) -> float | None:
        """When the earliest alarm fires; None if there is none."""
        return self._list[0].at if self._list else None

    def set(self, name: str, at: float) -> None:
        """Have `name` fire once at that time; replaces an alarm of that name. Free where it is set so already."""
        if not any(alarm.name == name and alarm.at == at and not alarm.period for alarm in self._list):
            self._insert(name, at, 0.0, 0.0)
            self._arm()

    def every(self, name: str, seconds: float, through: float | None = None) -> None:
        """Have `name` fire every so many seconds since these alarms were made; replaces an alarm of that name.

        With `through` it fires at that moment, too, and on the grid before and after it instead of the common one.
        """
        if seconds <= 0:
            raise ValueError(f"alarm {name} every {seconds} seconds")
        origin = self._origin if through is None else through
        self._insert(name, _on_grid(origin, seconds, self._now()), seconds, origin)
        self._arm()

    def cancel(self, name: str) -> None:
        """Have `name` fire no more; nothing happens if there is no such alarm."""
        if any(alarm.name == name for alarm in self._list):
            self._list = [alarm for alarm in self._list if alarm.name != name]
            self._arm()

    def due(self, now: float | None = None) -> list[str]:
        """Take the alarms whose time has come, the earliest first, and arm the timer for the rest.

        Asked at any time, signal or none: a lost SIGALRM costs nothing as long as the loop looks.
        """
        now = self._now() if now is None else now
        fired = []
        while self._list and self._list[0].at <= now:
            alarm = self._list.pop(0)
            fired.append(alarm.name)
            if alarm.period:
                at = _on_grid(alarm.origin, alarm.period, now)
                if alarm.period == self._again and self._armed <= now:
                    self._armed = at  # by itself
                self._serial += 1
                insort(self._list, _Alarm(at, self._serial, alarm.name, alarm.period, alarm.origin))
        if not self._list or self._list[0].at != self._armed:
            self._arm()
        return fired

    def close(self) -> None:
        """Forget all alarms and stop the timer."""
        self._list = []
        self._arm()

    def _insert(self, name: str, at: float, period: float, origin: float) -> None:
        self._list = [alarm for alarm in self._list if alarm.name != name]
        self._serial += 1
        insort(self._list, _Alarm(at, self._serial, name, period, origin))

    def _arm(self) -> None:
        if not self._list:
            self._armed, self._again = 0.0, 0.0
            self._arm_timer(0.0, 0.0)
            return
        head, now = self._list[0], self._now()
        if head.at != self._armed or self._armed <= now:
            rest = head.at - now
            self._armed, self._again = head.at, head.period if rest >= _SOON else 0.0
            self._arm_timer(max(rest, _SOON), self._again)


def _on_grid(origin: float, period: float, now: float) -> float:
    """Return the next moment at which so long a period begins; exactly the same for all periods that meet there."""
    count = (now - origin) // period + 1
    at = origin + count * period
    return at if at > now else origin + (count + 1) * period
