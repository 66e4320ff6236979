"""The rate limits of calls, and the suppression of repeated log messages."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telnetd.listener.admission import BANNED, FILES_AT_ONCE, TOO_FAST, TOO_MANY, Admission
from telnetd.listener.rate_limits import (
    BANNED_A_SECOND,
    BANNED_AT_ONCE,
    CALLS_A_SECOND,
    CALLS_AT_ONCE,
    FEWEST,
    MOST_ADDRESSES,
    REFILL_SECONDS,
    REFUSAL,
    REPEAT_SECONDS,
    LogThrottle,
    RateLimits,
    address_group,
)
from tests.doors import door as door_of
from yawc_poker.bbs.lifecycle import Standing
from yawc_poker.config import TelnetSettings
from yawc_poker.doors import TELNET

HERE = "192.0.2.7"


class Sessions:
    """The sessions of a BBS, as they are put there; those that were asked to go are noted."""

    def __init__(self, *standings: Standing, records: int = 1000) -> None:
        self.records = records
        self.there = list(standings)
        self.asked: list[int] = []
        self.late: set[int] = set()
        """Who has logged in since `there` was looked at."""

    def standings(self) -> list[Standing]:
        return self.there

    def put_out(self, pid: int, standing: Standing | None) -> bool:
        self.asked.append(pid)
        return pid not in self.late


def admitted(rates: RateLimits, address: str, limit: int, now: float) -> None:
    """Count a call for which a process was forked, and whose caller is admitted."""
    rates.forked(now)
    rates.accepted_from(address, limit, now)


def taken(rates: RateLimits, address: str, limit: int, start: float, seconds: float, every: float) -> int:
    """Return how many calls from an address are taken at this rate."""
    count = 0
    for step in range(round(seconds / every)):
        now = start + step * every
        if not rates.is_too_fast(address, now):
            admitted(rates, address, limit, now)
            count += 1
    return count


def test_as_many_calls_at_once_as_there_may_be_lines() -> None:
    for limit in (1, FEWEST, 200):
        assert taken(RateLimits(0.0), HERE, limit, 0.0, 1.0, 0.0001) == pytest.approx(max(limit, FEWEST) * 1.1, abs=2)


def test_an_address_that_calls_all_the_time_gets_in_now_and_then() -> None:
    assert taken(RateLimits(0.0), HERE, 20, 0.0, 100.0, 0.01) == pytest.approx(20 + 100 * 20 / REFILL_SECONDS, abs=1)


def test_each_process_counts_among_all_calls() -> None:
    rates = RateLimits(0.0)
    for _ in range(round(CALLS_AT_ONCE)):
        assert rates.pause_seconds(0.0) == 0
        rates.forked(0.0)
    assert rates.pause_seconds(0.0) > 0


def test_one_address_is_not_made_to_wait_for_another() -> None:
    rates = RateLimits(0.0)
    for _ in range(20):
        admitted(rates, HERE, 20, 0.0)
    assert rates.is_too_fast(HERE, 0.0)
    assert not rates.is_too_fast("192.0.2.8", 0.0)
    assert not rates.is_too_fast(HERE, REFILL_SECONDS / 20)


def test_an_address_that_has_called_too_often_is_refused_though_lines_are_free(tmp_path: Path) -> None:
    admission, door, limits = (
        Admission(tmp_path / "none", Sessions()),
        door_of(TELNET),
        TelnetSettings(max_per_address=3),
    )
    for pid in range(FEWEST):
        assert admission.refusal(door, HERE, limits) is None
        admission.note(pid, door, HERE, limits)
        admission.connections.leave(pid)
    assert admission.refusal(door, HERE, limits) == TOO_FAST
    assert admission.refusal(door, "192.0.2.8", limits) is None


def test_a_file_of_the_page_is_a_part_of_a_call_and_a_flood_of_files_is_refused(tmp_path: Path) -> None:
    admission, door, limits = Admission(tmp_path / "none", Sessions()), door_of(TELNET), TelnetSettings()
    files = 0
    while (why := admission.refusal(door, HERE, limits, is_file=True)) is None:
        admission.note_forked(door, time.monotonic())
        admission.note(1, door, HERE, limits, is_file=True)
        files += 1
    assert why == TOO_FAST
    assert 3 * 30 < files < 1000
    assert admission.refusal(door, "192.0.2.8", limits) is None
    assert admission.pause_seconds(time.monotonic()) == 0, "all others go on"
    limits = TelnetSettings(max_per_address=1)
    for pid in range(1 + FILES_AT_ONCE):
        assert admission.refusal(door, "192.0.2.9", limits, is_file=True) is None
        admission.note(pid, door, "192.0.2.9", limits, is_file=True)
    assert admission.refusal(door, "192.0.2.9", limits, is_file=True) == TOO_MANY


def test_one_ipv6_network_has_the_lines_of_one_address(tmp_path: Path) -> None:
    admission, door, limits = (
        Admission(tmp_path / "none", Sessions()),
        door_of(TELNET),
        TelnetSettings(max_per_address=2),
    )
    for pid in (1, 2):
        admission.note(pid, door, f"2001:db8::{pid}", limits)
    assert admission.refusal(door, "2001:db8::3", limits) == TOO_MANY
    assert admission.refusal(door, "2001:db8:0:1::3", limits) is None
    admission.connections.leave(1)
    assert admission.refusal(door, "2001:db8::3", limits) is None


@pytest.mark.parametrize(("step", "share"), [(1, 2), (256, 4)], ids=["one /56", "one /48"])
def test_whoever_has_many_ipv6_networks_has_the_lines_and_calls_of_a_few(tmp_path: Path, step: int, share: int) -> None:
    limits, door = TelnetSettings(max_per_address=2), door_of(TELNET)
    admission, rates = Admission(tmp_path / "none", Sessions()), RateLimits(0.0)
    *peers, last = [f"2001:db8:0:{number * step:x}::1" for number in range(share * FEWEST + 1)]
    for pid, peer in enumerate(peers[: 2 * share]):
        assert admission.refusal(door, peer, limits) is None
        admission.note(pid, door, peer, limits)
    assert admission.refusal(door, last, limits) == TOO_MANY
    assert admission.refusal(door, "2001:db8:1::1", limits) is None
    for pid in range(2 * share):
        admission.connections.leave(pid)
    assert admission.connections.crowded(last, 1) == []
    for peer in peers:
        assert not rates.is_too_fast(peer, 0.0)
        admitted(rates, peer, 1, 0.0)
    assert rates.is_too_fast(last, 0.0)
    assert not rates.is_too_fast("2001:db8:1::1", 0.0)


def test_ipv6_hosts_have_a_network_each() -> None:
    assert address_group("2001:db8:1:2:3:4:5:6") == address_group("2001:db8:1:2::1") != address_group("2001:db8:1:3::1")
    assert address_group("fe80::1%eth0") == address_group("fe80::2")
    assert address_group("::ffff:192.0.2.7") == address_group("192.0.2.7") == "192.0.2.7"
    assert address_group("/dev/pts/3") == "/dev/pts/3"


def test_everybody_together_is_taken_at_a_pace() -> None:
    rates, now, calls = RateLimits(0.0), 0.0, 0
    while now < 60.0:
        if (pause_seconds := rates.pause_seconds(now)) > 0:
            now += pause_seconds
        else:
            admitted(rates, f"10.0.{calls // 250}.{calls % 250}", 20, now)
            calls += 1
            now += 0.0001
    assert calls == pytest.approx(CALLS_AT_ONCE + 60 * CALLS_A_SECOND, rel=0.02)


def test_a_crowd_comes_in_at_once_and_whoever_follows_at_the_pace() -> None:
    rates = RateLimits(0.0)
    for number in range(200):
        assert rates.pause_seconds(0.0) == 0
        admitted(rates, f"10.0.{number}.1", 20, 0.0)
    for _ in range(200, 300):
        rates.forked(0.0)
    assert rates.pause_seconds(0.0) == pytest.approx((301 - CALLS_AT_ONCE) / CALLS_A_SECOND)


def test_refusals_are_cheap_but_not_for_nothing() -> None:
    rates, now, refusals = RateLimits(0.0), 0.0, 0
    while now < 10.0:
        if (pause_seconds := rates.pause_seconds(now)) > 0:
            now += pause_seconds
        else:
            rates.refused(now)
            refusals += 1
            now += 0.00001
    assert refusals == pytest.approx((CALLS_AT_ONCE + 10 * CALLS_A_SECOND) / REFUSAL, rel=0.02)


def test_banned_addresses_have_a_pace_of_their_own(tmp_path: Path) -> None:
    admission, door = Admission(tmp_path / "none", Sessions()), door_of(TELNET)
    start = time.monotonic()
    for call in range(20_000):
        admission.note_refused(door, BANNED, start + call / BANNED_A_SECOND)
    assert admission.rates.pause_seconds(start + 10.0) == 0.0
    for _ in range(round(BANNED_AT_ONCE) * 2):
        admission.note_refused(door, BANNED, start + 11.0)
    assert 0.0 < admission.rates.pause_seconds(start + 11.0) < 2 * BANNED_AT_ONCE / BANNED_A_SECOND
    for pid in range(round(CALLS_AT_ONCE)):
        assert admission.rates.pause_seconds(start + 12.0) == 0.0, f"{pid} others may come in at once"
        admitted(admission.rates, f"10.0.{pid}.1", 20, start + 12.0)


def test_a_ban_ends_by_the_clock_that_it_was_made_by(tmp_path: Path) -> None:
    bans, now = tmp_path / "banned.json", [1000.0]
    bans.write_text('{"192.0.2.7": 2000.0}')
    admission = Admission(bans, Sessions(), lambda: now[0])
    admission.read_bans()

    def refusal() -> object:
        door = door_of(TELNET)
        return admission.refusal(door, "192.0.2.7", TelnetSettings())

    assert refusal() is BANNED
    now[0] = 2000.0
    assert refusal() is None


def test_the_number_of_addresses_is_bounded_and_busy_ones_are_kept() -> None:
    rates = RateLimits(0.0)
    for number in range(MOST_ADDRESSES * 2):
        admitted(rates, f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", 20, 0.0)
        for _ in range(2):
            admitted(rates, HERE, 20, 0.0)
    assert rates.is_too_fast(HERE, 0.0)
    assert len(rates._by_address) <= MOST_ADDRESSES


def test_a_message_is_logged_once_and_then_with_its_repeats() -> None:
    throttle = LogThrottle()
    told = [
        (now / 10, suppressed)
        for now in range(250)
        if (suppressed := throttle.suppressed("refused", now / 10)) is not None
    ]
    assert told == [(0.0, 0), (REPEAT_SECONDS, 99), (2 * REPEAT_SECONDS, 99)]
    assert throttle.suppressed("something else", 25.0) == 0
    for number in range(MOST_ADDRESSES * 2):
        throttle.suppressed(f"number {number}", 25.0)
    assert len(throttle._logged) <= MOST_ADDRESSES


@given(st.lists(st.tuples(st.floats(0, 5), st.integers(0, 3)), max_size=80))
def test_a_rest_is_never_longer_than_a_call_is_worth(steps: list[tuple[float, int]]) -> None:
    rates, now = RateLimits(0.0), 0.0
    for pause, calls in steps:
        now += pause + rates.pause_seconds(now)
        assert rates.pause_seconds(now) < 1e-9
        for _ in range(calls):
            admitted(rates, HERE, 20, now)
        assert rates.pause_seconds(now) <= 4 / CALLS_A_SECOND
