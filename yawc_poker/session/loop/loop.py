"""The loop: the only place in a session that waits.

It waits on three things at once: the caller's line, the descriptor that tells of every signal (the bell of other
sessions, the alarm clock, the wish to end), and, while output is pending, on the line to take it. What comes out is a
row of events, one at a time; signals are held back until it looks, so nothing ever happens in between.

Signals go before keys, and a key is given out one at a time, so a pasted page never keeps the bell waiting. What the
caller sends is paid for out of his `Allowance`: while that is used up nothing is read from his line and no key given
out, which TCP makes him feel; all that others have to tell him goes on. Who will not stop is dropped.
"""

import select
import signal
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.loop.cpu_budget import Allowance
from yawc_poker.session.loop.latency import Stopwatch
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.line import FLOODING, Line
from yawc_poker.transport import HUNG_UP, LineClosed

MOST_KEYS = 4096
"""Keys that wait at most before no more is read from the line; one reading may bring some thousands."""
FLOOD_SECONDS = 30.0
"""Seconds of more input than the allowance covers, without a pause, after which a caller is dropped."""
TICK = "tick"
"""The alarm at which a session looks for what no bell has told it of."""
_ESCAPE = "escape"
_GONE = select.POLLRDHUP | select.POLLHUP | select.POLLERR


class Key(msgspec.Struct, frozen=True):
    """The caller pressed a key: one character, or a name as in `yawc_poker.terminal.keys`."""

    name: str


class Woken(msgspec.Struct, frozen=True):
    """Another process rang: look into shared memory."""


class AlarmDue(msgspec.Struct, frozen=True):
    """A named alarm fired."""

    name: str


class Resized(msgspec.Struct, frozen=True):
    """The caller's window or kind of terminal changed, or his screen was disturbed: draw anew."""


class Terminated(msgspec.Struct, frozen=True):
    """This process was asked to end, or its terminal went away."""


class Ready(msgspec.Struct, frozen=True):
    """The descriptor that is watched besides can be read."""


Event = Key | Woken | AlarmDue | Resized | Terminated | Ready
_OF_THE_CALLER = (Key, Resized)


