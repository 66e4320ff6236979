"""The processor time that one caller's input costs, measured and taken off their `CpuBudget`.

Owns when measuring begins and ends. It begins when input came, at the cost before that wait: a wait costs nothing, and
the caller waits for what their key has to do, so the cost is not asked for again when it came. It ends when the session
asks for the next event. Processor time alone counts: waiting for a lock, a disk or the processor spends nothing.
"""

import time
from collections.abc import Callable

from yawc_poker.session.loop.cpu_budget import CpuBudget
from yawc_poker.terminal.line import FLOODING
from yawc_poker.transport import LineClosed

FLOOD_SECONDS = 30.0
"""Seconds of more input than the budget covers, without a pause, after which a caller is dropped."""


class CpuMeter:
    """What one caller has spent. All costs are seconds of processor time."""

    def __init__(self, flood_seconds: float = FLOOD_SECONDS) -> None:
        self.budget = CpuBudget(time.monotonic())
        self.burden: Callable[[], float] = float
        """Returns what this caller has cost other processes so far; nothing unless set."""
        self.rest = 0.0
        """Seconds until more may be spent, as of `check`; 0: now."""
        self._flood_seconds = flood_seconds
        self._before = 0.0
        """What everything had cost when the last wait began."""
        self.began: float | None = None
        """What everything had cost when measuring began; None: nothing is measured."""

    def mark(self) -> None:
        """A wait begins, or what was done since was not the caller's doing."""
        self._before = time.process_time() + self.burden()

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
            self.budget.spend(self._cost() - self.began, time.monotonic())
            self.began = None

    def check(self) -> None:
        """See how long the caller has to rest. Raise `LineClosed` if they flood."""
        now = time.monotonic()
        self.rest = self.budget.rest(now)
        if self.rest and self.budget.busy_for(now) > self._flood_seconds:
            raise LineClosed(FLOODING)

    def _cost(self) -> float:
        return time.process_time() + self.burden()
