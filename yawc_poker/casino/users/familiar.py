"""Where users have logged in from, and what they are told there that somebody else may have done in their name.

Owns the rows of `familiar` and `alert` in `users.sqlite`. A new password, a key of ssh and a login
from a place that is new are each an alert, which the user is told at the next login. Invariants:

* An alert is told at each place once. Whoever has somebody else's password reads it where they call from; its owner
  reads it all the same.
* Alerts of a user are written by a transaction that holds the user's row (`hold_user`), so that their numbers appear in
  order.
* Of each kind a user has the last `KEPT` alerts of the last `KEPT_SECONDS`: many new places do not hide a key.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

import msgspec

from yawc_poker.addresses import block_of
from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.terminal.text import clean

FAMILIAR_PLACES: Final = 10
"""Places remembered for a user; the one not used for longest is forgotten first."""
KEPT: Final = 20
KEPT_SECONDS: Final = 30 * 86400.0
TERMINAL: Final = "terminal"
"""The one place of all terminals of unknown address."""
_ORIGIN_LENGTH: Final = 64

AlertKind = Literal["password", "key", "place"]


class Alert(msgspec.Struct, frozen=True):
    """What somebody did who could open the account."""

    id: int
    kind: AlertKind
    """`password`: a new one was chosen; `key`: a key was tied; `place`: a login from where there had been none."""
    origin: str
    detail: str
    """The fingerprint of a key."""
    at: float
    """Epoch seconds."""


def place_of(origin: str) -> str:
    """Return the place that a caller's origin counts for.

    An address is a place, in IPv6 its /64 (one household). Terminals of unknown address are one place.
    """
    return block_of(origin) or TERMINAL


def hold_user(users: Connection, user: int) -> bool:
    """Keep a user's row as it is until the transaction ends; return whether the account is there and open."""
    query = f"SELECT 1 FROM user WHERE id = ? AND closed IS NULL{users.for_update}"
    return users.execute(query, (user,)).fetchone() is not None


def is_familiar(users: Connection, user: int, place: str) -> bool:
    """Return whether a user has logged in from a place before."""
    return users.execute("SELECT 1 FROM familiar WHERE user = ? AND place = ?", (user, place)).fetchone() is not None


def remember_place(users: Connection, user: int, origin: str, now: float) -> None:
    """Remember that a user logged in from there. A place that is new is an alert, but for the very first login."""
    place = place_of(origin)
    if not is_familiar(users, user, place):
        (came,) = users.execute("SELECT last_login FROM user WHERE id = ?", (user,)).fetchone()
        if came is not None:
            write_alert(users, user, "place", origin, now)
    users.later(
        "INSERT INTO familiar (user, place, last) VALUES (?, ?, ?)"
        " ON CONFLICT (user, place) DO UPDATE SET last = excluded.last",
        (user, place, now),
    )
    users.later(
        "DELETE FROM familiar WHERE user = ? AND place NOT IN"
        " (SELECT place FROM familiar WHERE user = ? ORDER BY last DESC, place LIMIT ?)",
        (user, user, FAMILIAR_PLACES),
    )


def forget_places(users: Connection, user: int, but: str = "") -> None:
    """Forget where a user has logged in from, but for one place: somebody else may have done so."""
    users.execute("DELETE FROM familiar WHERE user = ? AND place <> ?", (user, but))


def write_alert(users: Connection, user: int, kind: AlertKind, origin: str, now: float, detail: str = "") -> None:
    """Write an alert down, in a transaction that holds the user's row."""
    row = (user, kind, clean(origin, _ORIGIN_LENGTH), detail, now)
    users.execute("INSERT INTO alert (user, kind, origin, detail, at) VALUES (?, ?, ?, ?, ?)", row)
    users.execute(
        "DELETE FROM alert WHERE user = :user AND (at <= :old OR kind = :kind AND id NOT IN"
        " (SELECT id FROM alert WHERE user = :user AND kind = :kind ORDER BY id DESC LIMIT :kept))",
        {"user": user, "kind": kind, "old": now - KEPT_SECONDS, "kept": KEPT},
    )


@contextmanager
def telling_alerts(store: Store, user: int, origin: str, last_login: float) -> Iterator[list[Alert]]:
    """Yield what was not told yet to a user who logs in there, oldest first.

    It counts as told once the block was left without an error. Where the user is new, earlier places are left out
    that they have called from since; `last_login` is when they did so last.
    """
    place = place_of(origin)
    with store.reading() as users:
        found = users.execute("SELECT told FROM familiar WHERE user = ? AND place = ?", (user, place)).fetchone()
        told = None if found is None or found[0] is None else int(found[0])
        query = "SELECT id, kind, origin, detail, at FROM alert WHERE user = ? AND id > ? ORDER BY id"
        alerts = [Alert(*row) for row in users.execute(query, (user, told or 0))]
    earliest = last_login if told is None else 0.0
    yield [one for one in alerts if one.kind != "place" or (place_of(one.origin) != place and one.at > earliest)]
    if alerts or told is None:
        with store.writing() as users:
            number = alerts[-1].id if alerts else 0
            users.execute("UPDATE familiar SET told = ? WHERE user = ? AND place = ?", (number, user, place))
