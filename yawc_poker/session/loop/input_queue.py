"""A caller's input on its way to the session: bytes from the line become keys, which wait until they are asked for.

Owns the keys that wait, with what is known of their origin (`Typed`), the alarm of an unfinished escape sequence, and
what the session knows of the caller's window.
"""

import time
from array import array
from collections import deque
from fcntl import ioctl
from termios import FIONREAD
from typing import NamedTuple

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.keys import ENTER, PASTE, PASTED
from yawc_poker.terminal.line import Line

MOST_KEYS = 4096
"""Keys that wait at most before no more is read from the line; one read may bring some thousands."""
ESCAPE = "escape"
"""The alarm at which an unfinished sequence is taken for keys."""
BEHIND = 0.8
"""Seconds in which an ENTER may follow a key from habit, or because a caller's side lets nobody send a key without."""


class Typed(NamedTuple):
    """A key, and where it comes from."""

    name: str
    at: int
    """The monotonic nanosecond at which it was read."""
    piece: int
    """Number of the piece of input that it came in: all that had come when the first of it was read."""
    is_pasted: bool = False
    """It was pasted into a terminal that marks that."""
    is_line: bool = False
    """It begins a line of a caller's side that sends whole lines, or is the ENTER behind a line of one character."""


class InputQueue:
    """The keys of one caller."""

    def __init__(self, line: Line, display: Display, alarms: Alarms) -> None:
        self._line = line
        self._display = display
        self._alarms = alarms
        self._keyboard = Keyboard(display)
        self.keys: deque[Typed] = deque()
        """What waits, in order. The loop takes it."""
        self.taken = 0
        """Bytes of the last `read`."""
        self._seen = self._looks()
        self._escape_at: float | None = None
        """When the alarm fires that is set for an unfinished sequence."""
        self._piece = 0
        self._goes_on = False
        """More of the piece has come than was read."""
        self._went_on = False
        """The same, when the last key was read."""
        self._pastes = False
        self._in_line = 0
        """Keys since the last ENTER."""
        self.was_text = False
        """The last key that began a line (`Typed.is_line`) went into a line of text. The loop sets it."""
        self._last_at = 0
        """When the last key was read."""
        self._sends_lines = True
        """The caller's side sends whole lines: an ENTER came with whatever has come so far, or soon behind it.

        tintin++ sends the first character of a line by itself, once the BBS echoes.
        """

    @property
    def is_full(self) -> bool:
        """Whether no more is to be read from the line now."""
        return len(self.keys) >= MOST_KEYS

    @property
    def waiting(self) -> int:
        """Bytes that the kernel keeps for the line."""
        found = array("i", [0])
        try:
            ioctl(self._line.fileno(), FIONREAD, found)
        except OSError:
            return 0
        return found[0]

    def read(self) -> bool:
        """Read from the line; return whether the screen must be drawn anew. Raise `LineClosed`."""
        data = self._line.receive()
        self.taken = len(data)
        if data and not self._goes_on:
            self._piece += 1
        self._goes_on = bool(data) and (self._line.buffered or self.waiting > 0)
        self._keyboard.feed(data)
        disturbed = self._line.disturbed
        if disturbed:
            self._line.disturbed = False
            self._display.mistrust()
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
        names = self._keyboard.keys(now / 1e9)
        if names:
            is_rest = names[-1] == ENTER and (names[0] == ENTER or self.was_text)
            is_behind = is_rest and now - self._last_at < BEHIND * 1e9
            self._sends_lines = self._sends_lines and (not self._in_line or is_behind or self._went_on)
            self._last_at, self._went_on = now, self._goes_on
        for name in names:
            self._add(name, now)
        if self._keyboard.escape_at != self._escape_at:
            self._escape_at = self._keyboard.escape_at
            if self._escape_at is None:
                self._alarms.cancel(ESCAPE)
            else:
                self._alarms.set(ESCAPE, self._escape_at)

    def _add(self, name: str, now: int) -> None:
        if name in {PASTE, PASTED}:
            self._pastes = name == PASTE
            return
        is_line = self._sends_lines and not self._pastes and self._in_line == (1 if name == ENTER else 0)
        self.keys.append(Typed(name, now, self._piece, self._pastes, is_line))
        self._in_line = 0 if name == ENTER else self._in_line + 1

    def _looks(self) -> tuple[object, ...]:
        line = self._line
        return line.columns, line.rows, line.kind, line.charset, line.has_reader
