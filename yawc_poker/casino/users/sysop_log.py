"""The log of sysop actions: who did what to whom, and why. Kept for good; warnings are counted from it.

Owns the rows of `act` in `users.sqlite`. Never carries an action out (`moderation.actions`), never
wakes a session. Texts are made harmless when they are written. An action that moves CUBES is *pending* until the ledger
has moved them: nobody is told of it before, and a process that finds it repeats the movement
(`moderation.actions.finish_pending`).
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import msgspec

from yawc_poker.casino.store.connection import Connection, Store, read_row, read_rows
from yawc_poker.terminal.text import clean

REASON_LENGTH = 200
BY_LENGTH = 60


class SysopAction(msgspec.Struct, frozen=True):
    """One sysop action; times are epoch seconds."""

    id: int
    kind: str
    """One of `casino.moderation.actions.KINDS`."""
    user: int | None
    """The user it was done to, or None if it was done to an address or to everybody."""
    target: str
    """The user's name, the address, or empty."""
    until: float | None
    """For an action that ends by itself; infinite: never."""
    cubes: int | None
    reason: str
    """Why; of `say`: the text."""
    by: str
    """The sysop's name."""
    at: float


_COLUMNS = ", ".join(SysopAction.__struct_fields__)
_WRITTEN = ", ".join(SysopAction.__struct_fields__[1:])
"""All but the number, which the database gives: in the order in which actions appear (`store.users`)."""


class SysopLog:
    """The sysop actions of one BBS. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def newest(self) -> int:
        """Return the number of the newest action; 0 if there is none."""
        return int(read_row(self._store, "SELECT coalesce(max(id), 0) FROM act")[0])

    def by_id(self, number: int) -> SysopAction | None:
        """Return an action, or None if there is none of this number."""
        return next(iter(self._find("id = ?", number)), None)

    def of(self, user: int, limit: int = 50) -> list[SysopAction]:
        """Return the latest actions done to a user, newest first."""
        return self._find("user = ? AND pending = 0 ORDER BY id DESC LIMIT ?", user, limit)

    def latest(self, limit: int = 50) -> list[SysopAction]:
        """Return the latest actions of all, newest first."""
        return self._find("pending = 0 ORDER BY id DESC LIMIT ?", limit)

    def warnings(self, user: int) -> int:
        """Count the warnings a user has had."""
        with self._store.reading() as users:
            found = users.execute("SELECT count(*) FROM act WHERE user = ? AND kind = 'warn'", (user,))
            return int(found.fetchone()[0])

    def said_since(self, number: int) -> list[SysopAction]:
        """Return the lines said to everybody after the action of this number, oldest first."""
        return self._find("id > ? AND kind = 'say' ORDER BY id", number)

    @contextmanager
    def telling(self, user: int, kinds: Collection[str]) -> Iterator[list[SysopAction]]:
        """Yield the actions of these kinds that this user has not been told of, oldest first.

        They count as told when the block ends without an error: a process that is killed in it may tell them twice, but
        none is ever lost.
        """
        places = ", ".join("?" * len(kinds))
        news = self._find(f"user = ? AND told IS NULL AND pending = 0 AND kind IN ({places}) ORDER BY id", user, *kinds)
        yield news
        if news:
            with self._store.writing() as users:
                users.executemany(
                    "UPDATE act SET told = ? WHERE id = ?", [(self._store.clock(), action.id) for action in news]
                )

    def pending(self) -> list[SysopAction]:
        """Return the actions whose CUBES may not have moved yet, oldest first."""
        return self._find("pending = 1 ORDER BY id")

    def settle(self, action: int, cubes: int) -> None:
        """Note how many CUBES the ledger has moved for an action."""
        with self._store.writing() as users:
            users.execute("UPDATE act SET pending = 0, cubes = ? WHERE id = ?", (cubes, action))

    def drop(self, action: int) -> None:
        """Forget a pending action that the ledger refused."""
        with self._store.writing() as users:
            users.execute("DELETE FROM act WHERE id = ? AND pending = 1", (action,))

    def _find(self, condition: str, *values: int | str) -> list[SysopAction]:
        query = f"SELECT {_COLUMNS} FROM act WHERE {condition}"
        return [SysopAction(*row) for row in read_rows(self._store, query, values)]


def write_sysop_action(users: Connection, action: SysopAction, *, pending: bool) -> SysopAction:
    """Write an action in the transaction that does it; return it as written, with its number."""
    action = msgspec.structs.replace(
        action, reason=clean(action.reason, REASON_LENGTH).strip(), by=clean(action.by, BY_LENGTH).strip()
    )
    row = (*msgspec.structs.astuple(action)[1:], int(pending))
    insert = f"INSERT INTO act ({_WRITTEN}, pending) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"
    return msgspec.structs.replace(action, id=int(users.execute(insert, row).fetchone()[0]))
