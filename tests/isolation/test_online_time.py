"""Online time: what a session credits, and that nothing of it is lost or booked twice."""

from typing import cast

import pytest

from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.session.caller.caller import OnlineTime


class Books:
    """A bank that notes what it is asked to credit, and fails if it is told to."""

    def __init__(self) -> None:
        self.fails = False
        self.asked: list[tuple[int, str, float]] = []

    def earn(self, user: int, key: str, seconds: float, per_hour: float) -> None:
        self.asked.append((user, key, seconds))
        if self.fails:
            raise StoreError("no")


@pytest.fixture
def books() -> Books:
    return Books()


def online(books: Books, per_hour: float = 10) -> OnlineTime:
    made = OnlineTime(cast(Bank, books), 0xAB, per_hour, 0.0)
    made.begin(100.0)
    return made


def test_time_is_credited_once_a_whole_cube_is_due_and_the_rest_at_the_end(books: Books) -> None:
    time = online(books)
    time.credit(1, 459.0, final=False)
    assert books.asked == []
    time.credit(1, 460.0, final=False)
    time.credit(1, 500.0, final=True)
    assert books.asked == [(1, "00000000000000ab:0", 360.0), (1, "00000000000000ab:1", 40.0)]


def test_a_failure_keeps_the_time_and_the_key(books: Books) -> None:
    time = online(books)
    books.fails = True
    with pytest.raises(StoreError):
        time.credit(1, 460.0, final=False)
    books.fails = False
    time.credit(1, 560.0, final=False)
    assert books.asked[1:] == [(1, "00000000000000ab:0", 460.0)]


def test_where_nothing_is_paid_nothing_is_credited(books: Books) -> None:
    online(books, per_hour=0).credit(1, 10_000.0, final=True)
    assert books.asked == []
