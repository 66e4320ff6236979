"""How long a caller waits for the screen: from a key, or from another session's command, until all is drawn.

Owns the times under way in one session, and passes the finished ones to its tally. The loop tells when a key is given
out, and when it is about to wait: then everything that happened has been drawn and passed to the kernel. A key counts
from when it was read, a command from when it was posted by any process: all have the same monotonic clock.

Keys drawn together count once, from the first: a pasted page is one screen.
"""

from yawc_poker.casino import counters
from yawc_poker.ipc.metrics import Tally


class LatencyTimer:
    """Times under way, in monotonic nanoseconds; 0: none."""

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
