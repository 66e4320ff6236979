"""The wall: the last lines that users wrote for everybody.

Owns the rows of `wall` in `users.sqlite`. Texts are made harmless when they are stored. Twenty lines stay, five of one
user at most: a sixth takes the place of the writer's own oldest, so nobody can wipe the wall by writing.
"""

import msgspec

from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import Turn, take_turn
from yawc_poker.terminal.text import clean

MOST = 20
MOST_OF_ONE = 5
TEXT_LENGTH = 60


class WallLine(msgspec.Struct, frozen=True):
    """A line on the wall; `at` is in epoch seconds."""

    id: int
    user: int
    name: str
    text: str
    at: float


class Wall:
    """The wall of one BBS; users are given by id. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, user: int, text: str) -> None:
        """Write a line, cut to 60 characters; raise `ValueError` for an empty one."""
        text = clean(text, TEXT_LENGTH).strip()
        if not text:
            raise ValueError("an empty line")
        own = "SELECT id FROM wall WHERE user = :user ORDER BY id DESC LIMIT 1 OFFSET :most"
        old = "SELECT id FROM wall ORDER BY id DESC LIMIT 1 OFFSET ?"
        with self._store.writing() as users:
            take_turn(users, Turn.WALL)
            users.execute("INSERT INTO wall (user, text, at) VALUES (?, ?, ?)", (user, text, self._store.clock()))
            users.execute(f"DELETE FROM wall WHERE user = :user AND id <= ({own})", {"user": user, "most": MOST_OF_ONE})
            users.execute(f"DELETE FROM wall WHERE id <= ({old})", (MOST,))

    def lines(self) -> list[WallLine]:
        """Return what stands on the wall, the oldest first."""
        with self._store.reading() as users:
            return lines_of(users)

    def remove(self, line: int, by: int | None = None) -> bool:
        """Take a line off the wall, if `by` has written it (None: whoever has); return whether it was there."""
        with self._store.writing() as users:
            if by is None:
                return remove_line(users, line)
            return users.execute("DELETE FROM wall WHERE id = ? AND user = ?", (line, by)).rowcount > 0


def remove_line(users: Connection, line: int) -> bool:
    """Take a line off the wall, in a transaction that was begun; return whether it was there."""
    return users.execute("DELETE FROM wall WHERE id = ?", (line,)).rowcount > 0


def lines_of(users: Connection) -> list[WallLine]:
    """Return what stands on the wall, the oldest first, in a transaction that was begun."""
    query = "SELECT wall.id, wall.user, name, text, at FROM wall JOIN user ON user.id = wall.user ORDER BY wall.id"
    return [WallLine(*row) for row in users.execute(query)]
