"""Alarms by name, on the one interval timer of the process.

Owns ITIMER_REAL: a sorted list, and the timer always armed for its head. For a repeated head the timer repeats by
itself, so a process that only ticks never arms it. SIGALRM arrives in the signal inbox (signals.py); the loop that it
wakes calls `due` and acts. Does nothing by itself and does not know the meaning of an alarm.

Invariants: alarms are independent. Setting or cancelling one shifts no other, so a player who sits down or stands up
does not move the BBS's 60-second duty. A repeated alarm stays on its own grid: it fires late if the process slept, but
the next one does not shift, and missed ones fire once, not many times. Unless another moment is given, the grid begins
when the `Alarms` are created, so that a tick of 5 s, a keepalive of 30 s and a duty of 60 s coincide, and an idle
process wakes once for all of them. More exactly, it begins at the last whole `BEAT` of the clock before that, so that
processes wake in groups. The timer is never armed with zero, which would disarm it. A child inherits no timer and
creates its own `Alarms`.
"""

import signal
import time
from bisect import insort
from collections.abc import Callable

import msgspec

BEAT = 0.25
"""Seconds. Processes that wake at the same moment find their common code in the processor's cache, which halves the
cost of a tick; of a thousand, fifty wake together, for two milliseconds."""
_SOON = 0.0001
"""Seconds for which the timer is set if an alarm is due already."""


def _arm(seconds: float, period: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds, period)


class _Alarm(msgspec.Struct, frozen=True, order=True):
    at: float
    serial: int
    name: str
    period: float
    origin: float
    """The beginning of its grid, if it is repeated."""


class Alarms:
    """The alarms of this process. All times are seconds of the clock `now`.

    `arm(seconds, period)` sets the timer to fire after `seconds` (0: never), then after each `period` (0: once only).
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, arm: Callable[[float, float], None] = _arm) -> None:
        self._now = now
        self._arm_timer = arm
        self._list: list[_Alarm] = []
        self._serial = 0
        self._origin = now() // BEAT * BEAT
        self._armed, self._again = 0.0, 0.0
        """When the timer fires (0: never), and its period (0: once only)."""

    @property
    def next_at(self) -> float | None:
        """When the earliest alarm fires; None if there is none."""
        return self._list[0].at if self._list else None

    def set(self, name: str, at: float) -> None:
        """Set `name` to fire once at that time, replacing an alarm of that name. Costs nothing if already set so."""
        if not any(alarm.name == name and alarm.at == at and not alarm.period for alarm in self._list):
            self._insert(name, at, 0.0, 0.0)
            self._arm()

    def every(self, name: str, seconds: float, through: float | None = None) -> None:
        """Set `name` to fire every `seconds` on the common grid, replacing an alarm of that name.

        With `through` the grid is the one that contains that moment.
        """
        if seconds <= 0:
            raise ValueError(f"alarm {name} every {seconds} seconds")
        origin = self._origin if through is None else through
        self._insert(name, _on_grid(origin, seconds, self._now()), seconds, origin)
        self._arm()

    def cancel(self, name: str) -> None:
        """Cancel the alarm `name`, if there is one."""
        others = [alarm for alarm in self._list if alarm.name != name]
        if len(others) < len(self._list):
            self._list = others
            self._arm()

    def due(self, now: float | None = None) -> list[str]:
        """Return the names of the alarms that are due, the earliest first, and arm the timer for the rest.

        May be called at any time, with or without a signal: a lost SIGALRM is harmless as long as the loop calls this.
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
        """Cancel all alarms and stop the timer."""
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
    """Return the next moment of a grid; exactly equal for all periods that coincide there."""
    count = (now - origin) // period + 1
    at = origin + count * period
    return at if at > now else origin + (count + 1) * period
