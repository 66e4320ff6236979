"""A caller's loop: the only place in a session that waits.

It waits on the caller's line and, by an `EventLoop`, for signals: other sessions wake this one, alarms fire, somebody
asks it to end. While output is pending it also waits for the line to take it. What comes out is a row of events, one at
a time.

Signals go before keys, and keys are given out one at a time, so that a pasted page never delays what others have to
tell. What the caller sends is paid for out of their `CpuBudget`: while that is used up nothing is read from the line
and no key given out, which makes the caller's side wait, as TCP does; everything that others tell goes on. Lines
that do not wait are dropped (`cpu_budget`).
"""

import select
import signal
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from yawc_poker.casino import counters
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Event, Key, Ready, Resized, Woken
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.loop.cpu_budget import CpuMeter
from yawc_poker.session.loop.input_queue import ESCAPE, InputQueue, Typed
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keys import ENTER
from yawc_poker.terminal.line import Line

TICK = "tick"
"""The alarm at which a session looks for changes that no signal has told it of."""
_GONE = select.POLLRDHUP | select.POLLHUP | select.POLLERR
_OF_THE_CALLER = (Key, Resized)


class LatencyTimer:
    """How long a caller waits for the screen: from a key, or from another session's command, until all is drawn.

    Owns the times under way in one session, and passes the finished ones to its tally. The loop tells when a key is
    given out, and when it is about to wait: then everything that happened has been drawn and passed to the kernel. A
    key counts from when it was read, a command from when it was posted by any process: all have the same monotonic
    clock. Keys drawn together count once, from the first: a pasted page is one screen.
    """

    # Monotonic nanoseconds; 0: none.

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._key = 0
        self._inbox = 0

    def key(self, read_at: int) -> None:
        """A key is given out that was read then."""
        self._key = self._key or read_at

    def woken(self, posted_at: float) -> None:
        """A table's command is read that was posted then, in monotonic seconds."""
        self._inbox = self._inbox or round(posted_at * 1e9)

    def drawn(self) -> None:
        """Everything is drawn."""
        if self._key:
            self._tally.observe(counters.KEY_TO_SCREEN, counters.since(self._key))
            self._key = 0
        if self._inbox:
            self._tally.observe(counters.BELL_TO_SCREEN, counters.since(self._inbox))
            self._inbox = 0


