"""The one place where tests wait for something that they cannot wait on: a look now and then, with a deadline."""

import time
from collections.abc import Callable

SECONDS = 20.0


def wait_until(condition: Callable[[], bool], what: str = "a condition", seconds: float = SECONDS) -> None:
    """Wait until the condition holds; fails the test when it does not within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.001)
