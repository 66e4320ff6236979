"""What the house gives users who own less than one ante, once a day; inside a transaction that the bank has opened.

Owns its key, `allowance:USER:DAY`, with the day of the BBS's local calendar. Property such as shares counts, and so
does a stake in a pot: who has put all CUBES there is not broke. An allowance of tomorrow, by a clock that was ahead, is
today's.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.bank import ledger, wagers
from yawc_poker.casino.store.connection import Connection, Store


class Property(NamedTuple):
    """What users own besides CUBES, which an extra keeps in the books (place `property`)."""

    worth: Callable[[Connection, int], int]
    """Return the CUBES that all of a user's would bring now."""
    sell: Callable[[Store, float, int], None]
    """Sell all of a user's, whose account was closed at a moment (epoch seconds); nothing is sold twice."""


def _key(now: float, user: int) -> str:
    return f"allowance:{user}:{time.strftime('%Y-%m-%d', time.localtime(now))}"


def is_due(books: Connection, now: float, user: int, least: int) -> bool:
    """Return whether a user owns less than `least` CUBES, and got nothing today."""
    owned = ledger.owned(books, user)
    if owned >= least or owned + _worth(books, user) + wagers.at_stake(books, user) >= least:
        return False
    return all(ledger.posted(books, _key(day, user)) is None for day in (now, now + ledger.DAY))


def _worth(books: Connection, user: int) -> int:
    return sum(kind.worth(books, user) for kind in announced("property", Property))


def give(books: Connection, now: float, user: int, amount: int, least: int) -> int:
    """Move the allowance from the house to a user, if it is due; return how much.

    What the house does not have is newly made.
    """
    ledger.hold_purse(books, user)
    if not is_due(books, now, user, least):
        return 0
    ledger.hold_house(books)
    ledger.give(books, now, _key(now, user), user, amount)
    return amount
