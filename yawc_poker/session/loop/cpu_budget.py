"""What one caller's input may cost: a share of a processor, saved up to a limit. Pure.

A person's keys cost a hundredth of it. Callers who send more than a person types are served completely, but slowly, so
that other callers' keys find a free processor. All times are seconds; `now` is of any steady clock.
"""

from typing import Final

SHARE: Final = 0.08
"""Of one processor, in the long run."""
SAVED: Final = 0.25
"""Processor time that may be spent at once; a login takes about a third of it."""
LONG: Final = 10.0
"""Seconds without a pause after which the share is the smaller one."""
LONG_SHARE: Final = 0.02
BATCH: Final = 0.001
"""Processor time that must be saved before a caller who had none left goes on. The scheduler prefers a process that has
just slept for about this long, so it is short."""


class CpuBudget:
    """One caller's processor time."""

    def __init__(self, now: float, saved: float = SAVED) -> None:
        """`saved` is what may be spent at once."""
        self._left = self._saved = saved
        self._at = now
        self._rests = False
        self._since: float | None = None
        """The moment since which it has been spent as fast as it comes; None: there is some left."""

    def spend(self, cost: float, now: float) -> None:
        """Subtract a cost. It may exceed what is left, but the debt never exceeds that much."""
        self._accrue(now)
        self._left = max(self._left - cost, -self._saved)
        if self._left <= 0 and not self._rests:
            self._rests = True
            self._since = now if self._since is None else self._since

    def rest(self, now: float) -> float:
        """Return the seconds until more may be spent, 0 for now."""
        self._accrue(now)
        missing = BATCH - self._left
        if missing < BATCH / 100:  # not zero: what is left is a sum of rounded shares
            self._rests = False
        return missing / self._share(now) if self._rests else 0.0

    def busy_for(self, now: float) -> float:
        """Return the seconds for which it has been spent as fast as it came; 0: there is some left."""
        self._accrue(now)
        return 0.0 if self._since is None else now - self._since

    def _share(self, now: float) -> float:
        return SHARE if self._since is None or now - self._since < LONG else LONG_SHARE

    def _accrue(self, now: float) -> None:
        self._left = min(self._saved, self._left + max(0.0, now - self._at) * self._share(now))
        self._at = now
        if self._left > self._saved / 2:
            self._since = None
