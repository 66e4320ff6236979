"""What one caller's input may cost, a share of a processor that is saved up to a limit, and what it does cost.

A person's keys cost a hundredth of the share. Callers who send more than a person types are served completely, but
slowly, so that other callers' keys find a free processor. `CpuBudget` is pure: `now` is of any steady clock, in
seconds.

`CpuMeter` owns when measuring begins and ends. It begins when input came, at the cost before that wait: a wait costs
nothing, and the caller waits for what their key has to do, so the cost is not asked for again when it came. It ends
when the session asks for the next event. Processor time alone counts: waiting for a lock, a disk or the processor
spends nothing.

Whose session goes first on a processor (`prefork.slices`) does so as long as most of what may be saved is left
(`MOST`): a flood lets all others go before.

A caller who has spent all is slowed down and never cut, however long they hold a key: their side waits. A flood is a
line that does not: it has sent more at once than a person types, and fills up at once whatever is taken of it.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from yawc_poker.terminal.line import FLOODING
from yawc_poker.transport import LineClosed

SHARE: Final = 0.08
"""Of one processor, in the long run."""
SAVED: Final = 0.25
"""Processor time that may be spent at once; a login takes about a third of it."""
LONG: Final = 10.0
"""Seconds without a pause after which the share is the smaller one."""
LONG_SHARE: Final = 0.02
MOST: Final = 0.75
"""The part of what may be saved that a caller's session leaves unless they send more than a person types."""
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
        """The moment since which it has been spent as fast as it comes, or None if there is some left."""

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

    def is_low(self, now: float) -> bool:
        """Return whether less than `MOST` is left."""
        self._accrue(now)
        return self._left < self._saved * MOST

    def _share(self, now: float) -> float:
        return SHARE if self._since is None or now - self._since < LONG else LONG_SHARE

    def _accrue(self, now: float) -> None:
        self._left = min(self._saved, self._left + max(0.0, now - self._at) * self._share(now))
        self._at = now
        if self._left > self._saved / 2:
            self._since = None


FLOOD_SECONDS = 30.0
"""Seconds of more input than the budget covers, from a line that does not wait, after which a caller is dropped."""
BURST = 3000
"""Bytes within `BURST_SECONDS` that no held key makes, not even at 60 a second and in a frame and a record for each."""
BURST_SECONDS = 1.0
REFILL = 256
"""Bytes by which a flood may be behind `REFILL_SECONDS` after something of it was read."""
REFILL_SECONDS = 0.2


class _Cost(NamedTuple):
    """What everything has cost by a moment, in seconds of processor time."""

    own: float
    others: float


class _Look(NamedTuple):
    """What has come by a moment."""

    at: float
    """Monotonic seconds."""
    came: int
    """Bytes, also those that wait to be read."""


class _Push(NamedTuple):
    """A burst, and that nothing of it has gone yet."""

    since: float
    waiting: int


class CpuMeter:
    """What one caller has spent. All costs are seconds of processor time."""

    def __init__(self) -> None:
        self.budget = CpuBudget(time.monotonic())
        self.burden: Callable[[], float] = float
        """Returns what this caller has cost other processes so far; nothing unless set."""
        self.waiting: Callable[[], int] = int
        """Returns how many bytes wait to be read; none unless set."""
        self._read = 0
        """Bytes that were read so far."""
        self._read_at = 0.0
        self.is_held = False
        """The key that is measured is the same as the one before: what it costs others is not counted."""
        self.rest = 0.0
        """Seconds until more may be spent, as of `check`; 0: now."""
        self.flood_seconds = FLOOD_SECONDS
        """For how long a caller may go on without waiting, before the line is dropped."""
        self._before = _Cost(0.0, 0.0)
        """What everything had cost when the last wait began."""
        self.began: _Cost | None = None
        """What everything had cost when measuring began, or None while nothing is measured."""
        self._look: _Look | None = None
        self._push: _Push | None = None
        self._rank: Sequence[Callable[[], None]] = ()
        """What takes the process's rank on a processor with enough left, and what with too little; not before login."""
        self._is_low = False

    def rank(self, first: Callable[[], None], last: Callable[[], None]) -> None:
        """Call `first` now and whenever most of the budget is there again, `last` when it is not."""
        self._rank, self._is_low = (first, last), False
        first()

    def mark(self) -> None:
        """A wait begins, or what was done since was not the caller's doing."""
        self._before = self._cost()

    def start_at_mark(self) -> None:
        """Input came during the wait that began at the last mark."""
        if self.began is None:
            self.began = self._before

    def start(self) -> None:
        """Begin counting for the caller."""
        if self.began is None:
            self.began = self._cost()

    def stop(self) -> None:
        """Take what was measured off the budget."""
        if self.began is not None:
            now = self._cost()
            others = 0.0 if self.is_held else now.others - self.began.others
            self.budget.spend(now.own - self.began.own + others, time.monotonic())
            self.began = None

    def check(self) -> None:
        """See how long the caller has to rest. Raise `LineClosed` if they flood."""
        now = time.monotonic()
        if self._rank and self.budget.is_low(now) is not self._is_low:
            self._is_low = not self._is_low
            self._rank[self._is_low]()
        self.rest = self.budget.rest(now)
        busy = self.budget.busy_for(now)
        if not busy:
            self._look = self._push = None
        elif self.rest and self._pushes(now) and busy > self.flood_seconds:
            raise LineClosed(FLOODING)

    def took(self, count: int) -> None:
        """So many bytes were read from the line."""
        if count:
            self._read += count
            self._read_at = time.monotonic()

    def _pushes(self, now: float) -> bool:
        """Return whether the line has not waited for nearly as long as a flood lasts.

        It begins with a burst, and ends when what was read is not made up for.
        """
        waiting = self.waiting()
        look = self._look = self._look or _Look(now, self._read)
        is_burst = self._read + waiting - look.came >= BURST
        if self._push is not None and now - self._read_at >= REFILL_SECONDS and waiting < self._push.waiting - REFILL:
            self._push = None
        elif self._push is None and is_burst:
            self._push = _Push(now, waiting)
        if is_burst or now - look.at >= BURST_SECONDS:
            self._look = _Look(now, self._read + waiting)
        return self._push is not None and now - self._push.since >= self.flood_seconds - 2 * BURST_SECONDS

    def _cost(self) -> _Cost:
        return _Cost(time.process_time(), self.burden())
