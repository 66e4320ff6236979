"""Attempts at passwords, and the delays before them.

Owns the rows of `attempt` and `familiar` in `users.sqlite` (layout: `schema`) and the delays. Never waits, never sees a
password. Invariants:

* A try is written down *before* the password is looked at, in the transaction that gives it its turn. So the delays
  hold for all connections together, however many are open at once, and for callers who hang up before they are told.
* A turn that was given stays: no later try pushes it back, and none is further away than the delay's `most`. So a
  guesser with many connections makes a neighbour wait once and for a minute, however long the guessing goes on; it
  brings the guesser one try a minute for each connection.
* If a user has logged in from a place before (`familiar`), only the tries from there at this very account count: no
  stranger can keep that user out, nor can a neighbour behind the same address who guesses at other accounts.
* Tries older than an hour are forgotten. The clock may be set back: a try of the future counts as one of now.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from yawc_poker.addresses import block_of
from yawc_poker.casino.database.connection import Connection
from yawc_poker.casino.database.turns import Turn, need_no_disk, rows_nobody_holds, take_turn
from yawc_poker.casino.users.accounts import Accounts

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
        """Return the seconds between the last of `tries` tries and the next one."""
        return 0.0 if tries < self.free else min(self.most, self.first * 2.0 ** min(tries - self.free, 60))


ACCOUNT = Delay(free=2, first=1.0, most=60.0)
ADDRESS = Delay(free=10, first=0.5, most=8.0)
"""Gentler: many users may share an address, and most of them mistype now and then."""


class Try(NamedTuple):
    """A try that was written down."""

    at: float
    """When it was asked for, epoch seconds."""
    wait: float
    """Seconds from then to its turn."""


def wait(delay: Delay, tries: Sequence[Try], now: float) -> float:
    """Return the seconds to the turn of a try that is made now, after these tries; 0.0: no wait.

    Turns lie one delay apart, but none is further away than `delay.most`, whatever the clock was set to in between.
    """
    apart = delay.after(len(tries))
    if not apart:
        return 0.0
    last = max((min(one.at, now) + one.wait for one in tries), default=0.0)
    return min(delay.most, max(0.0, last + apart - now))


def place_of(origin: str) -> str:
    """Return the place that a caller's origin counts for.

    An address is a place, in IPv6 its /64 (one household). Terminals of unknown address are one place.
    """
    return block_of(origin) or "terminal"


class Attempts:
    """The attempts of one BBS; users are given by id, places as the line's origin. Methods may raise `StoreError`."""

    def __init__(self, accounts: Accounts) -> None:
        self._store = accounts.store
        self._clock = accounts.clock

    def turn(self, user: int, origin: str) -> float:
        """Write a try down, and return the seconds after which its password may be looked at."""
        place = place_of(origin)
        with self._store.writing() as users:
            take_turn(users, Turn.ATTEMPTS, user)
            familiar = users.execute("SELECT 1 FROM familiar WHERE user = ? AND place = ?", (user, place)).fetchone()
            if not familiar:
                need_no_disk(users)
                take_turn(users, Turn.STRANGERS, place)
            now = self._clock()
            old = rows_nobody_holds(users, "attempt", "at <= ?")
            users.later(f"DELETE FROM attempt WHERE {old}", (now - WINDOW,))
            ahead = rows_nobody_holds(users, "attempt", "at > ?")
            users.later(f"UPDATE attempt SET at = ? WHERE {ahead}", (now, now))
            rest = _rest_at_home(users, user, place, now) if familiar else _rest(users, user, place, now)
            row = (user, place, int(bool(familiar)), now, rest)
            users.later("INSERT INTO attempt (user, place, familiar, at, wait) VALUES (?, ?, ?, ?, ?)", row)
            return rest

    def succeeded(self, user: int, origin: str) -> None:
        """A right password: forget the tries that stood in its way, and remember the place."""
        place = place_of(origin)
        with self._store.writing() as users:
            take_turn(users, Turn.ATTEMPTS, user)
            known = users.execute("SELECT 1 FROM familiar WHERE user = ? AND place = ?", (user, place)).fetchone()
            here = "place = ?" if known else "(place = ? OR familiar = 0)"
            users.later(f"DELETE FROM attempt WHERE user = ? AND {here}", (user, place))
            users.later(
                "INSERT INTO familiar (user, place, last) VALUES (?, ?, ?)"
                " ON CONFLICT (user, place) DO UPDATE SET last = excluded.last",
                (user, place, self._clock()),
            )
            users.later(
                "DELETE FROM familiar WHERE user = ? AND place NOT IN"
                " (SELECT place FROM familiar WHERE user = ? ORDER BY last DESC, place LIMIT ?)",
                (user, user, FAMILIAR_PLACES),
            )


def _rest_at_home(users: Connection, user: int, place: str, now: float) -> float:
    mine = _tries(users, "user = ? AND place = ?", user, place)
    return wait(ACCOUNT, mine, now)


def _rest(users: Connection, user: int, place: str, now: float) -> float:
    """Strangers share one row of tries at an account; what its user mistypes at home is not counted against them."""
    at_account = wait(ACCOUNT, _tries(users, "user = ? AND familiar = 0", user), now)
    return max(at_account, wait(ADDRESS, _tries(users, "place = ?", place), now))


def _tries(users: Connection, condition: str, *values: int | str) -> list[Try]:
    return [Try(*row) for row in users.execute(f"SELECT at, wait FROM attempt WHERE {condition}", values)]
