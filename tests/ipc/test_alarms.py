import math
import select
import signal
import time
from collections.abc import Callable

import pytest

from tests.ipc.processes import forked
from yawc_poker.ipc.alarms import BEAT, Alarms
from yawc_poker.ipc.signals import SignalInbox

Say = Callable[[str], None]


class Clock:
    """A clock that is set by hand, and the timer that is armed by it."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.armed: list[float] = []
        self.fires_at = math.inf
        self.again = 0.0
        self.alarms = Alarms(lambda: self.time, self._arm)

    def _arm(self, seconds: float, period: float) -> None:
        self.armed.append(seconds)
        self.fires_at = self.time + seconds if seconds else math.inf
        self.again = period

    def run_until(self, end: float) -> list[tuple[float, str]]:
        """Advance to the times of the timer, and return the (time, name) of each alarm."""
        fired: list[tuple[float, str]] = []
        while self.fires_at <= end:
            self.time = self.fires_at
            self.fires_at = self.time + self.again if self.again else math.inf
            fired += [(round(self.time, 3), name) for name in self.alarms.due()]
        self.time = end
        return fired


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_timer_is_armed_for_the_earliest(clock: Clock) -> None:
    clock.alarms.set("late", 1010)
    clock.alarms.set("early", 1003)
    clock.alarms.set("later", 1020)
    assert clock.armed == [10, 3]
    assert clock.alarms.next_at == 1003
    clock.alarms.cancel("early")
    assert clock.armed[-1] == 10
    clock.alarms.cancel("nobody")
    assert clock.armed[-1] == 10


def test_alarms_fire_in_order_of_time_then_of_setting(clock: Clock) -> None:
    for name, at in (("c", 1002.0), ("a", 1001.0), ("d", 1002.0), ("e", 1009.0)):
        clock.alarms.set(name, at)
    assert clock.alarms.due(1005) == ["a", "c", "d"]
    assert clock.alarms.due(1005) == []
    assert clock.alarms.next_at == 1009


def test_an_alarm_set_anew_replaces_the_old_one(clock: Clock) -> None:
    clock.alarms.set("deadline", 1003)
    clock.alarms.set("deadline", 1007)
    assert clock.run_until(1020) == [(1007, "deadline")]
    clock.alarms.every("tick", 5)
    clock.alarms.set("tick", 1021)
    assert clock.run_until(1100) == [(1021, "tick")]


def test_what_changes_nothing_arms_no_timer(clock: Clock) -> None:
    clock.alarms.set("deadline", 1003)
    clock.alarms.set("deadline", 1003)
    clock.alarms.cancel("nobody")
    assert clock.armed == [3]
    clock.alarms.every("deadline", 3)
    clock.alarms.set("deadline", 1003)
    assert clock.run_until(1020) == [(1003, "deadline")]


def test_an_alarm_fires_at_its_time_and_not_before(clock: Clock) -> None:
    clock.alarms.set("exact", 1001)
    assert clock.alarms.due(1000.999999) == []
    assert clock.alarms.due(1001) == ["exact"]


def test_the_timer_is_never_armed_with_zero_while_an_alarm_is_set(clock: Clock) -> None:
    clock.alarms.set("now", 1000)
    clock.alarms.set("long ago", 1)
    clock.alarms.due(500)
    assert len(clock.armed) == 3
    assert min(clock.armed) > 0
    clock.alarms.close()
    assert clock.armed[-1] == 0
    assert clock.alarms.next_at is None


def test_sitting_down_and_getting_up_shifts_no_duty(clock: Clock) -> None:
    alarms = clock.alarms
    alarms.every("duty", 60)
    fired = clock.run_until(1017.3)
    alarms.every("tick", 5)
    fired += clock.run_until(1048.9)
    alarms.cancel("tick")
    fired += clock.run_until(1083.1)
    alarms.every("tick", 5)
    fired += clock.run_until(1200)
    assert [at for at, name in fired if name == "duty"] == [1060, 1120, 1180]
    ticks = [at for at, name in fired if name == "tick"]
    assert ticks[:8] == [1020, 1025, 1030, 1035, 1040, 1045, 1085, 1090]
    assert len(ticks) == 6 + 24


def test_what_is_repeated_falls_together(clock: Clock) -> None:
    """An idle session wakes once in five seconds, whenever it sat down, and never arms the timer."""
    fired = clock.run_until(1001.7)
    clock.alarms.every("duty", 60)
    clock.alarms.every("keepalive", 30)
    fired += clock.run_until(1013.3)
    clock.alarms.every("tick", 5)
    fired += clock.run_until(1060)
    ticks = [1015, 1020, 1025, 1030, 1035, 1040, 1045, 1050, 1055, 1060]
    assert [at for at, name in fired if name == "tick"] == ticks
    assert sorted({at for at, _ in fired}) == ticks
    assert [at for at, name in fired if name == "keepalive"] == [1030, 1060]
    assert (1060, "duty") in fired


def test_a_grid_may_go_through_a_moment_of_ones_own(clock: Clock) -> None:
    clock.alarms.every("duty", 60)
    clock.alarms.every("tick", 5, through=1183.2)
    assert [at for at, name in clock.run_until(1020) if name == "tick"] == [1003.2, 1008.2, 1013.2, 1018.2]
    clock.alarms.every("tick", 5)
    fired = clock.run_until(1065)
    assert [at for at, name in fired if name == "tick"][:3] == [1025, 1030, 1035]
    assert (1060, "duty") in fired


def test_a_timer_that_goes_on_by_itself_is_not_armed(clock: Clock) -> None:
    clock.alarms.every("tick", 5)
    assert len(clock.run_until(1100)) == 20
    assert clock.armed == [5]
    clock.alarms.set("deadline", 1107)
    assert clock.run_until(1112) == [(1105, "tick"), (1107, "deadline"), (1110, "tick")]
    assert clock.armed == [5, 2, 3]


def test_repeated_alarms_do_not_drift_when_served_late(clock: Clock) -> None:
    clock.alarms.every("tick", 5)
    clock.time = 1006.2
    assert clock.alarms.due() == ["tick"]
    assert clock.alarms.next_at == 1010


def test_a_timer_that_is_armed_late_goes_back_to_its_grid(clock: Clock) -> None:
    clock.alarms.every("tick", 5)
    clock.time = 1007
    clock.alarms.set("deadline", 1020)
    assert clock.run_until(1021) == [
        (1007, "tick"),
        (1010, "tick"),
        (1015, "tick"),
        (1020, "deadline"),
        (1020, "tick"),
    ]


def test_what_was_missed_comes_once(clock: Clock) -> None:
    clock.alarms.every("tick", 5)
    clock.time = 1033
    assert clock.alarms.due() == ["tick"]
    assert clock.alarms.next_at == 1035
    clock.time = 1035
    assert clock.alarms.due() == ["tick"]
    assert clock.alarms.next_at == 1040


@pytest.mark.parametrize("period", [0.1, 0.3, 1 / 3, 0.7])
def test_odd_periods_never_fire_twice_at_one_moment(period: float) -> None:
    clock = Clock()
    clock.alarms.every("tick", period)
    for _ in range(2000):
        at = clock.alarms.next_at
        assert at is not None
        clock.time = at
        assert clock.alarms.due() == ["tick"]
        assert clock.alarms.due() == []
    assert clock.time == pytest.approx(1000 + 2000 * period, abs=period / 2)


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_period_of_nothing_is_refused(clock: Clock, seconds: float) -> None:
    with pytest.raises(ValueError, match="tick"):
        clock.alarms.every("tick", seconds)


def test_processes_that_begin_within_a_beat_wake_together() -> None:
    grids = []
    for begun in (1000.0, 1000.01, 1000.24, 1000.26):
        alarms = Alarms(now=iter([begun] * 9).__next__, arm=lambda seconds, period: None)
        alarms.every("tick", 5.0)
        grids.append(alarms.next_at)
    assert grids == [1005.0, 1005.0, 1005.0, 1000.0 + BEAT + 5.0]


def test_the_real_timer_sends_a_signal_for_each_alarm() -> None:
    """Run in a child, because the test runner has a timer of its own in this process."""

    def live(say: Say) -> None:
        inbox, alarms = SignalInbox(), Alarms()
        started = time.monotonic()
        alarms.every("tick", 0.02)
        alarms.set("once", started + 0.05)
        alarms.set("past", started - 1)
        fired: list[str] = []
        while fired.count("tick") < 5:
            assert select.select([inbox], [], [], 10)[0]
            assert inbox.drain() == {signal.SIGALRM}
            fired += alarms.due()
        assert time.monotonic() - started >= 0.079  # the grid may have begun earlier, so the first moment comes sooner
        assert fired[0] == "past"
        assert fired.count("once") == 1
        alarms.close()
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
        say("done")

    with forked(live) as child:
        assert child.end() == ["done"]


def test_a_forked_child_inherits_no_timer() -> None:
    def parent(say: Say) -> None:
        SignalInbox()
        Alarms().set("far", time.monotonic() + 1000)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0

        def look(tell: Say) -> None:
            tell(str(signal.getitimer(signal.ITIMER_REAL)))

        with forked(look) as child:
            say(child.end()[0])

    with forked(parent) as child:
        assert child.end() == ["(0.0, 0.0)"]
