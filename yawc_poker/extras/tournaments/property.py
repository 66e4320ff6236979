"""Fees as a user's property: a withdrawal brings them back. Whose account is closed takes part in nothing any more."""

from yawc_poker.casino.bank.allowance import Property
from yawc_poker.casino.store.connection import Store
from yawc_poker.extras.tournaments import rows


def leave_all(store: Store, now: float, user: int) -> None:
    """Take back all entries of a user whose account is closed. Raise `StoreError`."""
    with store.reading() as books:
        entered = rows.entered(books, user)
    for one in entered:  # each alone: several would be kept in an order that others do not keep
        with store.writing() as books:
            rows.leave(books, now, one.id, user)


ANNOUNCED = (Property(rows.worth, leave_all),)
