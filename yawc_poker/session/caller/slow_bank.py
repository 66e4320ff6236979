"""What callers read, and how long they wait, while the bank waits for the disk.

Owns the answer to `LockWatch.on_slow`, which is called in the middle of a wait for a lock. At a table the wait is given
up: the caller reads so in the command area, signals and clocks go on, and the key may be pressed again. Elsewhere
callers have asked for one thing, and wait for it. Nothing is written while this process holds a lock.
"""

import math
import time
from collections.abc import Callable
from typing import Literal

from yawc_poker.ipc.semaphore import LockWatch, held
from yawc_poker.session.caller.console import Console
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.line import Line
from yawc_poker.words import Words, mark

TOLD_SECONDS = 30.0
"""Seconds before a caller is told again."""
_WAIT = mark("The bank is slow at the moment. Please wait.")


class Slow:
    """How one caller's session waits for a slow bank."""

    def __init__(self, watch: LockWatch, line: Line, console: Console, words: Callable[[], Words]) -> None:
        """Answer for this process from now on; `words` returns the caller's texts."""
        self.mode: Literal["tell", "wait", "refuse"] = "tell"
        """Tell the caller and wait; wait; or give up what was asked for."""
        self._line = line
        self._console = console
        self._words = words
        self._told_at = -math.inf
        watch.on_slow = self._goes_on

    def _goes_on(self) -> bool:
        """Return whether to go on waiting; called again and again meanwhile."""
        now = time.monotonic()
        if self.mode == "tell" and not held() and now - self._told_at > TOLD_SECONDS:
            self._told_at = now
            self._console.interrupt(self._words()(_WAIT), Style.YELLOW)
            self._line.flush()
        return self.mode != "refuse"
