"""The one place where tests wait for something that they cannot wait on: a look now and then, with a deadline."""

import time
from collections.abc import Callable

SECONDS = 45.0
FIRST, LONGEST = 0.001, 0.02
"""Seconds between two looks, at first and in the end: many looks take processor time from what they wait for."""


def wait_until(
    condition: Callable[[], bool],
    what: str | Callable[[], str] = "a condition",
    seconds: float = SECONDS,
    first: float = FIRST,
) -> None:
    """Wait until the condition holds; fails the test when it does not within so many seconds.

    `what` is what was waited for, or returns it with what is there instead; `first` is the pause after the first look,
    larger where a look itself takes much.
    """
    deadline, pause = time.monotonic() + seconds, first
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what if isinstance(what, str) else what()}"
        time.sleep(pause)
        pause = max(first, min(1.1 * pause, LONGEST))
