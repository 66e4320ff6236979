"""How fast a caller may write to others, at the table and by X-messages together. Pure."""

from collections import deque

LINES = 5
SECONDS = 5.0
AT_ONCE = 2
"""Lines that somebody may write at once who calls again: a message, and the notice that it is being written."""


class WriteRate:
    """Counts lines: not more than `LINES` within `SECONDS`."""

    def __init__(self) -> None:
        self._written: deque[float] = deque(maxlen=LINES)

    def go_on(self, began: float) -> None:
        """Take it that a session of the same user, which began then, has written most of what it might."""
        self._written.extend([began] * (LINES - AT_ONCE))

    def allows(self, now: float) -> bool:
        """Return whether one more line may be written now (seconds of any steady clock), and count it if so."""
        if len(self._written) == LINES and now - self._written[0] < SECONDS:
            return False
        self._written.append(now)
        return True
