"""How long a caller who tries passwords has to wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.casino.users.login_attempts import ACCOUNT, ADDRESS, Delay, Try, place_of, wait

DELAYS = [ACCOUNT, ADDRESS, Delay(free=0, first=0.1, most=5.0)]
delays = pytest.mark.parametrize("delay", DELAYS)


def test_two_tries_at_an_account_are_free_then_the_delay_doubles_up_to_a_minute() -> None:
    assert [ACCOUNT.after(tries) for tries in range(11)] == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_an_address_is_treated_more_gently_than_an_account() -> None:
    assert all(ADDRESS.after(tries) <= ACCOUNT.after(tries) for tries in range(100))
    assert ADDRESS.after(9) == 0
    assert ADDRESS.after(10**6) == 8


@delays
@given(tries=st.integers(0, 10**6))
def test_a_delay_never_falls_and_never_exceeds_its_bound(delay: Delay, tries: int) -> None:
    assert 0 <= delay.after(tries) <= delay.after(tries + 1) <= delay.most


def at(*moments: float) -> list[Try]:
    return [Try(moment, 0.0) for moment in moments]


def test_the_wait_runs_from_the_last_try() -> None:
    tries = at(100.0, 103.0, 101.0)
    assert wait(ACCOUNT, tries, 103.0) == 2.0
    assert wait(ACCOUNT, tries, 104.5) == 0.5
    assert wait(ACCOUNT, tries, 105.0) == 0.0
    assert wait(ACCOUNT, tries[:1], 103.0) == 0.0
    assert wait(ACCOUNT, [], 100.0) == 0.0


def test_waiting_callers_have_separate_turns_none_later_than_the_longest_delay() -> None:
    waits: list[float] = []
    for _ in range(12):
        waits.append(wait(ACCOUNT, [Try(100.0, rest) for rest in waits], 100.0))
    assert waits == [0, 0, 1, 3, 7, 15, 31, 60, 60, 60, 60, 60]


@given(st.lists(st.tuples(st.floats(0, 1e10), st.floats(0, 60)), max_size=20), st.floats(0, 1e10))
def test_nobody_waits_longer_than_the_longest_delay_even_if_the_clock_jumps(
    tries: list[tuple[float, float]], now: float
) -> None:
    assert 0 <= wait(ACCOUNT, [Try(*one) for one in tries], now) <= ACCOUNT.most


@pytest.mark.parametrize(
    ("peer", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("/dev/pts/3", "terminal"),
        ("", "terminal"),
    ],
)
def test_an_address_is_one_place_a_household_of_ipv6_too(peer: str, place: str) -> None:
    assert place_of(peer) == place
