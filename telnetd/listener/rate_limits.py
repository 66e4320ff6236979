"""How fast calls are taken: from one address, and altogether; and how often the log is told the same. Pure.

A call costs a process. Whoever calls and hangs up all the time, or a thousand who call at once, would otherwise have
all processors for themselves. Seconds are those of any steady clock.
"""

from typing import Final

from yawc_poker.addresses import block_of

FEWEST: Final = 20
"""Calls from one address that are always taken at once, however few lines it may have."""
REFILL_SECONDS: Final = 10.0
"""Time in which an address gets as many calls again as it may make at once."""
CALLS_A_SECOND: Final = 30.0
"""Calls that are taken from everybody together, in the long run: about a third of a processor's time."""
CALLS_AT_ONCE: Final = 240.0
"""More than call at once where a BBS comes back or a game begins; a second of a processor's time or two."""
CALLS_IN_A_ROW: Final = 20.0
"""Of these, so many come in at once, the others at `CALLS_IN_A_CROWD`: who is inside keeps most of the machine."""
CALLS_IN_A_CROWD: Final = 150.0
"""Calls a second."""
REFUSAL: Final = 0.02
"""What it costs to turn somebody away, in calls."""
BANNED_AT_ONCE: Final = 100.0
BANNED_A_SECOND: Final = 2000.0
"""Calls from banned addresses that are turned away, by a pace of their own: a tenth of a processor's time."""
SHORTEST_PAUSE: Final = 0.01
"""Seconds: whoever stops for each refusal wakes more often than it pays."""
MOST_ADDRESSES: Final = 4096
"""Addresses that are remembered; beyond, the one that has been quiet longest is forgotten."""
REPEAT_SECONDS: Final = 10.0
"""Time in which the log is told a thing once."""

_ROUNDING: Final = 1e-6
"""Seconds that are none."""


def address_group(address: str) -> str:
    """Give what stands for one caller's address: of IPv6 the network, since a host has all addresses of a /64."""
    return block_of(address) or address


class TokenBucket:
    """So many at once, and so many a second."""

    def __init__(self, most: float, rate: float, now: float) -> None:
        self._most, self._rate = most, rate
        self._left, self._at = most, now

    def take(self, number: float, now: float) -> None:
        """Take some, be they there or not."""
        self._left = self._available(now) - number
        self._at = now

    def missing_for(self, now: float) -> float:
        """Give the seconds until there is one; 0: now."""
        missing = (1.0 - self._available(now)) / self._rate
        return missing if missing > _ROUNDING else 0.0

    def _available(self, now: float) -> float:
        return min(self._most, self._left + max(0.0, now - self._at) * self._rate)


class RateLimits:
    """The calls that were taken lately."""

    def __init__(self, now: float) -> None:
        self._all = TokenBucket(CALLS_AT_ONCE, CALLS_A_SECOND, now)
        self._row = TokenBucket(CALLS_IN_A_ROW, CALLS_IN_A_CROWD, now)
        self._banned = TokenBucket(BANNED_AT_ONCE, BANNED_A_SECOND, now)
        self._by_address: dict[str, TokenBucket] = {}

    def is_too_fast(self, address: str, now: float) -> bool:
        """Say whether so many calls came from there lately that one more must wait."""
        bucket = self._by_address.get(address_group(address))
        return bucket is not None and bucket.missing_for(now) > 0

    def took(self, address: str, limit: int, now: float) -> None:
        """A call was taken from an address that may have `limit` lines."""
        at_once = max(limit, FEWEST)
        key = address_group(address)
        bucket = self._by_address.pop(key, None) or TokenBucket(at_once, at_once / REFILL_SECONDS, now)
        bucket.take(1.0, now)
        self._by_address[key] = bucket  # at the end: the first is the one that has been quiet longest
        if len(self._by_address) > MOST_ADDRESSES:
            del self._by_address[next(iter(self._by_address))]
        self._all.take(1.0, now)
        self._row.take(1.0, now)

    def refused(self, now: float) -> None:
        """A call was turned away."""
        self._all.take(REFUSAL, now)

    def banned(self, now: float) -> None:
        """A call from a banned address was turned away; that takes nothing of what all others may call."""
        self._banned.take(1.0, now)

    def pause_seconds(self, now: float) -> float:
        """Give the seconds in which nobody is to be taken or turned away; 0: none."""
        return max(bucket.missing_for(now) for bucket in (self._all, self._row, self._banned))


class LogThrottle:
    """Says what is new; what was said a moment ago is only counted."""

    def __init__(self) -> None:
        self._logged: dict[str, tuple[float, int]] = {}

    def suppressed(self, what: str, now: float) -> int | None:
        """Say how often this was kept quiet since it was said last, if it is to be said now; None: keep it quiet."""
        at, kept = self._logged.get(what, (now - REPEAT_SECONDS, 0))
        if now - at < REPEAT_SECONDS:
            self._logged[what] = (at, kept + 1)
            return None
        self._logged.pop(what, None)
        self._logged[what] = (now, 0)
        if len(self._logged) > MOST_ADDRESSES:
            del self._logged[next(iter(self._logged))]
        return kept
