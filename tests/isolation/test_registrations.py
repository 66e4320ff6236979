"""Accounts made from one network, counted for all connections together."""

import os
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, at_once, with_clock
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.login_attempts import LONGEST, WINDOW
from yawc_poker.casino.users.registrations import MOST, Registrations, TooMany, delay, network_of

HERE, NEIGHBOUR, ELSEWHERE = "192.0.2.1", "192.0.2.200", "203.0.113.3"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def registrations(open_users: OpenUsers, clock: Clock) -> Iterator[Registrations]:
    accounts = Accounts(with_clock(open_users(), clock))
    yield Registrations(accounts.store)
    accounts.close()


def rows(registrations: Registrations) -> int:
    with registrations._store.reading() as users:
        return int(users.execute("SELECT count(*) FROM registration").fetchone()[0])


def make(registrations: Registrations, clock: Clock, origin: str, times: int, limit: int = 20) -> list[float]:
    """Make accounts one after the other, each as soon as one may, and return the waits."""
    waits = []
    for _ in range(times):
        registrations.check(origin, limit)
        waits.append(registrations.turn(origin, limit).wait)
        clock.now += waits[-1]
    return waits


def test_the_first_are_free_then_the_delay_grows_and_the_last_is_refused(
    registrations: Registrations, clock: Clock
) -> None:
    assert make(registrations, clock, HERE, 20) == [0] * 5 + [1, 2, 4, 8, 16, 32] + [60] * 9
    for refuse in (registrations.check, registrations.turn):
        with pytest.raises(TooMany) as refused:
            refuse(NEIGHBOUR, 20)
        assert refused.value.seconds == 1e9 + WINDOW - clock.now
    assert make(registrations, clock, ELSEWHERE, 1) == [0]


def test_an_hour_later_a_network_may_go_on_and_old_rows_are_gone(registrations: Registrations, clock: Clock) -> None:
    make(registrations, clock, HERE, 3, limit=3)
    clock.now = 1e9 + WINDOW
    registrations.check(HERE, 3)
    assert make(registrations, clock, ELSEWHERE, 1) == [0]
    assert rows(registrations) == 2
    clock.now += WINDOW
    assert make(registrations, clock, ELSEWHERE, 1) == [0]
    assert rows(registrations) == 1


def test_many_that_come_at_once_queue_and_none_waits_too_long(registrations: Registrations, clock: Clock) -> None:
    waits = [registrations.turn(HERE, 20).wait for _ in range(14)]
    assert waits == [0] * 5 + [1, 3, 7, 15, 31, 63, 123, 183, 243]
    with pytest.raises(TooMany) as refused:
        registrations.turn(NEIGHBOUR, 20)
    assert refused.value.seconds == 303 - LONGEST
    assert rows(registrations) == 14, "what was refused is not counted"
    clock.now += refused.value.seconds
    assert registrations.turn(NEIGHBOUR, 20).wait == LONGEST


def test_without_a_limit_nothing_is_written(registrations: Registrations, clock: Clock) -> None:
    assert make(registrations, clock, HERE, 100, limit=0) == [0] * 100
    assert rows(registrations) == 0


def test_what_came_to_nothing_does_not_count(registrations: Registrations) -> None:
    for _ in range(50):
        registrations.take_back(registrations.turn(HERE, 1))
    registrations.check(HERE, 1)


@pytest.mark.parametrize("back", [10.0, WINDOW / 2, 10 * WINDOW])
def test_a_clock_set_back_keeps_nobody_out_for_longer_than_an_hour(
    registrations: Registrations, clock: Clock, back: float
) -> None:
    make(registrations, clock, HERE, 3, limit=4)
    clock.now -= back
    assert make(registrations, clock, HERE, 1, limit=4)[0] <= MOST
    with pytest.raises(TooMany) as refused:
        registrations.check(HERE, 4)
    assert refused.value.seconds <= WINDOW
    clock.now += WINDOW
    registrations.check(HERE, 4)


@given(limit=st.integers(1, 10**6))
def test_however_few_may_be_made_the_first_is_free(limit: int) -> None:
    assert delay(limit).after(0) == 0
    assert 0 < delay(limit).after(max(1, limit - 1)) <= MOST or limit == 1


@pytest.mark.parametrize(
    ("origin", "network"),
    [
        ("192.0.2.7", "192.0.2.0/24"),
        ("::ffff:192.0.2.7", "192.0.2.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/48"),
        ("/dev/pts/3", "terminal"),
        ("", "terminal"),
    ],
)
def test_a_network_is_what_is_routed_on_its_own(origin: str, network: str) -> None:
    assert network_of(origin) == network


def register_once(origin: str, accounts: Accounts) -> None:
    """What a process does that ends with 7 where it is refused."""
    try:
        Registrations(accounts.store).turn(origin, 4)
    except TooMany:
        os._exit(7)


def test_of_many_connections_at_once_no_more_than_the_limit_get_a_turn(open_users: OpenUsers) -> None:
    codes = at_once(open_users, [partial(register_once, f"192.0.2.{number}") for number in range(8)])
    assert codes == [0] * 4 + [7] * 4
