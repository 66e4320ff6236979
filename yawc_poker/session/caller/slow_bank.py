"""What callers read, and how long they wait, while the bank keeps everybody waiting for the disk.

Owns the answer to `LockWatch.on_slow`, which is asked in the middle of a wait for a lock. At a table the wait is given
up: its caller reads so in the command area, bells and clocks go on, and the key may be pressed again. Elsewhere callers
have asked for one thing, and wait for it. Nothing is written while this process holds a lock itself.
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
"""How long who was told is not told again."""
_WAIT = mark("The bank is slow at the moment. Please wait.")


class Slow:
    """One caller's answer."""

    def __init__(self, watch: LockWatch, line: Line, console: Console, words: Callable[[], Words]) -> None:
        """Answer for this process from now on; `words` gives the caller's language."""
        self.mode: Literal["tell", "wait", "refuse"] = "tell"
        """Say so and wait; wait; or give up what was asked for."""
        self._line = line
        self._console = console
        self._words = words
        self._told_at = -math.inf
        watch.on_slow = self._goes_on

    def _goes_on(self) -> bool:
        """Return whether to go on waiting; asked again and again while it lasts."""
        now = time.monotonic()
        if self.mode == "tell" and not held() and now - self._told_at > TOLD_SECONDS:
            self._told_at = now
            self._console.interrupt(self._words()(_WAIT), Style.YELLOW)
            self._line.flush()
        return self.mode != "refuse"
