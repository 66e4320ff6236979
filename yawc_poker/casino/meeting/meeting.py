"""All that lets callers meet: the three stores, what a caller finds who logs in, and how a user is forgotten.

Owns no row of its own.
"""

from collections.abc import Callable
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.meeting.ignored import IgnoreLists, ignored_by
from yawc_poker.casino.meeting.mail import Letters, new_letters
from yawc_poker.casino.meeting.wall import Wall, WallLine, lines_of
from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import Turn, take_turn


class Arrival(NamedTuple):
    """What a user finds who logs in."""

    ignored: dict[int, str]
    """Whom the user ignores, by id with their names."""
    letters: int
    """How many letters are new."""
    wall: tuple[WallLine, ...]
    """What stands on the wall, the oldest line first."""


class Meeting:
    """The stores of one BBS."""

    def __init__(self, store: Store) -> None:
        self.ignored = IgnoreLists(store)
        self.letters = Letters(store)
        self.wall = Wall(store)
        self._store = store

    def arrive(self, user: int) -> Arrival:
        """Return what a user finds who logs in. Raise `StoreError`."""
        with self._store.reading() as users:
            return Arrival(ignored_by(users, user), new_letters(users, user), tuple(lines_of(users)))


class Forgetting(NamedTuple):
    """How an extra forgets a user (the place `forgetting`)."""

    forget: Callable[[Connection, int], None]
    """Remove all that it has of a user, in the transaction that closes the account."""


def forget(users: Connection, user: int) -> None:
    """Remove all that a user has left here, in the transaction that closes the account."""
    for one in announced("forgetting", Forgetting):
        one.forget(users, user)
    take_turn(users, Turn.WALL)
    users.execute("DELETE FROM ignored WHERE user = :it OR whom = :it", {"it": user})
    users.execute("DELETE FROM letter WHERE from_id = :it OR to_id = :it", {"it": user})
    users.execute("DELETE FROM wall WHERE user = ?", (user,))
