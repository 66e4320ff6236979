"""The loop: the only place in a session that waits.

It waits on three things at once: the caller's line, the wakeup pipe into which every signal falls (the bell of other
sessions, the alarm clock, the wish to end), and, while output is pending, on the line to take it. What comes out is a
row of events, one at a time; handlers of signals are empty, so nothing ever happens in between.

Signals go before keys, and a key is given out one at a time, so a pasted page never keeps the bell waiting.
"""

import selectors
import signal
import time
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import msgspec

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.signals import Bell
from yawc_poker.session.stopwatch import Stopwatch
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.line import Line

MOST_KEYS = 4096
"""Keys that wait at most before no more is read from the line; one reading may bring some thousands."""
_ESCAPE = "escape"
_LINE, _BELL, _OTHER = 1, 2, 3


class Key(msgspec.Struct, frozen=True):
    """The caller pressed a key: one character, or a name as in `yawc_poker.terminal.widgets`."""

    name: str


class Rang(msgspec.Struct, frozen=True):
    """Another process rang: look into shared memory."""


class Due(msgspec.Struct, frozen=True):
    """A named alarm fired."""

    name: str


class Resized(msgspec.Struct, frozen=True):
    """The caller's window or kind of terminal changed, or his screen was disturbed: draw anew."""


class Terminated(msgspec.Struct, frozen=True):
    """This process was asked to end, or its terminal went away."""


class Ready(msgspec.Struct, frozen=True):
    """The descriptor that is watched besides can be read."""


Event = Key | Rang | Due | Resized | Terminated | Ready


class Loop:
    """Everything a session can be told, in one row."""

    def __init__(
        self, line: Line, display: Display, bell: Bell, alarms: Alarms, ends: Collection[int] = (signal.SIGTERM,)
    ) -> None:
        """Listen to all of these; of SIGTERM, SIGHUP and SIGINT only those in `ends` ask this session to end."""
        self.line = line
        self.alarms = alarms
        self.stopwatch = Stopwatch(Tally())
        """The session's own, once it has a tally."""
        self._ends = frozenset(ends)
        self._display = display
        self._bell = bell
        self._keyboard = Keyboard(display)
        self._signals: deque[Event] = deque()
        self._keys: deque[tuple[str, int]] = deque()  # with the monotonic ns at which each was read
        self._seen = self._looks()
        self._selector = selectors.DefaultSelector()
        self._interest = 0
        self._selector.register(bell.fileno(), selectors.EVENT_READ, _BELL)

    @property
    def busy(self) -> bool:
        """More events wait already: drawing now would be drawing for nobody."""
        return bool(self._signals or self._keys)

    def next(self, *, keys: bool = True) -> Event:
        """Wait for the next event, without `keys` for one that is no key. Raises `LineClosed` when the caller is gone.

        Keys that are not asked for are kept until they are.
        """
        while True:
            self._poll(blocking=not (self._signals or (keys and self._keys)))
            if self._signals:
                return self._signals.popleft()
            if keys and self._keys:
                name, read_at = self._keys.popleft()
                self.stopwatch.key(read_at)
                return Key(name)

    def pause(self, seconds: float) -> None:
        """Wait for something to happen, at most so long, without giving any of it out."""
        self._poll(blocking=True, timeout=seconds)

    @contextmanager
    def watching(self, descriptor: int) -> Iterator[None]:
        """Wait for this descriptor, too; it is told of as `Ready`."""
        self._selector.register(descriptor, selectors.EVENT_READ, _OTHER)
        try:
            yield
        finally:
            self._selector.unregister(descriptor)

    def close(self) -> None:
        """Give up the selector; the line and the bell stay their owners'."""
        self._selector.close()

    def _poll(self, *, blocking: bool, timeout: float | None = None) -> None:
        self.line.flush()
        if blocking and timeout is None:
            self.stopwatch.drawn()
        self._watch_line(
            (selectors.EVENT_READ if self._has_room else 0) | (selectors.EVENT_WRITE if self.line.pending else 0)
        )
        for key, ready in self._selector.select(timeout if blocking else 0):
            if key.data == _BELL:
                self._take_signals()
            elif key.data == _OTHER:
                self._signals.append(Ready())
            elif ready & selectors.EVENT_READ:
                self._take_input()

    @property
    def _has_room(self) -> bool:
        """Whether more keys may be read. Where they may not, the caller's side has to wait, as TCP makes it do."""
        return len(self._keys) < MOST_KEYS

    def _watch_line(self, interest: int) -> None:
        if interest == self._interest:
            return
        if self._interest:
            self._selector.unregister(self.line.fileno())
        if interest:
            self._selector.register(self.line.fileno(), interest, _LINE)
        self._interest = interest

    def _take_signals(self) -> None:
        caught = self._bell.drain()
        if caught & self._ends:
            self._signals.append(Terminated())
        if signal.SIGUSR1 in caught:
            self._signals.append(Rang())
        if signal.SIGWINCH in caught and self._has_room:
            self._take_input()
        if signal.SIGALRM in caught:
            self._take_alarms()

    def _take_alarms(self) -> None:
        for name in self.alarms.due(time.monotonic()):
            if name == _ESCAPE:
                self._take_keys()
            else:
                self._signals.append(Due(name))

    def _take_input(self) -> None:
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
        self._keys.extend((key, now) for key in self._keyboard.keys(now / 1e9))
        if self._keyboard.escape_at is None:
            self.alarms.cancel(_ESCAPE)
        else:
            self.alarms.set(_ESCAPE, self._keyboard.escape_at)

    def _looks(self) -> tuple[int, int, str, str]:
        return self.line.columns, self.line.rows, self.line.kind, self.line.charset
