"""The exchange in a PostgreSQL database, where many transactions are open at a time."""

import random
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests.clock import Clock
from tests.isolation.books import Place
from tests.isolation.test_bank_at_once import HOUR, NOON, PEOPLE, PROCESSES, START, anything, at_once, patiently, sound
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import NotEnough
from yawc_poker.casino.bank.wagers import StillPlaying
from yawc_poker.extras.exchange.exchange import Exchange, PriceChanged, Refused
from yawc_poker.extras.exchange.market import DAY
from yawc_poker.extras.exchange.settings import ExchangeSettings

SETTINGS: Final = ExchangeSettings(reserve=5000)


@pytest.fixture
def place(tmp_path: Path, database: str) -> Place:
    return Place(tmp_path / "none", database)


def trade(bank: Bank, clock: Clock, rng: random.Random, order: str) -> None:
    exchange = Exchange(bank.store, SETTINGS, clock)
    user, company, shares = rng.choice(PEOPLE), rng.randrange(3), rng.choice([-2, 1, 3])
    with suppress(PriceChanged, Refused, NotEnough, StillPlaying):
        exchange.order(user, order, company, exchange.quote(user, company, shares))


def test_whatever_happens_at_once_with_shares_the_books_are_sound(place: Place) -> None:
    with closing(place.bank(Clock(NOON))) as bank:
        for user in PEOPLE:
            bank.welcome(user, START)
        Exchange(bank.store, SETTINGS, Clock(NOON)).board(1)
        at_once(place, *(partial(anything, seed=seed, also=trade) for seed in range(1, PROCESSES + 1)))
        patiently(bank.settle_leftovers)
        sound(bank)
        assert bank.figures().open_games == 0


def test_the_exchange_is_opened_and_an_order_is_booked_once_whoever_asks_first(place: Place) -> None:
    def work(bank: Bank) -> None:
        Exchange(bank.store, SETTINGS, Clock(NOON)).board(1)
        exchange = Exchange(bank.store, SETTINGS, Clock(NOON + 30 * DAY * HOUR))
        exchange.board(1)
        for user in PEOPLE:
            bank.welcome(user, 500)
            exchange.order(user, "k", 3, exchange.quote(user, 3, 1))
            bank.allow(user, 40, 1000)

    at_once(place, *[work] * PROCESSES)
    with closing(place.bank(Clock(NOON))) as bank:
        sound(bank)
        spent = place.rows(
            "SELECT -amount FROM entry JOIN account ON account.id = account JOIN txn ON txn.id = txn"
            " WHERE account.kind = 'user' AND txn.kind = 'shares'"
        )
        assert len(spent) == len(PEOPLE)
        assert bank.figures().cash == len(PEOPLE) * (500 + 40) - sum(int(str(amount)) for (amount,) in spent)
        assert place.rows("SELECT count(*), min(shares), max(shares) FROM holding") == [(len(PEOPLE), 1, 1)]
        assert place.rows("SELECT count(*) FROM market") == [(1,)]
        assert place.rows("SELECT count(*) FROM hour") == [(30 * DAY + 1,)]
