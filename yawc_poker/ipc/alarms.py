"""Alarms by name over the one interval timer a process has.

Owns ITIMER_REAL: one sorted list, and the timer always armed for its head. SIGALRM is heard by the bell (signals.py);
the loop that it wakes asks `due` and acts. Does nothing by itself and knows no alarm's meaning.

Invariants: the alarms are independent: setting or cancelling one shifts no other, so a player who sits down or gets up
moves nothing of the BBS's own 60-second duty. A repeated alarm stays on its own grid: it fires late if the process
slept, but the next one does not shift, and what was missed comes once, not many times. The timer is never armed with
zero, which would disarm it. A child inherits no timer and makes its own `Alarms`.
"""

import signal
import time
from bisect import insort
from collections.abc import Callable

import msgspec

_SOON = 0.0001
"""Seconds to an alarm that is due already."""


def _arm(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)


class _Alarm(msgspec.Struct, frozen=True, order=True):
    at: float
    serial: int
    name: str
    period: float


class Alarms:
    """The alarms of this process. All times are seconds of the clock `now`; `arm` sets the timer, 0 stops it."""

    def __init__(self, now: Callable[[], float] = time.monotonic, arm: Callable[[float], None] = _arm) -> None:
        self._now = now
        self._arm_timer = arm
        self._list: list[_Alarm] = []
        self._serial = 0

    @property
    def next_at(self) -> float | None:
        """When the earliest alarm fires; None if there is none."""
        return self._list[0].at if self._list else None

    def set(self, name: str, at: float) -> None:
        """Have `name` fire once at that time; replaces an alarm of that name. Free where it is set so already."""
        if not any(alarm.name == name and alarm.at == at and not alarm.period for alarm in self._list):
            self._insert(name, at, 0.0)
            self._arm()

    def every(self, name: str, seconds: float) -> None:
        """Have `name` fire again and again, `seconds` from now for the first time; replaces an alarm of that name."""
        if seconds <= 0:
            raise ValueError(f"alarm {name} every {seconds} seconds")
        self._insert(name, self._now() + seconds, seconds)
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
        fired = [alarm for alarm in self._list if alarm.at <= now]
        self._list = self._list[len(fired) :]
        for alarm in fired:
            if alarm.period:
                at = alarm.at + ((now - alarm.at) // alarm.period + 1) * alarm.period
                self._insert(alarm.name, at if at > now else at + alarm.period, alarm.period)
        self._arm()
        return [alarm.name for alarm in fired]

    def close(self) -> None:
        """Forget all alarms and stop the timer."""
        self._list = []
        self._arm()

    def _insert(self, name: str, at: float, period: float) -> None:
        self._list = [alarm for alarm in self._list if alarm.name != name]
        self._serial += 1
        insort(self._list, _Alarm(at, self._serial, name, period))

    def _arm(self) -> None:
        self._arm_timer(max(self._list[0].at - self._now(), _SOON) if self._list else 0.0)
