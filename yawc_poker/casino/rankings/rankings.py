"""The rankings that callers see: tables of a month or of all times, the hall of fame.

Owns which games count for which table; how they are counted is in `days`. Everything comes from the history of games.
House players are in no tally; whose account lasts is told by who asks. Every function may raise `StoreError`.
"""

from collections import defaultdict
from collections.abc import Set

import msgspec

from yawc_poker.casino.rankings import days
from yawc_poker.casino.rankings.days import ORDERS, Order, RankedUser, Tally, ranked
from yawc_poker.casino.rankings.periods import Month, day_of, month_of, parts
from yawc_poker.casino.store.connection import Store, read_row


class Champions(msgspec.Struct, frozen=True):
    """The best of a month that is over, in each order; several where they have the same value."""

    month: Month
    best: dict[Order, tuple[RankedUser, ...]]
    """Without orders in which nobody has anything."""


def months(store: Store, now: float) -> list[Month]:
    """Return the months from the first game's to the present one; `now` in epoch seconds."""
    (first,) = read_row(store, "SELECT min(closed) FROM game WHERE closed IS NOT NULL")
    last = month_of(day_of(now))
    found = [last if first is None else min(month_of(day_of(first)), last)]
    while found[-1] < last:
        found.append(found[-1].next)
    return found


def standings(store: Store, kind: str, month: Month | None, now: float) -> dict[int, Tally]:
    """Return everybody's tally of one kind of game in a month, None: of all times, by user."""
    days.keep_past_days(store, day_of(now))
    if month is not None:
        return _merged(store, kind, month.days)
    known = months(store, now)
    return _merged(store, kind, range(known[0].days.start, known[-1].days.stop))


def _merged(store: Store, kind: str, span: range) -> dict[int, Tally]:
    found: dict[int, Tally] = defaultdict(Tally)
    for part in parts(span):
        for tallies in days.by_day(store, kind, part):
            for user, tally in tallies.items():
                found[user] = found[user].then(tally)
    return dict(found)


def hall_of_fame(store: Store, kind: str, now: float, most: int, users: Set[int]) -> list[Champions]:
    """Return the best of these users in each month that is over, newest first, `most` months at most.

    No month in which none of them has anything.
    """
    days.keep_past_days(store, day_of(now))
    found = (_champions(store, kind, month, users) for month in months(store, now)[-2 : -most - 2 : -1])
    return [one for one in found if one.best]


def _champions(store: Store, kind: str, month: Month, users: Set[int]) -> Champions:
    tallies = _merged(store, kind, month.days)
    best = {order: tuple([one for one in ranked(tallies, order, users) if one.rank == 1]) for order in ORDERS}
    return Champions(month, {order: places for order, places in best.items() if places})
