"""Tries at passwords, counted for all connections together."""

import os
import re
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, at_once
from yawc_poker.casino.users import login_attempts as attempts_module
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.login_attempts import ACCOUNT, FAMILIAR_PLACES, WINDOW, Attempts

HOME, AWAY, ELSEWHERE = "192.0.2.1", "198.51.100.2", "203.0.113.3"
ANNA, BODO = 1, 2


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def attempts(open_users: OpenUsers, clock: Clock) -> Iterator[Attempts]:
    accounts = Accounts(open_users(), clock)
    for name in ("Anna", "Bodo", *(f"user {number}" for number in range(30))):
        accounts.enrol(name, "no hash", "en")
    yield Attempts(accounts)
    accounts.close()


def rows(attempts: Attempts) -> int:
    with attempts._store.reading() as users:
        return int(users.execute("SELECT count(*) FROM attempt").fetchone()[0])


def guess(attempts: Attempts, clock: Clock, user: int, peer: str, times: int) -> list[float]:
    """Try again and again, each time as soon as one may, and give the waits."""
    waits = []
    for _ in range(times):
        waits.append(attempts.turn(user, peer))
        clock.now += waits[-1]
    return waits


def test_the_waits_at_an_account_grow_and_a_success_forgets_them(attempts: Attempts, clock: Clock) -> None:
    assert guess(attempts, clock, ANNA, AWAY, 9) == [0, 0, 1, 2, 4, 8, 16, 32, 60]
    attempts.succeeded(ANNA, AWAY)
    assert guess(attempts, clock, ANNA, AWAY, 3) == [0, 0, 1]


def test_another_address_does_not_help_a_guesser(attempts: Attempts, clock: Clock) -> None:
    waits = [guess(attempts, clock, ANNA, f"198.51.100.{number}", 1)[0] for number in range(1, 10)]
    assert waits == [0, 0, 1, 2, 4, 8, 16, 32, 60]


def test_a_stranger_keeps_nobody_from_home(attempts: Attempts, clock: Clock) -> None:
    attempts.succeeded(ANNA, HOME)
    guess(attempts, clock, ANNA, AWAY, 12)
    assert attempts.turn(ANNA, AWAY) > 0
    assert attempts.turn(ANNA, HOME) == 0
    attempts.succeeded(ANNA, HOME)
    assert attempts.turn(ANNA, AWAY) > 0, "the stranger's tries are not forgotten"


def test_a_neighbour_behind_the_same_address_keeps_nobody_out(attempts: Attempts, clock: Clock) -> None:
    attempts.succeeded(ANNA, HOME)
    for user in range(3, 33):
        guess(attempts, clock, user, HOME, 1)
    assert attempts.turn(BODO, HOME) > 0
    assert attempts.turn(ANNA, HOME) == 0


def test_home_is_no_way_around_either(attempts: Attempts, clock: Clock) -> None:
    attempts.succeeded(ANNA, HOME)
    assert guess(attempts, clock, ANNA, HOME, 5) == [0, 0, 1, 2, 4]


def test_what_is_mistyped_at_home_does_not_slow_the_user_elsewhere(attempts: Attempts, clock: Clock) -> None:
    attempts.succeeded(ANNA, HOME)
    guess(attempts, clock, ANNA, HOME, 5)
    assert attempts.turn(ANNA, AWAY) == 0


def test_one_address_that_tries_many_names_is_slowed_gently(attempts: Attempts, clock: Clock) -> None:
    waits = [guess(attempts, clock, user, AWAY, 1)[0] for user in range(1, 18)]
    assert waits == [0] * 10 + [0.5, 1, 2, 4, 8, 8, 8]
    assert attempts.turn(ANNA, ELSEWHERE) == 0


def test_what_is_old_is_forgotten(attempts: Attempts, clock: Clock) -> None:
    guess(attempts, clock, ANNA, AWAY, 8)
    clock.now += WINDOW
    assert guess(attempts, clock, ANNA, AWAY, 3) == [0, 0, 1]
    assert rows(attempts) == 3


@pytest.mark.parametrize("back", [10.0, WINDOW / 2, 10 * WINDOW])
def test_a_clock_set_back_keeps_nobody_waiting(attempts: Attempts, clock: Clock, back: float) -> None:
    attempts.succeeded(ANNA, HOME)
    for user, place in ((ANNA, HOME), (BODO, AWAY)):
        guess(attempts, clock, user, place, 2)
        clock.now -= back
        assert attempts.turn(user, place) == 1, "the try after two, as if they had been now"
        clock.now += WINDOW
        assert attempts.turn(user, place) == 0, "and forgotten after an hour"


@pytest.mark.parametrize("home", [True, False], ids=["where the user logged in before", "elsewhere"])
def test_a_neighbour_with_many_connections_pushes_nobody_back(attempts: Attempts, clock: Clock, home: bool) -> None:
    if home:
        attempts.succeeded(ANNA, HOME)
    due = [clock.now] * 19
    for _ in range(200):
        due.sort()
        clock.now = due.pop(0)
        due.append(clock.now + attempts.turn(ANNA, HOME))
    assert attempts.turn(ANNA, HOME) <= ACCOUNT.most, "told once; whatever the neighbour goes on to do"
    passed = clock.now - 1e9
    assert passed > 200 / 19 * 50, "each of its connections tries about once a minute"


def test_the_places_remembered_are_few_and_the_latest(attempts: Attempts, clock: Clock) -> None:
    for number in range(FAMILIAR_PLACES + 1):
        clock.now += 1
        attempts.succeeded(ANNA, f"192.0.2.{number}")
    guess(attempts, clock, ANNA, AWAY, 4)
    assert attempts.turn(ANNA, "192.0.2.0") > 0
    assert attempts.turn(ANNA, "192.0.2.1") == 0


def guess_once(place: str, accounts: Accounts) -> None:
    """What a process does that ends with 7 where it has to wait."""
    if Attempts(accounts).turn(ANNA, place):
        os._exit(7)


def test_of_many_connections_at_once_two_are_let_through(open_users: OpenUsers) -> None:
    with closing(Accounts(open_users())) as accounts:
        accounts.enrol("Anna", "no hash", "en")
    codes = at_once(open_users, [partial(guess_once, f"198.51.100.{number}") for number in range(12)])
    assert codes == [0, 0] + [7] * 10, "a hang-up before the answer counts as a try"


def test_no_statement_numbers_its_placeholders() -> None:
    """Python 3.12 warns of numbered ones that are given a sequence, later ones refuse them."""
    package = Path(attempts_module.__file__).parents[1]
    numbered = [str(path) for path in package.rglob("*.py") if re.search(r"[=<>(, ]\?\d", path.read_text())]
    assert numbered == []
