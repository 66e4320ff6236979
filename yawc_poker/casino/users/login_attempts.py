"""Attempts at passwords, and the delays before them.

Owns the rows of `guess` in `users.sqlite` and the delays. Never waits, never sees a password. A row
counts the tries of an hour in one respect; the next hour begins with the first try after it. Invariants:

* A try is written down *before* the password is looked at, in the transaction that gives it its turn. So the delays
  hold for all connections together, however many are open at once, and for callers who hang up before they are told.
* Strangers queue: the turn of each try at an account lies behind that of the one before, however many wait. Who would
  wait longer than `LONGEST`, or whose network has a turn to come there that is more than `AHEAD` away, is refused, and
  nothing is written. So one network cannot fill an account's queue.
* An address has `TRIES_PER_HOUR` at all accounts at which it is a stranger, the larger blocks of IPv6 have more.
* If a user has logged in from a place before (`places`), only the tries from there at this very account count: no
  stranger can keep that user out, nor can a neighbour behind the same address who guesses at other accounts. A turn
  that was given there stays, and none is further away than a minute; or than `LONGEST` while the address has used up
  its hour, for which wrong passwords at home count as well.
* The clock may be set back: a try of the future counts as one of now.

A transaction locks its rows in the order of their keys, and after a user's row if it needs that, so on PostgreSQL those
who try at the same moment wait for each other at the same account or address only, and never in a circle.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from yawc_poker.addresses import block_of
from yawc_poker.casino.store.connection import Connection, Statement, Store, Unavailable
from yawc_poker.casino.store.turns import need_no_disk
from yawc_poker.casino.users.familiar import TERMINAL, hold_user, is_familiar, place_of, remember_place

WINDOW = 3600.0
"""Seconds for which tries are counted together."""
TRIES_PER_HOUR: Final = 60
"""Of an address, or a /64 of IPv6."""
IPV6_BLOCKS: Final = {56: 120, 48: 240}
"""Tries an hour of larger blocks of IPv6, by the bits of their prefix: whoever has one of them has all addresses."""
NETWORK_BITS: Final = 48
"""Bits of the IPv6 prefix that is one stranger at an account."""
AHEAD: Final = 60.0
"""Seconds to the last turn of a network at an account up to which it may have a further one."""
LONGEST: Final = 300.0
"""Seconds that a try may wait."""
FORGOTTEN_AT_ONCE: Final = 100


class Delay(msgspec.Struct, frozen=True):
    """A growing delay: `free` tries cost nothing, then `first` seconds, each time doubled, up to `most`."""

    free: int
    first: float
    most: float

    def after(self, tries: int) -> float:
        """Return the seconds between the last of `tries` tries and the next one."""
        return 0.0 if tries < self.free else min(self.most, self.first * 2.0 ** min(tries - self.free, 60))


ACCOUNT = Delay(free=2, first=1.0, most=60.0)
SIEGE = Delay(free=2, first=1.0, most=LONGEST)
"""At home, while the address has used up its hour."""
ADDRESS = Delay(free=10, first=0.5, most=8.0)
"""Gentler: many users may share an address, and most of them mistype now and then."""


class TriesUsedUp(Exception):
    """Nobody may try that password from there now; one may again after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:g} s")
        self.seconds = seconds


class Tried(NamedTuple):
    """The tries of an hour; times are epoch seconds."""

    tries: int
    since: float
    at: float
    """When the last one was asked for."""
    wait: float
    """Seconds from then to its turn."""

    def seen_at(self, now: float) -> "Tried":
        """Return the same as it counts now: nothing that is older than an hour, or of the future."""
        seen = self._replace(since=min(self.since, now), at=min(self.at, now))
        return seen if now < seen.since + WINDOW else Tried(0, now, seen.at, seen.wait)

    def rest(self, now: float) -> float:
        """Return the seconds to the turn of the last try."""
        return max(0.0, self.at + self.wait - now)


def wait(delay: Delay, tried: Tried, now: float) -> float:
    """Return the seconds to the turn of a try that is made now, behind all that were made; 0.0: no wait."""
    apart = delay.after(tried.tries)
    return max(0.0, tried.at + tried.wait + apart - now) if apart else 0.0


def budgets(origin: str) -> dict[str, int]:
    """Return how many tries an hour an address has, and each larger block that it lies in."""
    place = place_of(origin)
    if ":" not in place:
        return {place: TRIES_PER_HOUR}
    larger = ((block_of(origin, ipv6_bits=bits), most) for bits, most in IPV6_BLOCKS.items())
    return {place: TRIES_PER_HOUR} | {block: most for block, most in larger if block is not None}


def network_of(origin: str) -> str:
    """Return the network that is one stranger at an account: an address, in IPv6 its /48."""
    return block_of(origin, ipv6_bits=NETWORK_BITS) or TERMINAL


Key: TypeAlias = tuple[Literal["account", "home", "network", "origin"], int, str]
"""Kind, user (0: any) and place ("": any) of a row."""


