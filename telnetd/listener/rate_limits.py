"""Rate limits for calls, per address and in total, and for repeated log messages. Pure.

A call costs a process. Without limits, a caller who calls and hangs up all the time, or a thousand callers at once,
would take all processor time. Times are seconds of any monotonic clock.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from yawc_poker.addresses import block_of

FEWEST: Final = 20
"""Minimum burst of calls from one address, even if its limit of lines is lower."""
REFILL_SECONDS: Final = 10.0
"""Time in which the burst of an address is refilled."""
CALLS_A_SECOND: Final = 30.0
"""Long-term rate of all calls together: about a third of a processor's time."""
CALLS_AT_ONCE: Final = 240.0
"""Burst of all calls, more than come when a BBS is back or a game begins: one second of a processor's time or two.

They are not slowed down: who plays goes first on a processor (`session/prefork/slices.py`)."""
REFUSAL: Final = 0.02
"""Cost of a refusal, in calls."""
FILE: Final = 0.1
"""Cost of a file of the page, in calls of its address: behind a proxy each of some thirty files has its connection."""
FILE_PROCESS: Final = 0.5
"""The part of a call's processor time that a process takes which only sends a file."""
BANNED_AT_ONCE: Final = 100.0
BANNED_A_SECOND: Final = 2000.0
"""Refused calls from banned addresses, which have a rate of their own: a tenth of a processor's time."""
SHORTEST_PAUSE: Final = 0.01
"""Minimum pause in seconds: a pause for each refusal would cost more wake-ups than it saves."""
MOST_ADDRESSES: Final = 4096
"""Addresses remembered; beyond that the least recently used one is dropped."""
REPEAT_SECONDS: Final = 10.0
"""Time in which the same message is logged only once."""

_ROUNDING: Final = 1e-6
"""Shorter times in seconds count as 0."""


class Group(NamedTuple):
    """A block of addresses that may be one person's."""

    name: str
    share: int
    """How many times a single address's limit it has."""


_IPV6_GROUPS: Final = ((64, 1), (56, 2), (48, 4))
"""Bits of the prefixes that a customer is given, from a host's to a site's, and their share."""


@lru_cache(MOST_ADDRESSES)
def address_groups(address: str) -> tuple[Group, ...]:
    """Return the groups that a caller's address counts for, the smallest first: of IPv6 three networks."""
    groups = [Group(block_of(address, ipv6_bits=bits) or address, share) for bits, share in _IPV6_GROUPS]
    return tuple(groups) if groups[0].name != groups[-1].name else tuple(groups[:1])


def address_group(address: str) -> str:
    """Return the smallest group of a caller's address: for IPv6 the network, because a host has all of a /64."""
    return address_groups(address)[0].name


def by_crowd(addresses: Iterable[str]) -> Callable[[str], float]:
    """Return what tells of an address how many of these are of its fullest group, for the group's share."""
    numbers = Counter(group for address in addresses for group in address_groups(address))
    return lambda address: max(numbers[group] / group.share for group in address_groups(address))


class TokenBucket:
    """A token bucket: a burst of `most` tokens, refilled at `rate` tokens a second."""

    def __init__(self, most: float, rate: float, now: float) -> None:
        self._most, self._rate = most, rate
        self._left, self._at = most, now

    def take(self, number: float, now: float) -> None:
        """Take tokens, even if there are not enough: the level may become negative."""
        self._left = self._available(now) - number
        self._at = now

    def missing_for(self, now: float) -> float:
        """Return the seconds until there is a token, 0 if there is one now."""
        missing = (1.0 - self._available(now)) / self._rate
        return missing if missing > _ROUNDING else 0.0

    def _available(self, now: float) -> float:
        return min(self._most, self._left + max(0.0, now - self._at) * self._rate)


class RateLimits:
    """The rate limits of calls: per address, of all calls, and of refused calls from banned addresses."""

    def __init__(self, now: float) -> None:
        self._all = TokenBucket(CALLS_AT_ONCE, CALLS_A_SECOND, now)
        self._banned = TokenBucket(BANNED_AT_ONCE, BANNED_A_SECOND, now)
        self._by_address: dict[str, TokenBucket] = {}

    def is_too_fast(self, address: str, now: float) -> bool:
        """Return whether there were too many calls from this address lately."""
        buckets = (self._by_address.get(group.name) for group in address_groups(address))
        return any(bucket is not None and bucket.missing_for(now) > 0 for bucket in buckets)

    def accepted_from(self, address: str, limit: int, now: float, *, is_file: bool = False) -> None:
        """Count an admitted caller from an address that may have `limit` lines; one who only asks for a file, less."""
        if is_file:
            self._all.take(FILE_PROCESS - 1.0, now)  # at the fork it counted as a call
        for group in address_groups(address):
            at_once = max(limit, FEWEST) * group.share
            bucket = self._by_address.pop(group.name, None) or TokenBucket(at_once, at_once / REFILL_SECONDS, now)
            bucket.take(FILE if is_file else 1.0, now)
            self._by_address[group.name] = bucket  # at the end: the first one is the least recently used
            if len(self._by_address) > MOST_ADDRESSES:
                del self._by_address[next(iter(self._by_address))]

    def forked(self, now: float) -> None:
        """Count a call for which a process was forked, whether somebody is let in by it or not."""
        self._all.take(1.0, now)

    def refused(self, now: float) -> None:
        """Count a refused call."""
        self._all.take(REFUSAL, now)

    def banned(self, now: float) -> None:
        """Count a refused call from a banned address, which does not count against the limit of all calls."""
        self._banned.take(1.0, now)

    def pause_seconds(self, now: float) -> float:
        """Return the seconds for which no call may be accepted or refused; 0: none."""
        return max(self._all.missing_for(now), self._banned.missing_for(now))


class LogThrottle:
    """Suppression of repeated log messages, which are only counted."""

    def __init__(self) -> None:
        self._logged: dict[str, tuple[float, int]] = {}

    def suppressed(self, what: str, now: float) -> int | None:
        """Return how many repeats were suppressed if this should be logged now, else None."""
        at, kept = self._logged.get(what, (now - REPEAT_SECONDS, 0))
        if now - at < REPEAT_SECONDS:
            self._logged[what] = (at, kept + 1)
            return None
        self._logged.pop(what, None)
        self._logged[what] = (now, 0)
        if len(self._logged) > MOST_ADDRESSES:
            del self._logged[next(iter(self._logged))]
        return kept
