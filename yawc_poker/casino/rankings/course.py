"""What a user owned in the course of time, from the entries of the ledger.

Owns no row. Transactions are numbered in the order in which they were written, so a moment is found among them by
halving. Entries of the past never change, so they are read a page at a time: a whole course in one go could keep the
bank for a tenth of a second, and each page waits its turn for the bank. Where several transactions write at a time,
those of one account still have their numbers in the order in which they ended, because each keeps the account
(`ledger.hold`) before it gets its number.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from operator import sub
from typing import Final

from yawc_poker.casino.rankings.periods import DAY
from yawc_poker.casino.store.connection import Connection, Store

LONGEST: Final = 60.0 * DAY
"""Seconds that a course goes back at most."""
PAGE: Final = 2000
"""Entries read at a time, in some two milliseconds."""

_ENTRIES = "SELECT txn, amount FROM entry WHERE account = ? AND txn >= ? AND txn < ? ORDER BY txn LIMIT ?"


def course(store: Store, user: int, now: float, steps: int) -> tuple[float, list[int]]:
    """Return what a user owned from a moment (epoch seconds) until now, at the end of each of `steps` equal steps.

    It begins with the user's first CUBES, or `LONGEST` before now. Nothing for a user without an account. Raise
    `StoreError`.
    """
    with store.reading() as books:
        found = books.execute("SELECT id, balance FROM account WHERE kind = 'user' AND ref = ?", (user,)).fetchone()
        first = None if found is None else _first(books, found[0])
        if found is None or first is None:
            return now, []
        account, balance = found
        since = max(min(first, now), now - LONGEST)
        end = _last(books, account) + 1
        edges = [min(_number_at(books, since + (now - since) * step / steps), end) for step in range(1, steps)]
    gains = [0] * (steps - 1)
    for number, amount in _entries(store, account, edges[0] if edges else end, end):
        gains[bisect_right(edges, number) - 1] += amount
    return since, list(accumulate(reversed(gains), sub, initial=int(balance)))[::-1]


def _entries(store: Store, account: int, first: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield number and amount of an account's entries from one transaction to before another. Raise `StoreError`."""
    while True:
        with store.reading() as books:
            page = books.execute(_ENTRIES, (account, first, end, PAGE)).fetchall()
        yield from page
        if len(page) < PAGE:
            return
        first = page[-1][0] + 1


def _first(books: Connection, account: int) -> float | None:
    """Return when an account's first entry was made, or None if there is none."""
    found = books.execute(
        "SELECT at FROM txn WHERE id = (SELECT min(txn) FROM entry WHERE account = ?)", (account,)
    ).fetchone()
    return None if found is None else float(found[0])


def _last(books: Connection, account: int) -> int:
    """Return the number of an account's newest transaction."""
    return int(books.execute("SELECT max(txn) FROM entry WHERE account = ?", (account,)).fetchone()[0])


def _newest(books: Connection) -> int:
    return int(books.execute("SELECT max(id) FROM txn").fetchone()[0])


def _number_at(books: Connection, when: float) -> int:
    """Return the number of the first transaction after a moment; after a clock was set back, about that."""
    low, high = 1, _newest(books) + 1
    while low < high:
        middle = (low + high) // 2
        found = books.execute("SELECT at FROM txn WHERE id >= ? ORDER BY id LIMIT 1", (middle,)).fetchone()
        if found is not None and found[0] <= when:
            low = middle + 1
        else:
            high = middle
    return low
