"""A caller's input on its way to the session: bytes from the line become keys, which wait until they are asked for.

Owns the keys that wait, the alarm of an unfinished escape sequence, and what the session knows of the caller's window.
"""

import time
from collections import deque

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.line import Line

MOST_KEYS = 4096
"""Keys that wait at most before no more is read from the line; one read may bring some thousands."""
ESCAPE = "escape"
"""The alarm at which an unfinished sequence is taken for keys."""


class InputQueue:
    """The keys of one caller."""

    def __init__(self, line: Line, display: Display, alarms: Alarms) -> None:
        self._line = line
        self._display = display
        self._alarms = alarms
        self._keyboard = Keyboard(display)
        self.keys: deque[tuple[str, int]] = deque()
        """What waits, in order, each with the monotonic nanosecond at which it was read. The loop takes it."""
        self.taken = 0
        """Bytes of the last `read`."""
        self._seen = self._looks()
        self._escape_at: float | None = None
        """When the alarm fires that is set for an unfinished sequence."""

    @property
    def is_full(self) -> bool:
        """Whether no more is to be read from the line now."""
        return len(self.keys) >= MOST_KEYS

    def read(self) -> bool:
        """Read from the line; return whether the screen must be drawn anew. Raise `LineClosed`."""
        data = self._line.receive()
        self.taken = len(data)
        self._keyboard.feed(data)
        disturbed = self._line.disturbed
        if disturbed:
            self._line.disturbed = False
            self._display.forget()
        changed = self._looks() != self._seen
        if changed:
            self._seen = self._looks()
            self._display.refit()
        self.decode()
        return disturbed or changed

    def escape(self) -> None:
        """The alarm `ESCAPE` fired: nothing came behind the unfinished sequence."""
        self._escape_at = None
        self.decode()

    def decode(self) -> None:
        """Take the keys that are complete by now, and set the alarm for a sequence that is not."""
        now = time.monotonic_ns()
        for key in self._keyboard.keys(now / 1e9):
            self.keys.append((key, now))
        if self._keyboard.escape_at != self._escape_at:
            self._escape_at = self._keyboard.escape_at
            if self._escape_at is None:
                self._alarms.cancel(ESCAPE)
            else:
                self._alarms.set(ESCAPE, self._escape_at)

    def _looks(self) -> tuple[int, int, str, str]:
        return self._line.columns, self._line.rows, self._line.kind, self._line.charset
