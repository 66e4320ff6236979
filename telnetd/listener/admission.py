"""Admission of connections: the limits of `[telnet]`, the bans, and the answers to refused callers.

Owns the list of connections, their rate limits, the list of banned addresses, and who is asked to go for whom. Decides
before the fork; never forks, and touches no record but by `Sessions`.

Whoever has not logged in is a stranger, at every door: a line is given out at the login (`Directory.claim_name`), and a
guest's place after the handshake. Strangers have the lines that are free, and `max_logins` more; at a door with a limit
of its own they have what its guests leave. Where that is not enough, one of them goes for each that comes: from where
most of them are, the one not heard of for longest; of several such places first one where nobody was logged in. So
whoever holds many connections pays for each newcomer with one of their own.

An address where somebody was logged in is let in though all its lines, or all lines, are taken: they may have lost the
line and left a seat or a session behind, which the login finds out.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from telnetd.doors.door import Door
from telnetd.listener.connections import Connection, Connections
from telnetd.listener.rate_limits import (
    MOST_ADDRESSES,
    LogThrottle,
    RateLimits,
    address_group,
    address_groups,
    by_crowd,
)
from yawc_poker.addresses import Address, Network, parse_address, parse_network
from yawc_poker.bbs.lifecycle import Standing
from yawc_poker.bbs.service import BANNED_WORDS
from yawc_poker.config import TelnetSettings


class BansError(Exception):
    """The file cannot be used; `str()` is one line with the reason."""


class AddressBans(NamedTuple):
    """The addresses that may not call, each until its time (epoch seconds)."""

    addresses: Mapping[Address, float]
    networks: Mapping[Network, float]

    def holds(self, peer: str, now: float) -> bool:
        """Return whether a caller from there is banned at this time; one without an address never is."""
        address = parse_address(peer)
        if address is None:
            return False
        if now < self.addresses.get(address, -inf):
            return True
        return any(now < until and address in network for network, until in self.networks.items())


NO_BANS: Final = AddressBans({}, {})


def bans(listed: Mapping[str, float | None]) -> AddressBans:
    """Return the bans on these addresses and networks; raise `ValueError` for an entry that is neither."""
    found = {_network(text): inf if until is None else until for text, until in listed.items()}
    return AddressBans(
        {one.network_address: until for one, until in found.items() if one.num_addresses == 1},
        {one: until for one, until in found.items() if one.num_addresses > 1},
    )


def read_bans(path: Path) -> AddressBans:
    """Return the bans in a file, none if there is no file; raise `BansError`.

    The session that bans writes the file, `banned.json` in the data directory, whole, and the listener reads it when
    told to. Each entry is an address or a network, banned until a time in epoch seconds, or for ever:
    `{"192.0.2.7": 1790000000, "2001:db8::/32": null}`.
    """
    try:
        return bans(msgspec.json.decode(path.read_bytes(), type=dict[str, float | None]))
    except FileNotFoundError:
        return NO_BANS
    except OSError as error:
        raise BansError(f"{path}: {error.strerror}") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise BansError(f"{path}: {error}") from None


def _network(text: str) -> Network:
    network = parse_network(text)
    if network is None:
        raise ValueError(f"{text!r} does not appear to be an IPv4 or IPv6 network")
    return network


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
    f"{BANNED_WORDS}\r\n".encode(),
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


FILES_AT_ONCE: Final = 40
"""Files that one address may ask for beside its calls: by HTTP/2 a browser asks a proxy for all of a page's at once."""
MOST_LEAVING: Final = 128
"""Processes that may be about to go for others at once: each takes up to a second, if its caller does not read."""
SPARE: Final = 32
"""Records left for newcomers while those who go for them still have theirs; with so many the next ones wait."""
LEAVING_SECONDS: Final = 0.05
"""How long they wait then, before it is looked again."""
REMIND_SECONDS: Final = 1.0
"""How often those are reminded who were asked to go: the first signal may have come too early to be heard."""


