"""X-messages: a line from one user to another, kept until it is read, and for a while after that.

Owns the rows of `message` in `users.sqlite` (`accounts` owns the file); never wakes a session. Texts are made harmless
when they are stored, so they need no care when they are shown.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import Turn, take_turn
from yawc_poker.terminal.text import clean

TEXT_LENGTH = 400
MOST_UNREAD = 200
"""Unread messages one user may have waiting."""
KEPT_SECONDS = 30 * 86400.0
KEPT = 100
"""The most read messages that stay of a user, and the longest time; for a sysop who has to judge a complaint."""
FORGOTTEN_AT_ONCE = 200
"""Old messages, of all users, that one reader removes at most: a database of years is cleared little by little."""


class BoxFull(Exception):
    """The receiver has too many unread messages; nothing was sent."""


class Message(msgspec.Struct, frozen=True):
    """A message; `sent` is in epoch seconds."""

    id: int
    from_id: int
    from_name: str
    text: str
    sent: float


class Messages:
    """The messages of all users; users are given by id. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._clock = store.clock

    def send(self, from_id: int, from_name: str, to_id: int, text: str) -> int:
        """Store a message, cut to 400 characters; return its number. Raise `BoxFull`, `ValueError` for an empty one.

        The sender's name is kept as it is now.
        """
        text = clean(text, TEXT_LENGTH).strip()
        if not text:
            raise ValueError("an empty message")
        row = (from_id, from_name, to_id, text, self._clock())
        insert = "INSERT INTO message (from_id, from_name, to_id, text, sent) VALUES (?, ?, ?, ?, ?) RETURNING id"
        with self._store.writing() as users:
            take_turn(users, Turn.MESSAGES, to_id)  # no message appears behind a later one, which may be read already
            if _count(users, to_id) >= MOST_UNREAD:
                raise BoxFull(to_id)
            return int(users.execute(insert, row).fetchone()[0])

    def count_unread(self, user: int) -> int:
        """Count the unread messages of a user."""
        with self._store.reading() as users:
            return _count(users, user)

    def unread(self, user: int) -> list[Message]:
        """Return the unread messages of a user, oldest first; they stay unread."""
        with self._store.reading() as users:
            return _unread(users, user)

    def mark_read(self, user: int, up_to: int) -> None:
        """Mark a user's messages up to this number as read, and remove those that were read long ago."""
        with self._store.writing() as users:
            now = self._clock()
            _mark(users, user, up_to, now)
            _forget(users, user, now)

    @contextmanager
    def taking(self, user: int) -> Iterator[list[Message]]:
        """Yield the unread messages of a user, oldest first; they count as read when the block ends without an error.

        A process that is killed while it shows them may show them twice, but none is ever lost.
        """
        waiting = self.unread(user)
        yield waiting
        if waiting:
            self.mark_read(user, waiting[-1].id)


def _count(users: Connection, user: int) -> int:
    return int(users.execute("SELECT count(*) FROM message WHERE to_id = ? AND read IS NULL", (user,)).fetchone()[0])


def _unread(users: Connection, user: int) -> list[Message]:
    query = "SELECT id, from_id, from_name, text, sent FROM message WHERE to_id = ? AND read IS NULL ORDER BY id"
    return [Message(*row) for row in users.execute(query, (user,))]


def _mark(users: Connection, user: int, up_to: int, now: float) -> None:
    users.execute("UPDATE message SET read = ? WHERE to_id = ? AND id <= ? AND read IS NULL", (now, user, up_to))


def _forget(users: Connection, user: int, now: float) -> None:
    """Those who forget at the same moment lock the old messages in one order, so that nobody waits in a circle."""
    old = f"SELECT id FROM message WHERE read <= ? ORDER BY read, id LIMIT ?{users.for_update}"
    users.execute(f"DELETE FROM message WHERE id IN ({old})", (now - KEPT_SECONDS, FORGOTTEN_AT_ONCE))
    read = "to_id = :user AND read IS NOT NULL"
    first = f"SELECT id FROM message WHERE {read} ORDER BY id DESC LIMIT 1 OFFSET :kept"  # none: there are not so many
    users.execute(f"DELETE FROM message WHERE {read} AND id <= ({first})", {"user": user, "kept": KEPT})
