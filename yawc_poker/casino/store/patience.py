"""What the database could not do in time is tried again, where nobody else waits for the one who tries: at the door.

A transaction takes two seconds at most, since others may wait for the lock of whoever is in it. A caller who logs in
holds none, and where a hundred do so at once, as after a lost host, a second try is better than another call.
"""

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

from yawc_poker.casino.store.connection import Fenced, Unavailable

T = TypeVar("T")

log = logging.getLogger(__name__)

PAUSES: Final = (0.25, 0.5, 1.0)
"""Seconds before each further try."""
ENOUGH: Final = 6.0
"""Seconds after which nothing is tried again."""


def patiently(act: Callable[[], T], pause: Callable[[float], object]) -> T:
    """Return what an act returns, which is tried again if nothing was changed by it; raise what the last try raises.

    The act is a single transaction, or may be done twice. What a host cannot do without its lease is not tried again.
    """
    until = time.monotonic() + ENOUGH
    for seconds in PAUSES:
        try:
            return act()
        except Unavailable as error:
            if error.maybe_done or isinstance(error, Fenced) or time.monotonic() > until:
                raise
            log.info("tried again in %g s: %s", seconds, error)
        pause(seconds)
    return act()