class Loop:
    """Everything a session can be told, in one row."""

    def __init__(
        self,
        line: Line,
        display: Display,
        inbox: SignalInbox,
        alarms: Alarms,
        ends: Collection[int] = (signal.SIGTERM,),
        on_job: Callable[[int], str] | None = None,
    ) -> None:
        """Listen to all of these; of SIGTERM, SIGHUP and SIGINT only those in `ends` ask this session to end.

        `on_job` hears the signals of the shell on whose terminal this process runs (`EventLoop`).
        """
        self.line = line
        self.alarms = alarms
        self.latency = LatencyTimer(Tally())
        """The session's own, once it has a tally."""
        self.passes: Callable[[], bool] = lambda: False
        """Deals with a tick that finds nothing new, and leaves nothing pending; such a tick becomes no event."""
        self.meter = CpuMeter()
        self._last_key = Typed("", 0, 0)
        self.reads_line: Callable[[], bool] = lambda: False
        """Returns whether a line of text is being typed; else a key acts at once, and what is pasted is nothing."""
        self.takes_enter: Callable[[], bool] = lambda: False
        """Returns whether an ENTER alone is an answer, also directly behind the key that opened the question."""
        self.is_behind_line = self._has_swallowed = False
        """The ENTER that stood between the last two keys is not given out."""
        self._ended_piece = 0
        """The piece of input of which nothing more is a key."""
        self._attended: dict[int, Callable[[], bool]] = {}
        self._has_line = True
        self._input = InputQueue(line, display, alarms)
        self.meter.waiting = lambda: self._input.waiting
        self._waiting = EventLoop(
            inbox, alarms, ends, takes_alarm=self._take_alarm, takes_resize=self._take_resize, on_job=on_job
        )

    @property
    def busy(self) -> bool:
        """Whether more events wait already, so that a screen drawn now would be replaced at once."""
        return bool(self._events) or self._may_press

    def next(self, *, keys: bool = True) -> Event:
        """Wait for the next event, without `keys` for one that is no key.

        Keys that are not asked for are kept until they are. Raise `LineClosed` when the caller is gone, or must go.
        """
        while not self._has_line:
            if self._events:
                return self._events.popleft()
            self._waiting.wait()
        self.line.flush()  # first, because the caller waits for it
        while True:
            self.meter.stop()
            self.meter.check()
            self._wait(0.0 if self._events or (keys and self._may_press) else None)
            if self._events:
                return self._given(self._events.popleft())
            if keys and self._may_press:
                typed = self._input.keys.popleft()
                if self._is_no_key(typed):
                    self._has_swallowed = typed.is_line
                    self._events.append(Woken())  # the screen may have waited for the key
                    continue
                self.is_behind_line, self._has_swallowed = self._has_swallowed, False
                self.latency.key(typed.at)
                self.meter.is_held, self._last_key = typed.name == self._last_key.name, typed
                return self._given(Key(typed.name))

    def _is_no_key(self, typed: Typed) -> bool:
        """Return whether nothing comes of what was typed, because of where it comes from.

        What is pasted is text and never a key; and the ENTER that had to follow a key is none, where whole lines are
        sent, though it ends a line of text.
        """
        if typed.piece == self._ended_piece:
            return True
        if typed.is_pasted:
            return not self.reads_line()
        if typed.is_line and typed.name == ENTER:
            return not (self._input.was_text or self.takes_enter())
        if typed.is_line:
            self._input.was_text = self.reads_line()
        return False

    @property
    def piece(self) -> int:
        """Number of the piece of input that the last key came in."""
        return self._last_key.piece

    def end_text(self, opened: int) -> None:
        """The last key ended a text that others read, and that was opened by a key of this piece of input.

        What came in one piece with that end is not taken as keys, unless the opening did, too: it is the rest of a
        paste of several lines, into a terminal that does not mark it.
        """
        if self.piece != opened:
            self._ended_piece = self.piece

    def pause(self, seconds: float) -> None:
        """Wait for something to happen, at most so long, without giving any of it out."""
        if not self._has_line:
            self._waiting.wait(seconds)
            return
        self.meter.check()
        self._wait(seconds)

    @contextmanager
    def watching(self, descriptor: int) -> Iterator[None]:
        """Wait for this descriptor, too; it is reported as `Ready`."""
        self._waiting.watch(descriptor)
        try:
            yield
        finally:
            self._waiting.forget(descriptor)

    def drop_line(self) -> None:
        """The line is gone for good: forget its keys, close it, and wait for everything else from now on."""
        self._has_line = False
        for descriptor in (self.line.fileno(), *self._attended):
            self._waiting.forget(descriptor)
        self._attended.clear()
        self._input.keys.clear()
        self.line.close()

    def attend(self, descriptor: int, takes: Callable[[], bool]) -> None:
        """Wait for input on this descriptor, too, which belongs to the line; it is watched until it is closed.

        `takes` is called then; if it returns True, the line is read, as if it had input.
        """
        self._waiting.watch(descriptor)
        self._attended[descriptor] = takes

    @property
    def _events(self) -> deque[Event]:
        return self._waiting.events

    @property
    def _may_press(self) -> bool:
        return bool(self._input.keys) and not self.meter.rest

    @property
    def _may_read(self) -> bool:
        """Whether more may be read. Where it may not, the caller's side has to wait."""
        return not self.meter.rest and not self._input.is_full

    def _given(self, event: Event) -> Event:
        """Hand out an event; what the caller caused is at their expense until the next one is asked for."""
        if isinstance(event, _OF_THE_CALLER):
            self.meter.start()
        else:
            self.meter.stop()
        return event

    # --- waiting ------------------------------------------------------------------------------------------------------

    def _wait(self, seconds: float | None) -> None:
        """Wait so long at most, None: until something happens; and take in what did."""
        self.line.flush()
        meter = self.meter
        if seconds is None:
            self.latency.drawn()
        if meter.rest:
            seconds = meter.rest if seconds is None else min(seconds, meter.rest)
        buffered = self.line.buffered and self._may_read
        self._watch_line()
        meter.mark()
        if buffered:
            ready = self._waiting.wait(0.0)
            self._take_input()
        elif seconds is None:
            ready = self._wait_for_news()
        else:
            ready = self._waiting.wait(seconds)
        self._take(ready)

    def _wait_for_news(self) -> list[tuple[int, int]]:
        """Wait until something happens; after a quiet tick all is as it was before, and the wait goes on."""
        waiting, events, keys, meter = self._waiting, self._waiting.events, self._input.keys, self.meter
        while not ((ready := waiting.wait()) or events or keys or meter.began is not None):
            pass
        return ready

    def _watch_line(self) -> None:
        reading = select.POLLIN if self._may_read else 0
        writing = select.POLLOUT if self.line.pending else 0
        self._waiting.watch(self.line.fileno(), select.POLLRDHUP | reading | writing)

    def _take(self, found: Sequence[tuple[int, int]]) -> None:
        line = self.line.fileno()
        for descriptor, ready in found:
            if descriptor != line:
                self._take_other(descriptor)
            elif self._may_read and ready & ~select.POLLOUT:
                self._take_input()
            elif ready & _GONE:
                # Input that waits may not be read now, and the caller would not see what comes of it.
                self.line.hung_up()

    def _take_other(self, descriptor: int) -> None:
        takes = self._attended.get(descriptor)
        if takes is None:
            self._events.append(Ready())
        elif takes():
            self._take_input()

    def _take_input(self) -> None:
        self.meter.start_at_mark()
        disturbed = self._input.read()
        self.meter.took(self._input.taken)
        if disturbed:
            self._events.append(Resized())

    def _take_resize(self) -> bool:
        if self._may_read and self._has_line:
            self._take_input()
        return True

    def _take_alarm(self, name: str) -> bool:
        if name == TICK:
            if not self.passes():
                return False
            self.meter.mark()  # that was not for the key that may have come with it
            return True
        if name == ESCAPE and self._has_line:
            if self._may_read:
                self._take_input()  # the rest may have come while this process was kept from reading it
            self._input.escape()
        return name == ESCAPE
