"""Admission of connections: the limits of `[telnet]`, the bans, and the answers to refused callers.

Owns the list of connections, their rate limits, and the list of banned addresses. Decides before the fork; never forks.
"""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from telnetd.doors.kinds import Door
from telnetd.listener.address_bans import NO_BANS, BansError, read_bans
from telnetd.listener.connections import Connection, Connections
from telnetd.listener.rate_limits import RateLimits
from yawc_poker.addresses import parse_address
from yawc_poker.config import TelnetSettings

log = logging.getLogger(__name__)


class Refusal(NamedTuple):
    """The reason of a refusal: a word for the counters, words for the log, a line for the caller."""

    kind: str
    reason: str
    line: bytes = b""
    level: int = logging.WARNING


FULL: Final = Refusal(
    "full", "all lines are busy", b"Sorry, all lines of this BBS are busy. Please call again later.\r\n"
)
TOO_MANY: Final = Refusal(
    "address",
    "too many calls from its address",
    b"Sorry, there are too many calls from your address. Please call again later.\r\n",
)
TOO_FAST: Final = Refusal(
    "address",
    "too many calls in a short time from its address",
    b"Sorry, your address calls too often. Please call again in some seconds.\r\n",
)
BANNED: Final = Refusal(
    "banned",
    "its address is banned",
    b"Sorry, calls from your address are not taken by this BBS.\r\n",
    logging.INFO,
)
GONE: Final = Refusal("other", "it has hung up")
DOOR_FULL: Final = Refusal("full", "too many at this door")
_NO_PROCESS: Final = b"Sorry, this BBS cannot take your call at the moment. Please call again later.\r\n"


def no_process(error: OSError) -> Refusal:
    """Return the refusal for a system without room for another process."""
    return Refusal("no_process", f"no process: {error.strerror}", _NO_PROCESS)


def no_descriptor(error: OSError) -> Refusal:
    """Return the refusal for a listener that has no descriptor left but its spare one."""
    return Refusal("other", f"no descriptor: {error.strerror}", _NO_PROCESS)


class Admission:
    """The decision about each connection, given those that are open."""

    def __init__(self, bans: Path, clock: Callable[[], float] = time.time) -> None:
        """`bans` is the file that lists banned addresses; they end by `clock`, epoch seconds."""
        self.connections = Connections()
        self.rates = RateLimits(time.monotonic())
        self._file = bans
        self._clock = clock
        self._bans = NO_BANS

    def read_bans(self) -> None:
        """Read the bans again; an unusable file changes nothing."""
        try:
            bans = read_bans(self._file)
        except BansError as error:
            log.error("banned addresses stay as they were: %s", error)
            return
        if bans != self._bans:
            log.info("banned addresses and networks: %d", len(bans.addresses) + len(bans.networks))
        self._bans = bans

    def refusal(
        self,
        door: Door,
        peer: str,
        limits: TelnetSettings,
        *,
        is_full: Callable[[], bool],
        is_proxy: bool = False,
    ) -> Refusal | None:
        """Return why a connection is refused, None if admitted; `is_full` returns whether all records are in use.

        `is_proxy`: it calls for others, and whom it calls for is looked at once that is known.
        """
        is_crowded = door.limit > 0 and self.connections.at(door.name) >= door.limit
        if not door.is_public:
            return DOOR_FULL if is_crowded else None
        if self._bans.holds(peer, self._clock()):
            return BANNED
        source = _source(peer)
        if source and (self.connections.callers >= limits.max_sessions or is_full()):
            return FULL
        if is_crowded:
            return DOOR_FULL
        if is_proxy:
            return None
        if self.connections.of(source) >= limits.max_per_address:
            return TOO_MANY
        return TOO_FAST if self.rates.is_too_fast(source, time.monotonic()) else None

    def note(self, pid: int, door: Door, peer: str, limits: TelnetSettings) -> None:
        """Record an admitted connection and the process that serves it."""
        self.connections.enter(pid, Connection(door.name, _source(peer) if door.is_public else ""))
        if door.is_public:
            self.rates.accepted_from(_source(peer), limits.max_per_address, time.monotonic())

    def note_refused(self, door: Door, why: Refusal, now: float) -> None:
        """Record a refusal. Only callers count, and those from banned addresses separately."""
        if why is BANNED:
            self.rates.banned(now)
        elif door.is_public:
            self.rates.refused(now)

    def note_found(self, pid: int, peer: str) -> None:
        """Record a session that another listener admitted; one on a tty does not count as a caller."""
        if _is_address(peer):
            self.connections.enter(pid, Connection("", peer))

    def note_place(self, pid: int, peer: str) -> None:
        """Count a caller for the address that their session says now; a page's line may come back from another one."""
        if _is_address(peer):
            self.connections.moved(pid, peer)


def _source(peer: str) -> str:
    """Return what a caller counts for: all terminals of this machine together for one source, and for no line."""
    return "" if peer.startswith("/") else peer


def _is_address(peer: str) -> bool:
    """Return whether a session's peer is an address, and not a terminal or one of the sysop's doors."""
    return parse_address(peer) is not None
