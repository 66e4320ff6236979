"""The wait of a process: for signals, alarms and descriptors, in one place.

Owns the poll object and what each signal means; knows no caller, no line and no table. A session's `Loop`, a wire
client's line, a control process and the Mau-Mau client each wait by one of these.

Invariants: signals are held back until `wait` looks, so that nothing ever happens in between; they become events before
any descriptor is reported. A wait that brings nothing but alarms that were dealt with allocates no event.
"""

import select
import signal
import time
from collections import deque
from collections.abc import Callable, Collection

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.events import AlarmDue, Event, Key, Resized, Terminated, Woken
from yawc_poker.ipc.signals import JOB_SIGNALS, SignalInbox


def _is_event(name: str) -> bool:
    return False


class EventLoop:
    """Waits, and queues what came."""

    def __init__(
        self,
        inbox: SignalInbox,
        alarms: Alarms | None = None,
        ends: Collection[int] = (signal.SIGTERM,),
        *,
        takes_alarm: Callable[[str], bool] = _is_event,
        takes_resize: Callable[[], bool] = bool,
        on_job: Callable[[int], str] | None = None,
    ) -> None:
        """Listen to the inbox; the signals in `ends` ask this process to end.

        `takes_alarm` is called with the name of an alarm that is due, `takes_resize` at SIGWINCH: True if they have
        dealt with it, so that it becomes no event. `on_job` hears each of `JOB_SIGNALS` that is
        caught, and returns the key that it stands for.
        """
        self.events: deque[Event] = deque()
        """What came and was not taken yet, in order. The user of the loop takes it."""
        self._inbox = inbox
        self._alarms = alarms
        self._ends = frozenset(ends)
        self._takes_alarm = takes_alarm
        self._takes_resize = takes_resize
        self._on_job = on_job
        self._poller = select.poll()
        self._inbox_fd = inbox.fileno()
        self._interests: dict[int, int] = {}
        self.watch(self._inbox_fd, select.POLLIN)  # first, so it is reported first

    def watch(self, descriptor: int, interest: int = select.POLLIN) -> None:
        """Wait for these poll events of a descriptor from now on, too; a hang-up is always reported."""
        if self._interests.get(descriptor) != interest:
            self._poller.register(descriptor, interest)  # anew where it is registered
            self._interests[descriptor] = interest

    def forget(self, descriptor: int) -> None:
        """Watch a descriptor no more, if it is watched."""
        if self._interests.pop(descriptor, None) is not None:
            self._poller.unregister(descriptor)

    def wait(self, seconds: float | None = None) -> list[tuple[int, int]]:
        """Wait so long at most, None: until something happens. Queue events; return watched descriptors that are ready.

        Nothing is returned when the time is up, and when only signals came.
        """
        ready = self._poller.poll(None if seconds is None else seconds * 1000)
        if ready and ready[0][0] == self._inbox_fd:
            del ready[0]
            self._take_signals()
        return ready

    def _take_signals(self) -> None:
        caught = self._inbox.drain()
        if caught & self._ends:
            self.events.append(Terminated())
        if signal.SIGUSR1 in caught:
            self.events.append(Woken())
        for number in JOB_SIGNALS:  # first: whoever takes a resize reads from the terminal
            if number in caught and self._on_job is not None:
                self.events.append(Key(self._on_job(number)))
        if signal.SIGWINCH in caught and not self._takes_resize():
            self.events.append(Resized())
        if signal.SIGALRM in caught and self._alarms is not None:
            for name in self._alarms.due(time.monotonic()):
                if not self._takes_alarm(name):
                    self.events.append(AlarmDue(name))
