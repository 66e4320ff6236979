"""How long a caller who tries passwords has to wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.casino.users.familiar import place_of
from yawc_poker.casino.users.login_attempts import (
    ACCOUNT,
    ADDRESS,
    SIEGE,
    WINDOW,
    Delay,
    Tried,
    budgets,
    network_of,
    wait,
)

DELAYS = [ACCOUNT, SIEGE, ADDRESS, Delay(free=0, first=0.1, most=5.0)]
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


def test_the_wait_runs_from_the_last_try() -> None:
    tried = Tried(3, 100.0, 103.0, 0.0)
    assert wait(ACCOUNT, tried, 103.0) == 2.0
    assert wait(ACCOUNT, tried, 104.5) == 0.5
    assert wait(ACCOUNT, tried, 105.0) == 0.0
    assert wait(ACCOUNT, tried._replace(tries=1), 103.0) == 0.0
    assert wait(ACCOUNT, Tried(0, 100.0, 100.0, 0.0), 100.0) == 0.0


def test_waiting_callers_have_separate_turns_however_many_wait() -> None:
    waits: list[float] = []
    for tries in range(12):
        waits.append(wait(ACCOUNT, Tried(tries, 100.0, 100.0, waits[-1] if waits else 0.0), 100.0))
    assert waits == [0, 0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303]


moments = st.floats(0, 1e10)


@given(st.integers(0, 10**6), moments, moments, st.floats(0, 60), moments)
def test_whatever_the_clock_does_nobody_waits_longer_than_one_delay_behind_the_last(
    tries: int, since: float, at: float, rest: float, now: float
) -> None:
    seen = Tried(tries, since, at, rest).seen_at(now)
    assert 0 <= wait(ACCOUNT, seen, now) <= rest + ACCOUNT.most + 1e-5
    assert seen.rest(now) <= rest + 1e-5
    assert seen.seen_at(now) == seen
    assert seen.tries == 0 or since + WINDOW > now


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


@pytest.mark.parametrize(
    ("origin", "network", "counted"),
    [
        ("192.0.2.7", "192.0.2.7", {"192.0.2.7": 60}),
        ("::ffff:192.0.2.7", "192.0.2.7", {"192.0.2.7": 60}),
        (
            "2001:db8:1:2:3:4:5:6",
            "2001:db8:1::/48",
            {"2001:db8:1:2::/64": 60, "2001:db8:1::/56": 120, "2001:db8:1::/48": 240},
        ),
        ("/dev/pts/3", "terminal", {"terminal": 60}),
    ],
)
def test_a_guesser_s_tries_count_for_its_address_and_in_ipv6_for_larger_blocks(
    origin: str, network: str, counted: dict[str, int]
) -> None:
    assert network_of(origin) == network
    assert budgets(origin) == counted
