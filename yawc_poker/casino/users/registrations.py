"""Registrations: how many accounts may be made from one network, and how fast.

Owns the rows of `registration` in `users.sqlite` and the networks' sizes. Never waits. Invariants:

* A registration is written down in the transaction that gives it its turn, before the account is made: the limit holds
  for all connections together.
* Turns of a network lie one behind the other, however many wait. Who would wait longer than `LONGEST` is refused, and
  nothing is written.
* Rows older than an hour are forgotten; a row of the future, after the clock was set back, counts as one of now.
"""

from typing import NamedTuple

from yawc_poker.addresses import block_of
from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import Turn, rows_nobody_holds, take_turn
from yawc_poker.casino.users.login_attempts import LONGEST, WINDOW, Delay, Tried, wait

IPV4_BITS, IPV6_BITS = 24, 48
"""The smallest blocks that are routed on their own: all addresses of one may well belong to one person."""
FIRST, MOST = 1.0, 60.0
"""Seconds of the first delay, and of the longest."""


class TooMany(Exception):
    """A network has made all the accounts it may for now; it may go on after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:g} s")
        self.seconds = seconds


class Leave(NamedTuple):
    """Leave to register."""

    number: int
    """Of its row; 0: there is no limit, and none was written."""
    wait: float
    """Seconds until the account may be made."""


def network_of(origin: str) -> str:
    """Return the network that a caller's origin counts for; terminals of unknown address are one network."""
    return block_of(origin, IPV4_BITS, IPV6_BITS) or "terminal"


def delay(limit: int) -> Delay:
    """Return how registrations of a network are delayed: a quarter of its accounts in an hour is free."""
    return Delay(free=max(1, limit // 4), first=FIRST, most=MOST)


class Registrations:
    """The registrations of one BBS; networks are given as the line's origin. Methods may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def check(self, origin: str, limit: int) -> None:
        """Raise `TooMany` if a network may make no account now; 0: there is no limit."""
        if limit:
            with self._store.reading() as users:
                _recent(users, network_of(origin), limit, self._store.clock())

    def turn(self, origin: str, limit: int) -> Leave:
        """Write a registration down and return its turn. Raise `TooMany`."""
        if not limit:
            return Leave(0, 0.0)
        network = network_of(origin)
        with self._store.writing() as users:
            take_turn(users, Turn.REGISTRATIONS, network)
            now = self._store.clock()
            old = rows_nobody_holds(users, "registration", "at <= ?")
            users.execute(f"DELETE FROM registration WHERE {old}", (now - WINDOW,))
            ahead = rows_nobody_holds(users, "registration", "at > :now")
            users.execute(f"UPDATE registration SET at = :now WHERE {ahead}", {"now": now})
            rest = wait(delay(limit), _recent(users, network, limit, now), now)
            if rest > LONGEST:
                raise TooMany(rest - LONGEST)
            insert = "INSERT INTO registration (network, at, wait) VALUES (?, ?, ?) RETURNING id"
            return Leave(int(users.execute(insert, (network, now, rest)).fetchone()[0]), rest)

    def take_back(self, turn: Leave) -> None:
        """Forget a registration that came to nothing."""
        with self._store.writing() as users:
            users.execute("DELETE FROM registration WHERE id = ?", (turn.number,))


def _recent(users: Connection, network: str, limit: int, now: float) -> Tried:
    """Return the registrations of the last hour. Raise `TooMany`."""
    query = "SELECT at, wait FROM registration WHERE network = ? AND at > ? ORDER BY at"
    found = [(min(at, now), rest) for at, rest in users.execute(query, (network, now - WINDOW))]
    if len(found) >= limit:
        raise TooMany(max(0.0, found[-limit][0] + WINDOW - now))
    return Tried(len(found), now, *max(found, key=sum, default=(now, 0.0)))