class Sessions(Protocol):
    """The sessions of the BBS, as far as the admission has to do with them (`Foundation`)."""

    @property
    def records(self) -> int:
        """The number of records for those who come by a door."""

    def standings(self) -> list[Standing]:
        """Return the sessions that came by a door."""

    def put_out(self, pid: int, standing: Standing | None) -> bool:
        """Ask a process to go for others; return False if it has logged in meanwhile. Never waits."""


class Stranger(NamedTuple):
    """A connection whose caller has not logged in."""

    pid: int
    connection: Connection
    heard: float
    """When it was heard of last, monotonic seconds."""
    standing: Standing | None
    """None: it has no session yet."""


class Admission:
    """The decision about each connection, given those that are open."""

    def __init__(
        self, bans: Path, sessions: Sessions, clock: Callable[[], float] = time.time, familiar: Collection[str] = ()
    ) -> None:
        """`bans` is the file that lists banned addresses; they end by `clock`, epoch seconds.

        `familiar` are the networks that a former listener knew so.
        """
        self.connections = Connections()
        self.rates = RateLimits(time.monotonic())
        self.familiar = dict.fromkeys(familiar)
        """The networks where somebody was logged in, the latest ones last. Bounded."""
        self._sessions = sessions
        self._remind_at = 0.0
        self._told = LogThrottle()
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

    def is_banned(self, peer: str) -> bool:
        """Return whether nobody may call from there."""
        return self._bans.holds(peer, self._clock())

    def refusal(
        self, door: Door, peer: str, limits: TelnetSettings, *, is_proxy: bool = False, is_file: bool = False
    ) -> Refusal | None:
        """Return why a connection is refused, or None if it is admitted, for which somebody may have been asked to go.

        `is_proxy`: it calls for others, and whom it calls for is looked at once that is known. `is_file`: it is no
        call.
        """
        is_crowded = door.limit > 0 and self.connections.at(door.name) >= door.limit
        if not door.is_public:
            return DOOR_FULL if is_crowded else None
        if self.is_banned(peer):
            return BANNED
        if is_proxy:
            return DOOR_FULL if is_crowded else None
        if is_file:
            limits = replace(limits, max_per_address=limits.max_per_address + FILES_AT_ONCE)
        source = _source(peer)
        may_be_few = is_crowded or self.connections.lines >= limits.max_sessions
        goes: Stranger | Refusal | None = None
        if source and (may_be_few or self.connections.crowded(source, limits.max_per_address)):
            goes = self._who_goes(door, source, limits, is_crowded=is_crowded)
        if isinstance(goes, Refusal):
            return goes
        if self.rates.is_too_fast(source, time.monotonic()):
            return TOO_FAST
        return None if goes is None or self._put_out(goes, door) else FULL

    def _who_goes(
        self, door: Door, source: str, limits: TelnetSettings, *, is_crowded: bool
    ) -> Stranger | Refusal | None:
        """Return who must go for a connection from this source, None if nobody need; or why it is refused."""
        connections, sessions = self.connections, self._sessions.standings()
        strangers = self.find_strangers(sessions)
        inside = sum(one.takes_line for one in sessions)
        is_busy = door.limit == 0 and inside >= limits.max_sessions
        crowded = {group.name for group in connections.crowded(source, limits.max_per_address)}
        if (is_busy or crowded) and not self._is_known(source):
            return FULL if is_busy else TOO_MANY
        among, none_goes = strangers, FULL
        if crowded:
            among, none_goes = [one for one in among if crowded & _names(one.connection.address)], TOO_MANY
        if is_crowded:
            among, none_goes = [one for one in among if one.connection.door == door.name], DOOR_FULL
        must = crowded or is_crowded or len(strangers) >= max(0, limits.max_sessions - inside) + limits.max_logins
        records = self._sessions.records
        left = records - len(sessions)
        if not must and left > min(SPARE, records // 8):
            return None
        if not among and not must and left:
            return None
        if not among or not left or len(connections.leaving) >= MOST_LEAVING:
            return none_goes
        return self._most_dispensable(strangers, among)

    def _most_dispensable(self, strangers: Sequence[Stranger], among: Sequence[Stranger]) -> Stranger:
        """Return who of these goes first, given all strangers."""
        crowd = by_crowd(one.connection.address for one in strangers)
        return min(
            among,
            key=lambda one: (
                -crowd(one.connection.address),
                self._is_known(one.connection.address),
                one.heard,
            ),
        )

    def _put_out(self, stranger: Stranger, door: Door) -> bool:
        """Ask a stranger to go; return False if they have logged in meanwhile."""
        if not self._sessions.put_out(stranger.pid, stranger.standing):
            return False
        if not self.connections.leaving:
            self._remind_at = time.monotonic() + REMIND_SECONDS
        self.connections.let_go(stranger.pid)
        if self._told.suppressed("go", time.monotonic()) is not None:
            log.warning("%s: lines are few: %s, who has not logged in, goes", door.name, stranger.connection)
        return True

    def _is_known(self, address: str) -> bool:
        """Return whether somebody was logged in from there: they may have a seat, or a line whose end is not noticed.

        Whether they do, the login finds out.
        """
        return address_group(address) in self.familiar

    def find_strangers(self, sessions: Sequence[Standing] | None = None) -> list[Stranger]:
        """Look at who is logged in, and return the strangers; those asked to go that are still there are asked again.

        `sessions`: what there is, if it was looked at already.
        """
        by_pid = {one.pid: one for one in (self._sessions.standings() if sessions is None else sessions)}
        for pid in self.connections.leaving:
            if not self._sessions.put_out(pid, by_pid.get(pid)):
                self.connections.keep(pid)
        inside = {pid for pid, one in by_pid.items() if not one.is_stranger}
        carriers = _carriers(by_pid.values())
        for pid in inside:
            if not by_pid[pid].is_guest:
                self._remember(self.connections.address_of(pid))
        return [
            Stranger(pid, connection, since if pid not in by_pid else by_pid[pid].last_input, by_pid.get(pid))
            for pid, connection, since in self.connections.callers_since()
            if pid not in inside and pid not in carriers
        ]

    @property
    def reminds_in(self) -> float:
        """Seconds until `remind` must be called; infinite if nobody is to be reminded."""
        return max(0.0, self._remind_at - time.monotonic()) if self.connections.leaving else inf

    def remind(self) -> None:
        """Ask those again who were asked to go a while ago and are still there."""
        now = time.monotonic()
        if self.connections.leaving and now >= self._remind_at:
            self._remind_at = now + REMIND_SECONDS
            self.find_strangers()

    def _remember(self, address: str) -> None:
        """Remember where somebody is logged in from."""
        if address:
            network = address_group(address)
            self.familiar.pop(network, None)
            self.familiar[network] = None
            if len(self.familiar) > MOST_ADDRESSES:
                del self.familiar[next(iter(self.familiar))]

    def note_forked(self, door: Door, now: float) -> None:
        """Record that a process was forked for a call; whose it is may not be known yet."""
        if door.is_public:
            self.rates.forked(now)

    def note(self, pid: int, door: Door, peer: str, limits: TelnetSettings, *, is_file: bool = False) -> None:
        """Record an admitted connection and the process that serves it; `is_file`: it is no call."""
        self.connections.enter(pid, Connection(door.name, _source(peer) if door.is_public else ""))
        if door.is_public:
            self.rates.accepted_from(_source(peer), limits.max_per_address, time.monotonic(), is_file=is_file)

    def pause_seconds(self, now: float) -> float:
        """Return the seconds for which no call may be accepted or refused; 0: none. `now` is monotonic."""
        return max(self.rates.pause_seconds(now), LEAVING_SECONDS if len(self.connections.leaving) >= SPARE else 0.0)

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


def _carriers(sessions: Iterable[Standing]) -> set[int]:
    """Return the processes that pass on what comes and goes by the lines of sessions that are logged in."""
    return {one.carrier for one in sessions if not one.is_stranger} - {0}


def _names(address: str) -> set[str]:
    return {group.name for group in address_groups(address)}
