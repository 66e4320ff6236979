"""What users write to each other: X-messages, a line each, and letters, a few lines each.

Owns the rows of `message` and `letter` in `users.sqlite`; never wakes a session. Texts are made harmless when they are
stored, so they need no care when they are shown. Both are kept until they are read. An X-message stays for a while
after that. A letter stays until its reader deletes it, or until a new one needs the room: a box holds `MOST_LETTERS`,
and the one goes that was read first. What nobody has read yet is never dropped.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from yawc_poker.casino.meeting.ignored import is_ignored
from yawc_poker.casino.store.connection import Connection, Store, read_row, read_rows
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
LINES = 10
LINE_LENGTH = 70
MOST_LETTERS = 100
"""Letters in one box, read ones among them."""
MOST_FROM_ONE = 20
"""Unread letters of one sender in one box."""


class BoxFull(Exception):
    """The reader has too much that is unread, `by_one`: of this sender. Nothing was kept."""

    def __init__(self, *, by_one: bool = False) -> None:
        super().__init__(by_one)
        self.by_one = by_one


# --- X-messages -------------------------------------------------------------------------------------------------------


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

    def send(self, from_id: int, from_name: str, to_id: int, text: str) -> int:
        """Store a message, cut to 400 characters; return its number. Raise `BoxFull`, `ValueError` for an empty one.

        The sender's name is kept as it is now.
        """
        text = clean(text, TEXT_LENGTH).strip()
        if not text:
            raise ValueError("an empty message")
        row = (from_id, from_name, to_id, text, self._store.clock())
        insert = "INSERT INTO message (from_id, from_name, to_id, text, sent) VALUES (?, ?, ?, ?, ?) RETURNING id"
        with self._store.writing() as users:
            take_turn(users, Turn.MESSAGES, to_id)  # no message appears behind a later one, which may be read already
            if _unread_of(users, to_id) >= MOST_UNREAD:
                raise BoxFull
            return int(users.execute(insert, row).fetchone()[0])

    def count_unread(self, user: int) -> int:
        """Count the unread messages of a user."""
        with self._store.reading() as users:
            return _unread_of(users, user)

    def unread(self, user: int) -> list[Message]:
        """Return the unread messages of a user, oldest first; they stay unread."""
        with self._store.reading() as users:
            return _unread(users, user)

    def mark_read(self, user: int, up_to: int) -> None:
        """Mark a user's messages up to this number as read, and remove those that were read long ago."""
        with self._store.writing() as users:
            now = self._store.clock()
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


def _unread_of(users: Connection, user: int) -> int:
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


# --- letters ----------------------------------------------------------------------------------------------------------


class Letter(msgspec.Struct, frozen=True):
    """A letter; times are epoch seconds, `read` None: not yet. The text may have several lines.

    One that the BBS has written is from its reader, who cannot write to themselves, and `from_name` is empty.
    """

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
            row = (sender, to, text, self._store.clock())
            users.execute("INSERT INTO letter (from_id, to_id, text, sent) VALUES (?, ?, ?, ?)", row)
            return True

    def leave(self, to: int, text: str) -> None:
        """Keep a letter of the BBS's own, instead of one with the same first line; a full box is left as it is.

        The same text again changes nothing.
        """
        text = harmless_lines(text)
        first = text.partition("\n")[0] + "\n"
        with self._store.writing() as users:
            take_turn(users, Turn.LETTERS, to)
            query = "SELECT id, text FROM letter WHERE to_id = ? AND from_id = to_id"
            before = [(int(number), str(old)) for number, old in users.execute(query, (to,))]
            if any(old == text for _, old in before):
                return
            replaced = [(number,) for number, old in before if f"{old}\n".startswith(first)]
            users.executemany("DELETE FROM letter WHERE id = ?", replaced)
            try:
                oldest = _room(users, to, to)
            except BoxFull:
                return
            if oldest is not None:
                users.execute("DELETE FROM letter WHERE id = ?", (oldest,))
            row = (to, to, text, self._store.clock())
            users.execute("INSERT INTO letter (from_id, to_id, text, sent) VALUES (?, ?, ?, ?)", row)

    def count_new(self, user: int) -> int:
        """Count the letters that a user has not read."""
        with self._store.reading() as users:
            return new_letters(users, user)

    def count(self, user: int) -> int:
        """Count all letters in a user's box."""
        return int(read_row(self._store, "SELECT count(*) FROM letter WHERE to_id = ?", (user,))[0])

    def box(self, user: int, limit: int, skipped: int = 0) -> list[Letter]:
        """Return the letters to a user, the newest first: `limit` of them behind those that are skipped."""
        query = (
            "SELECT letter.id, from_id, CASE WHEN from_id = to_id THEN '' ELSE name END, text, sent, read"
            " FROM letter JOIN user ON user.id = from_id"
            " WHERE to_id = ? ORDER BY letter.id DESC LIMIT ? OFFSET ?"
        )
        return [Letter(*row) for row in read_rows(self._store, query, (user, limit, skipped))]

    def mark_read(self, user: int, letter: int) -> None:
        """Note that a user has read a letter of theirs."""
        row = (self._store.clock(), letter, user)
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
    """Return which letter has to go for one more, or None if there is room. Raise `BoxFull`."""
    unread = "SELECT count(*) FROM letter WHERE to_id = ? AND from_id = ? AND read IS NULL"
    if users.execute(unread, (to, sender)).fetchone()[0] >= MOST_FROM_ONE:
        raise BoxFull(by_one=True)
    if users.execute("SELECT count(*) FROM letter WHERE to_id = ?", (to,)).fetchone()[0] < MOST_LETTERS:
        return None
    read = "SELECT id FROM letter WHERE to_id = ? AND read IS NOT NULL ORDER BY read, id LIMIT 1"
    found = users.execute(read, (to,)).fetchone()
    if found is None:
        raise BoxFull(by_one=False)
    return int(found[0])
