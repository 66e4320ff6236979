"""Tries at passwords, counted for all connections together."""

import os
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, at_once, with_clock
from yawc_poker.casino.store.connection import Store
from yawc_poker.casino.users import login_attempts as attempts_module
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.familiar import FAMILIAR_PLACES
from yawc_poker.casino.users.login_attempts import (
    ACCOUNT,
    AHEAD,
    FORGOTTEN_AT_ONCE,
    IPV6_BLOCKS,
    LONGEST,
    TRIES_PER_HOUR,
    WINDOW,
    Attempts,
    TriesUsedUp,
)

HOME, AWAY, ELSEWHERE = "192.0.2.1", "198.51.100.2", "203.0.113.3"
ANNA, BODO = 1, 2


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def attempts(open_users: OpenUsers, clock: Clock) -> Iterator[Attempts]:
    accounts = Accounts(with_clock(open_users(), clock))
    for name in ("Anna", "Bodo", *(f"user {number}" for number in range(30))):
        accounts.enrol(name, "no hash", "en")
    yield Attempts(accounts.store)
    accounts.close()


def rows(attempts: Attempts) -> int:
    with attempts._store.reading() as users:
        return int(users.execute("SELECT count(*) FROM guess").fetchone()[0])


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
    attempts.turn(BODO, ELSEWHERE)
    assert rows(attempts) == 6, "an account, a network and an address each"
    clock.now += WINDOW + LONGEST
    attempts.failed(ANNA, AWAY)
    assert rows(attempts) == 0


def test_rows_that_still_count_are_not_forgotten(attempts: Attempts, clock: Clock) -> None:
    guess(attempts, clock, ANNA, AWAY, 8)
    clock.now += WINDOW - 64
    attempts.turn(BODO, ELSEWHERE)
    clock.now += LONGEST
    attempts.failed(BODO, ELSEWHERE)
    assert rows(attempts) == 6
    for number in range(FORGOTTEN_AT_ONCE):
        attempts.turn(1 + number % 32, f"10.0.0.{number}")
    clock.now += WINDOW + LONGEST
    left = rows(attempts)
    attempts.failed(BODO, ELSEWHERE)
    assert rows(attempts) == left - FORGOTTEN_AT_ONCE


@pytest.mark.parametrize("back", [10.0, WINDOW / 2, 10 * WINDOW])
def test_a_clock_set_back_keeps_nobody_waiting(attempts: Attempts, clock: Clock, back: float) -> None:
    attempts.succeeded(ANNA, HOME)
    for user, place in ((ANNA, HOME), (BODO, AWAY)):
        guess(attempts, clock, user, place, 2)
        clock.now -= back
        assert attempts.turn(user, place) == 1, "the try after two, as if they had been now"
        clock.now += WINDOW
        assert attempts.turn(user, place) == 0, "and forgotten after an hour"


# --- many connections -------------------------------------------------------------------------------------------------


class Guesser:
    """Somebody who guesses with many connections at once, each as soon as it may, and never comes to an end."""

    def __init__(self, attempts: Attempts, clock: Clock, users: int, addresses: list[str], connections: int = 20):
        self._attempts, self._clock, self._began = attempts, clock, clock.now
        self._users, self._addresses = users, addresses
        self._due = [(clock.now, number) for number in range(connections)]
        self.tries: list[float] = []
        """When passwords were looked at."""

    def go_on(self, seconds: float) -> None:
        """Guess for some seconds; the clock stands where it stood at last."""
        until = self._clock.now + seconds
        while min(self._due)[0] < until:
            self._due.sort()
            self._clock.now, number = self._due.pop(0)
            user, origin = 1 + number % self._users, self._addresses[number % len(self._addresses)]
            try:
                due = self._clock.now + self._attempts.turn(user, origin)
            except TriesUsedUp as refused:
                self._due.append((self._clock.now + refused.seconds + 0.05, number + 12))
                continue
            self._attempts.failed(user, origin)
            self.tries.append(due)
            self._due.append((due + 0.05, number + 12))
        self._clock.now = until

    def within_an_hour(self) -> int:
        """Return how many passwords were looked at in the hour since it began."""
        return sum(1 for when in self.tries if when < self._began + WINDOW)


@pytest.mark.parametrize("users", [1, 12])
def test_one_address_has_its_tries_an_hour_whatever_it_guesses_at(attempts: Attempts, clock: Clock, users: int) -> None:
    guesser = Guesser(attempts, clock, users, [AWAY])
    guesser.go_on(WINDOW)
    assert guesser.within_an_hour() == TRIES_PER_HOUR


def test_many_addresses_queue_at_one_account(attempts: Attempts, clock: Clock) -> None:
    guesser = Guesser(attempts, clock, 1, [f"198.51.100.{number}" for number in range(20)])
    guesser.go_on(WINDOW)
    turns = sorted(guesser.tries)
    assert len(turns) == len({*turns}) + 1, "but for the two that are free"
    assert guesser.within_an_hour() <= WINDOW / ACCOUNT.most + 9


@pytest.mark.parametrize(("users", "most"), [(1, 300), (12, 360)])
def test_at_home_a_neighbour_is_slowed_too(attempts: Attempts, clock: Clock, users: int, most: int) -> None:
    for user in range(1, users + 1):
        attempts.succeeded(user, HOME)
    guesser = Guesser(attempts, clock, users, [HOME])
    guesser.go_on(WINDOW)
    assert TRIES_PER_HOUR < guesser.within_an_hour() <= most


