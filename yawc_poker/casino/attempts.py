"""Attempts at passwords: how long who tries has to wait.

Owns the rows of `attempt` and `familiar` in `users.sqlite` (layout: `rolls`) and the delays. Never waits, never sees a
password. Invariants:

* A try is written down *before* the password is looked at, in the transaction that admits it. So the delays hold for
  all connections together, however many are open at once, and for who hangs up before he is told.
* Where a user has logged in before (`familiar`) only the tries from there at this very account count: no stranger can
  keep him out, nor can a neighbour behind the same address.
* What is older than an hour is forgotten.
"""

import ipaddress
from collections.abc import Sequence
from sqlite3 import Connection

import msgspec

from yawc_poker.casino.accounts import Accounts

WINDOW = 3600.0
"""Seconds for which a try counts."""
FAMILIAR_PLACES = 10
"""Places remembered for a user; the one not used for longest is forgotten first."""


class Delay(msgspec.Struct, frozen=True):
    """A growing delay: `free` tries cost nothing, then `first` seconds, each time doubled, up to `most`."""

    free: int
    first: float
    most: float

    def after(self, tries: int) -> float:
        """Give the seconds that lie between the last of so many tries and the next one."""
        return 0.0 if tries < self.free else min(self.most, self.first * 2.0 ** min(tries - self.free, 60))


ACCOUNT = Delay(free=2, first=1.0, most=60.0)
ADDRESS = Delay(free=10, first=0.5, most=8.0)
"""Gentler: behind one address may live many, and most of them mistype now and then."""


def wait(delay: Delay, tries: Sequence[float], now: float) -> float:
    """Give the seconds still to wait after tries at these times; 0.0: none.

    Never more than the delay itself, whatever the clock was set to in between.
    """
    rest = delay.after(len(tries))
    return min(rest, max(0.0, max(tries, default=0.0) + rest - now)) if rest else 0.0


def place_of(peer: str) -> str:
    """Say which place an address counts for: itself, its /64 in IPv6 (one household), one for all terminals."""
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return "terminal"
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.IPv6Network((address, 64), strict=False))


class Attempts:
    """The attempts of one BBS; users are given by id, places as the line's peer. Methods may raise `StoreError`."""

    def __init__(self, accounts: Accounts) -> None:
        self._store = accounts.store
        self._clock = accounts.clock

    def admit(self, user: int, peer: str) -> float:
        """Ask to look at a password: 0.0, and the try is written down; or the seconds to wait before asking again."""
        place = place_of(peer)
        with self._store.writing() as users:
            now = self._clock()
            users.execute("DELETE FROM attempt WHERE at <= ? OR at > ?", (now - WINDOW, now + WINDOW))
            familiar = users.execute("SELECT 1 FROM familiar WHERE user = ? AND place = ?", (user, place)).fetchone()
            rest = _rest_at_home(users, user, place, now) if familiar else _rest(users, user, place, now)
            if rest <= 0:
                row = (user, place, int(bool(familiar)), now)
                users.execute("INSERT INTO attempt (user, place, familiar, at) VALUES (?, ?, ?, ?)", row)
            return rest

    def succeeded(self, user: int, peer: str) -> None:
        """A right password: forget the tries that stood in its way, and remember the place."""
        place = place_of(peer)
        with self._store.writing() as users:
            known = users.execute("SELECT 1 FROM familiar WHERE user = ? AND place = ?", (user, place)).fetchone()
            here = "place = ?" if known else "(place = ? OR familiar = 0)"
            users.execute(f"DELETE FROM attempt WHERE user = ? AND {here}", (user, place))
            users.execute("INSERT OR REPLACE INTO familiar VALUES (?, ?, ?)", (user, place, self._clock()))
            users.execute(
                "DELETE FROM familiar WHERE user = ?1 AND place NOT IN"
                " (SELECT place FROM familiar WHERE user = ?1 ORDER BY last DESC LIMIT ?2)",
                (user, FAMILIAR_PLACES),
            )


def _rest_at_home(users: Connection, user: int, place: str, now: float) -> float:
    mine = _times(users, "user = ? AND place = ?", user, place)
    return wait(ACCOUNT, mine, now)


def _rest(users: Connection, user: int, place: str, now: float) -> float:
    """Strangers share one row of tries at an account; what its user mistypes at home is not counted against them."""
    at_account = wait(ACCOUNT, _times(users, "user = ? AND familiar = 0", user), now)
    return max(at_account, wait(ADDRESS, _times(users, "place = ?", place), now))


def _times(users: Connection, condition: str, *values: int | str) -> list[float]:
    return [float(at) for (at,) in users.execute(f"SELECT at FROM attempt WHERE {condition}", values)]
