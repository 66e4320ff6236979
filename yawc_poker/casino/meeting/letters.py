"""Letters: a few lines from one user to another, kept until they are read, whenever that is.

Owns the rows of `letter` in `users.sqlite`; never wakes a session. Texts are made harmless when they are stored. A box
holds `MOST` letters. What was read stays until its reader deletes it, or until a new letter needs the room: then the
one goes that was read first. What nobody has read yet is never dropped.
"""

import msgspec

from yawc_poker.casino.meeting.ignored import is_ignored
from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import Turn, take_turn
from yawc_poker.terminal.text import clean

LINES = 10
LINE_LENGTH = 70
MOST = 100
"""Letters in one box, read ones among them."""
MOST_FROM_ONE = 20
"""Unread letters of one sender in one box."""


class BoxFull(Exception):
    """The box takes no more letters until its owner reads some; `by_one`: none of this sender. Nothing was kept."""

    def __init__(self, *, by_one: bool) -> None:
        super().__init__(by_one)
        self.by_one = by_one


class Letter(msgspec.Struct, frozen=True):
    """A letter; times are epoch seconds, `read` None: not yet. The text may have several lines."""

    id: int
    from_id: int
    from_name: str
    text: str
    sent: float
    read: float | None


class Letters:
    """The letters of all users; users are given by id. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._clock = store.clock

    def send(self, sender: int, to: int, text: str) -> bool:
        """Keep a letter, cut to ten lines of 70 characters; return False if its reader ignores the sender.

        Then it was not kept, which the sender is not told. Raise `BoxFull`, `ValueError` for an empty one.
        """
        text = harmless_lines(text)
        if not text:
            raise ValueError("an empty letter")
        with self._store.writing() as users:
            take_turn(users, Turn.LETTERS, to)
            oldest = _room(users, sender, to)
            if is_ignored(users, to, sender):
                return False
            if oldest is not None:
                users.execute("DELETE FROM letter WHERE id = ?", (oldest,))
            row = (sender, to, text, self._clock())
            users.execute("INSERT INTO letter (from_id, to_id, text, sent) VALUES (?, ?, ?, ?)", row)
            return True

    def count_new(self, user: int) -> int:
        """Count the letters that a user has not read."""
        with self._store.reading() as users:
            return new_letters(users, user)

    def count(self, user: int) -> int:
        """Count all letters in a user's box."""
        with self._store.reading() as users:
            return int(users.execute("SELECT count(*) FROM letter WHERE to_id = ?", (user,)).fetchone()[0])

    def box(self, user: int, limit: int, skipped: int = 0) -> list[Letter]:
        """Return the letters to a user, the newest first: `limit` of them behind those that are skipped."""
        query = (
            "SELECT letter.id, from_id, name, text, sent, read FROM letter JOIN user ON user.id = from_id"
            " WHERE to_id = ? ORDER BY letter.id DESC LIMIT ? OFFSET ?"
        )
        with self._store.reading() as users:
            return [Letter(*row) for row in users.execute(query, (user, limit, skipped))]

    def mark_read(self, user: int, letter: int) -> None:
        """Note that a user has read a letter of theirs."""
        row = (self._clock(), letter, user)
        with self._store.writing() as users:
            users.execute("UPDATE letter SET read = ? WHERE id = ? AND to_id = ? AND read IS NULL", row)

    def delete(self, user: int, letter: int) -> None:
        """Remove a letter to this user."""
        with self._store.writing() as users:
            users.execute("DELETE FROM letter WHERE id = ? AND to_id = ?", (letter, user))


def harmless_lines(text: str) -> str:
    """Return a letter's text as it is kept: clean lines, not too many, none of them empty at its end."""
    lines = [clean(line, LINE_LENGTH).rstrip() for line in text.split("\n")[:LINES]]
    return "\n".join(lines).strip()


def new_letters(users: Connection, user: int) -> int:
    """Count the letters that a user has not read, in a transaction that was begun."""
    found = users.execute("SELECT count(*) FROM letter WHERE to_id = ? AND read IS NULL", (user,)).fetchone()
    return int(found[0])


def _room(users: Connection, sender: int, to: int) -> int | None:
    """Return which letter has to go for one more; None: there is room. Raise `BoxFull`."""
    unread = "SELECT count(*) FROM letter WHERE to_id = ? AND from_id = ? AND read IS NULL"
    if users.execute(unread, (to, sender)).fetchone()[0] >= MOST_FROM_ONE:
        raise BoxFull(by_one=True)
    if users.execute("SELECT count(*) FROM letter WHERE to_id = ?", (to,)).fetchone()[0] < MOST:
        return None
    read = "SELECT id FROM letter WHERE to_id = ? AND read IS NOT NULL ORDER BY read, id LIMIT 1"
    found = users.execute(read, (to,)).fetchone()
    if found is None:
        raise BoxFull(by_one=False)
    return int(found[0])