class Loop:
    """Everything a session can be told, in one row."""

    def __init__(
        self,
        line: Line,
        display: Display,
        inbox: SignalInbox,
        alarms: Alarms,
        ends: Collection[int] = (signal.SIGTERM,),
        flood_seconds: float = FLOOD_SECONDS,
    ) -> None:
        """Listen to all of these; of SIGTERM, SIGHUP and SIGINT only those in `ends` ask this session to end."""
        self._flood_seconds = flood_seconds
        self.line = line
        self.alarms = alarms
        self.stopwatch = Stopwatch(Tally())
        """The session's own, once it has a tally."""
        self._ends = frozenset(ends)
        self._display = display
        self._inbox = inbox
        self._keyboard = Keyboard(display)
        self._signals: deque[Event] = deque()
        self._keys: deque[tuple[str, int]] = deque()  # with the monotonic ns at which each was read
        self._seen = self._looks()
        self._poller = select.poll()
        self._inbox_fd = inbox.fileno()
        self._poller.register(self._inbox_fd, select.POLLIN)
        self._others: set[int] = set()
        self._interest: int | None = None
        self._escape_at: float | None = None
        """The alarm that is set for an unfinished sequence."""
        self._allowance = Allowance(time.monotonic())
        self._rest = 0.0
        self._cost_before = 0.0
        """What everything had cost when the last wait began. A wait costs nothing, and the caller waits for what his
        key has to do: that is not asked again when it came."""
        self._began: float | None = None
        self.burden: Callable[[], float] = float
        """Gives the processor time that this caller has cost others so far, in seconds; none unless set."""
        self.passes: Callable[[], bool] = lambda: False
        """Deals with a tick that finds nothing new, and leaves nothing pending; nobody is told of such a one."""

    @property
    def busy(self) -> bool:
        """More events wait already: drawing now would be drawing for nobody."""
        return bool(self._signals) or self._may_press

    def next(self, *, keys: bool = True) -> Event:
        """Wait for the next event, without `keys` for one that is no key.

        Keys that are not asked for are kept until they are. Raises `LineClosed` when the caller is gone, or must go.
        """
        self.line.flush()  # before all else: somebody waits for it
        while True:
            self._pay()
            self._look_at_allowance()
            self._poll(0.0 if self._signals or (keys and self._may_press) else None)
            if self._signals:
                return self._given(self._signals.popleft())
            if keys and self._may_press:
                name, read_at = self._keys.popleft()
                self.stopwatch.key(read_at)
                return self._given(Key(name))

    def pause(self, seconds: float) -> None:
        """Wait for something to happen, at most so long, without giving any of it out."""
        self._look_at_allowance()
        self._poll(seconds)

    @contextmanager
    def watching(self, descriptor: int) -> Iterator[None]:
        """Wait for this descriptor, too; it is told of as `Ready`."""
        self._poller.register(descriptor, select.POLLIN)
        self._others.add(descriptor)
        try:
            yield
        finally:
            self._others.discard(descriptor)
            self._poller.unregister(descriptor)

    # --- what input may cost ------------------------------------------------------------------------------------------

    @property
    def _may_press(self) -> bool:
        return bool(self._keys) and not self._rest

    def _given(self, event: Event) -> Event:
        """Give out an event; what the caller caused is at his expense until the next one is asked for."""
        if not isinstance(event, _OF_THE_CALLER):
            self._pay()
        elif self._began is None:
            self._began = self._cost()
        return event

    def _pay(self) -> None:
        if self._began is not None:
            self._allowance.spend(self._cost() - self._began, time.monotonic())
            self._began = None

    def _cost(self) -> float:
        """Processor time alone: who waits for a lock or a disk, or for the processor, has not spent anything."""
        return time.process_time() + self.burden()

    def _look_at_allowance(self) -> None:
        now = time.monotonic()
        self._rest = self._allowance.rest(now)
        if self._rest and self._allowance.busy_for(now) > self._flood_seconds:
            raise LineClosed(FLOODING)

    # --- waiting ------------------------------------------------------------------------------------------------------

    def _poll(self, seconds: float | None) -> None:
        """Wait so long at most, None: until something happens; and take in what did."""
        self.line.flush()
        if seconds is None:
            self.stopwatch.drawn()
        if self._rest:
            seconds = self._rest if seconds is None else min(seconds, self._rest)
        self._watch_line()
        self._cost_before = self._cost()
        ready = self._poller.poll(None if seconds is None else seconds * 1000)
        while len(ready) == 1 and ready[0][0] == self._inbox_fd:
            self._take_signals()
            if seconds is not None or self._signals or self._keys or self._began is not None:
                return
            ready = self._poller.poll()  # it was a quiet tick: all is as it was before the last wait
        self._take(ready)

    def _take(self, found: Sequence[tuple[int, int]]) -> None:
        for descriptor, ready in found:
            if descriptor == self._inbox_fd:
                self._take_signals()
            elif descriptor in self._others:
                self._signals.append(Ready())
            elif self._may_read and ready & ~select.POLLOUT:
                self._take_input()
            elif ready & _GONE:
                # What he has sent may not be read now, and he will not see what comes of it.
                raise LineClosed(HUNG_UP)

    @property
    def _may_read(self) -> bool:
        """Whether more may be read. Where it may not, the caller's side has to wait, as TCP makes it do."""
        return not self._rest and len(self._keys) < MOST_KEYS

    def _watch_line(self) -> None:
        reading = select.POLLIN if self._may_read else 0
        interest = select.POLLRDHUP | reading | (select.POLLOUT if self.line.pending else 0)
        if interest != self._interest:
            self._poller.register(self.line.fileno(), interest)  # anew where it is registered
            self._interest = interest

    def _take_signals(self) -> None:
        caught = self._inbox.drain()
        if caught & self._ends:
            self._signals.append(Terminated())
        if signal.SIGUSR1 in caught:
            self._signals.append(Woken())
        if signal.SIGWINCH in caught and self._may_read:
            self._take_input()
        if signal.SIGALRM in caught:
            self._take_alarms()

    def _take_alarms(self) -> None:
        for name in self.alarms.due(time.monotonic()):
            if name == _ESCAPE:
                self._escape_at = None
                self._take_keys()
            elif name == TICK and self.passes():
                self._cost_before = self._cost()  # that was not for the key that may have come with it
            else:
                self._signals.append(AlarmDue(name))

    def _take_input(self) -> None:
        if self._began is None:
            self._began = self._cost_before
        self._keyboard.feed(self.line.receive())
        if self.line.disturbed:
            self.line.disturbed = False
            self._display.forget()
            self._signals.append(Resized())
        if self._looks() != self._seen:
            self._seen = self._looks()
            self._display.refit()
            self._signals.append(Resized())
        self._take_keys()

    def _take_keys(self) -> None:
        now = time.monotonic_ns()
        for key in self._keyboard.keys(now / 1e9):
            self._keys.append((key, now))
        if self._keyboard.escape_at != self._escape_at:
            self._escape_at = self._keyboard.escape_at
            if self._escape_at is None:
                self.alarms.cancel(_ESCAPE)
            else:
                self.alarms.set(_ESCAPE, self._escape_at)

    def _looks(self) -> tuple[int, int, str, str]:
        return self.line.columns, self.line.rows, self.line.kind, self.line.charset