class Attempts:
    """The attempts of one BBS; users are given by id, places as the line's origin. Methods may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def turn(self, user: int, origin: str) -> float:
        """Write a try down, and return the seconds after which its password may be looked at. Raise `TriesUsedUp`."""
        with self._store.writing() as users:
            if is_familiar(users, user, place_of(origin)):
                return _turn_at_home(users, user, origin, self._store.clock())
            need_no_disk(users)
            return _turn_of_stranger(users, user, origin, self._store.clock())

    def succeeded(self, user: int, origin: str) -> None:
        """A right password, or another proof: forget the tries that stood in its way, and remember the place.

        What a stranger's address has tried stays counted, but for the one that was right.
        """
        with self._store.writing() as users:
            if not hold_user(users, user):
                return
            now, place = self._store.clock(), place_of(origin)
            account, network = _strangers(user, origin)
            is_charged = False
            if is_familiar(users, user, place):
                _forget(users, ("home", user, place))
            else:
                _forget(users, account)
                is_charged = _forget(users, network)  # not if they came by a key, or are new
            remember_place(users, user, origin, now)
        if is_charged:
            self._give_back(origin)

    def _give_back(self, origin: str) -> None:
        """Take off an address the try that was right; if others keep its row for too long, it stays counted."""
        with suppress(Unavailable), self._store.writing() as users:
            need_no_disk(users)
            for key in sorted(_addresses(origin)):
                users.later(f"UPDATE guess SET tries = tries - 1 WHERE tries > 0 AND {_IS}", key)

    def failed(self, user: int, origin: str) -> None:
        """A wrong password: at home it counts for the address from now on, elsewhere it does so already."""
        now = self._store.clock()
        with self._store.writing() as users:
            if is_familiar(users, user, place_of(origin)):
                counted = _locked(users, _addresses(origin), now)
                _keep(users, {key: tried._replace(tries=tried.tries + 1) for key, tried in counted.items()})
        with self._store.writing() as users:
            _forget_old(users, now)


def _strangers(user: int, origin: str) -> tuple[Key, Key]:
    """Return the keys of all strangers at an account, and of one network of them."""
    return ("account", user, ""), ("network", user, network_of(origin))


def _addresses(origin: str) -> dict[Key, int]:
    """Return the keys under which an address counts, with the tries an hour of each."""
    return {("origin", 0, block): most for block, most in budgets(origin).items()}


def _turn_at_home(users: Connection, user: int, origin: str, now: float) -> float:
    spent = any(_tried(users, key, now).tries >= most for key, most in _addresses(origin).items())
    delay = SIEGE if spent else ACCOUNT
    home: Key = ("home", user, place_of(origin))
    tried = _locked(users, [home], now)[home]
    rest = min(delay.most, wait(delay, tried, now))
    _keep(users, {home: Tried(tried.tries + 1, tried.since, now, rest)})
    return rest


def _turn_of_stranger(users: Connection, user: int, origin: str, now: float) -> float:
    """Strangers share one row of tries at an account; what its user mistypes at home is not counted against them."""
    account, network = _strangers(user, origin)
    addresses = _addresses(origin)
    tried = _locked(users, (account, network, *addresses), now)
    for key, most in addresses.items():
        if tried[key].tries >= most:
            raise TriesUsedUp(tried[key].since + WINDOW - now)
    if (ahead := tried[network].rest(now)) > AHEAD:
        raise TriesUsedUp(ahead - AHEAD)
    waits = {key: wait(ADDRESS if key in addresses else ACCOUNT, one, now) for key, one in tried.items()}
    rest = max(waits.values())
    if rest > LONGEST:
        raise TriesUsedUp(rest - LONGEST)
    waits[account] = waits[network] = rest
    _keep(users, {key: Tried(one.tries + 1, one.since, now, waits[key]) for key, one in tried.items()})
    return rest


_IS: Final = "kind = ? AND user = ? AND place = ?"


def _tried(users: Connection, key: Key, now: float) -> Tried:
    found = users.execute(f"SELECT tries, since, at, wait FROM guess WHERE {_IS}", key).fetchone()
    return Tried(0, now, now, 0.0) if found is None else Tried(*found).seen_at(now)


def _locked(users: Connection, keys: Iterable[Key], now: float) -> dict[Key, Tried]:
    """Return these rows, which nobody else changes until the transaction ends; those that are missing are made."""
    made = {key: Tried(0, now, now, 0.0) for key in keys}
    rows = users.execute(*_written(made, "tries = guess.tries RETURNING kind, user, place, tries, since, at, wait"))
    return {(kind, user, place): Tried(*tried).seen_at(now) for kind, user, place, *tried in rows.fetchall()}


def _keep(users: Connection, tried: Mapping[Key, Tried]) -> None:
    """Write rows that are locked."""
    values = "tries = excluded.tries, since = excluded.since, at = excluded.at, wait = excluded.wait"
    users.later(*_written(tried, values))


def _written(tried: Mapping[Key, Tried], instead: str) -> Statement:
    """Return how to insert rows, or to do something `instead` with those that there are, in the order of their keys."""
    return (
        f"INSERT INTO guess (kind, user, place, tries, since, at, wait) VALUES"
        f" {', '.join(['(?, ?, ?, ?, ?, ?, ?)'] * len(tried))} ON CONFLICT (kind, user, place) DO UPDATE SET {instead}",
        [value for key in sorted(tried) for value in (*key, *tried[key])],
    )


def _forget(users: Connection, key: Key) -> bool:
    """Forget a row; return whether there was one."""
    return users.execute(f"DELETE FROM guess WHERE {_IS}", key).rowcount > 0


def _forget_old(users: Connection, now: float) -> None:
    """Forget rows that have not counted for an hour, in a transaction of their own, in the order of their keys.

    A row that somebody uses at this moment stays.
    """
    old = "at <= ? AND since <= ?"
    query = f"SELECT kind, user, place FROM guess WHERE {old} ORDER BY kind, user, place LIMIT ?{users.for_update}"
    before = now - WINDOW
    for key in users.execute(query, (before - LONGEST, before, FORGOTTEN_AT_ONCE)).fetchall():
        users.execute(f"DELETE FROM guess WHERE {_IS} AND {old}", (*key, before - LONGEST, before))