def test_a_neighbour_with_many_connections_makes_one_wait_once_and_for_a_minute(
    attempts: Attempts, clock: Clock
) -> None:
    attempts.succeeded(ANNA, HOME)
    guesser = Guesser(attempts, clock, 1, [HOME])
    guesser.go_on(60)
    assert 20 < len(guesser.tries) < TRIES_PER_HOUR
    assert 0 < attempts.turn(ANNA, HOME) <= ACCOUNT.most, "told once; whatever the neighbour goes on to do"


def test_in_a_siege_nobody_is_kept_out_at_home(attempts: Attempts, clock: Clock) -> None:
    for user in (ANNA, BODO):
        attempts.succeeded(user, HOME)
    guesser = Guesser(attempts, clock, 1, [HOME])
    guesser.go_on(WINDOW / 2)
    assert ACCOUNT.most < attempts.turn(ANNA, HOME) <= LONGEST
    assert attempts.turn(BODO, HOME) == 0, "at whom nobody guesses"
    with pytest.raises(TriesUsedUp):
        attempts.turn(3, HOME)
    Guesser(attempts, clock, 2, [f"198.51.100.{number}" for number in range(20)]).go_on(WINDOW / 4)
    assert attempts.turn(BODO, HOME) == 0, "strangers count for nothing there"


def test_one_network_cannot_fill_an_account_s_queue(attempts: Attempts, clock: Clock) -> None:
    Guesser(attempts, clock, 1, [AWAY]).go_on(600)
    with suppress(TriesUsedUp):
        for _ in range(20):
            attempts.turn(ANNA, AWAY)
    assert attempts.turn(ANNA, ELSEWHERE) <= AHEAD + 2 * ACCOUNT.most


def test_what_was_refused_counts_for_nothing(attempts: Attempts, clock: Clock) -> None:
    guess(attempts, clock, ANNA, AWAY, 9)
    assert [attempts.turn(ANNA, AWAY) for _ in range(2)] == [60, 120]
    for _ in range(100):
        with pytest.raises(TriesUsedUp) as refused:
            attempts.turn(ANNA, AWAY)
    clock.now += refused.value.seconds
    assert attempts.turn(ANNA, AWAY) == AHEAD + ACCOUNT.most


@pytest.mark.parametrize("bits", [64, *IPV6_BLOCKS])
def test_a_block_of_ipv6_is_one_guesser(attempts: Attempts, clock: Clock, bits: int) -> None:
    step = 1 << (112 - bits) if bits < 64 else 1
    addresses = [
        f"2001:db8:1:{number * step % 65536:x}::1" if bits < 64 else f"2001:db8:1:1::{number:x}" for number in range(8)
    ]
    guesser = Guesser(attempts, clock, 12, addresses)
    guesser.go_on(WINDOW)
    assert guesser.within_an_hour() <= {64: TRIES_PER_HOUR, **IPV6_BLOCKS}[bits]


def test_a_right_password_costs_an_address_nothing(attempts: Attempts, clock: Clock) -> None:
    for number in range(3 * TRIES_PER_HOUR):
        user = 1 + number % 32
        attempts.turn(user, AWAY)
        attempts.succeeded(user, AWAY)
        with attempts._store.writing() as users:
            users.execute("DELETE FROM familiar")
    assert attempts.turn(ANNA, AWAY) == 0


def test_a_right_password_gives_an_address_no_tries_back_that_were_wrong(attempts: Attempts, clock: Clock) -> None:
    for user in range(1, 20):
        guess(attempts, clock, user, AWAY, 3)
        attempts.succeeded(user, AWAY)
        attempts.succeeded(user, AWAY)
    for user in range(20, 40):
        try:
            guess(attempts, clock, user, AWAY, 3)
        except TriesUsedUp:
            break
    assert user < 32


def test_the_places_remembered_are_few_and_the_latest(attempts: Attempts, clock: Clock) -> None:
    for number in range(FAMILIAR_PLACES + 1):
        clock.now += 1
        attempts.succeeded(ANNA, f"192.0.2.{number}")
    guess(attempts, clock, ANNA, AWAY, 4)
    assert attempts.turn(ANNA, "192.0.2.0") > 0
    assert attempts.turn(ANNA, "192.0.2.1") == 0


def guess_once(place: str, accounts: Accounts) -> None:
    """What a process does that ends with 7 where it has to wait, or is refused."""
    try:
        if Attempts(accounts.store).turn(ANNA, place):
            os._exit(7)
    except TriesUsedUp:
        os._exit(7)


def test_of_many_connections_at_once_two_are_let_through(open_users: OpenUsers, clock: Clock) -> None:
    """At the same moment also by their clock, however long they take."""

    def open_then() -> Store:
        return with_clock(open_users(), clock)

    with closing(Accounts(open_then())) as accounts:
        accounts.enrol("Anna", "no hash", "en")
    codes = at_once(open_then, [partial(guess_once, f"198.51.100.{number}") for number in range(12)])
    assert codes == [0, 0] + [7] * 10, "a hang-up before the answer counts as a try"


def test_no_statement_numbers_its_placeholders() -> None:
    """Python 3.12 warns of numbered ones that are given a sequence, later ones refuse them."""
    package = Path(attempts_module.__file__).parents[1]
    numbered = [str(path) for path in package.rglob("*.py") if re.search(r"[=<>(, ]\?\d", path.read_text())]
    assert numbered == []
