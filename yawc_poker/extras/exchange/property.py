"""Shares as a user's property."""

from yawc_poker.casino.bank.allowance import Property
from yawc_poker.casino.store.connection import Store
from yawc_poker.extras.exchange import rows


def close_out(store: Store, now: float, user: int) -> None:
    """Sell all shares of a user whose account is closed, if there are any."""
    with store.reading() as books:
        if not rows.held(books, user):
            return
    with store.writing() as books:
        rows.close_out(books, now, user)


ANNOUNCED = (Property(rows.worth, close_out),)
