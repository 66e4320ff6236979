"""The CPU budget of a caller's input: a person never waits, a flood gets a share, and a smaller one if it goes on."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.session.loop.cpu_budget import BATCH, LONG, LONG_SHARE, SAVED, SHARE, CpuBudget, CpuMeter


def spent_in(seconds: float, cost: float, budget: CpuBudget, start: float = 0.0) -> float:
    """Spend as fast as it is allowed, so much at a time; return how much that came to."""
    now, spent = start, 0.0
    while now < start + seconds:
        rest = budget.rest(now)
        if rest:
            now += rest
        else:
            budget.spend(cost, now)
            now += cost
            spent += cost
    return spent


def test_a_person_never_rests() -> None:
    budget = CpuBudget(0.0)
    for key in range(3000):  # twenty keys a second, two milliseconds each
        now = key / 20
        assert budget.rest(now) == 0
        budget.spend(0.002, now)
    assert budget.busy_for(150.0) == 0


def test_a_login_at_once_is_paid_out_of_what_is_saved() -> None:
    budget = CpuBudget(0.0)
    budget.spend(0.12, 0.1)
    assert budget.rest(0.1) == 0


def test_a_flood_gets_its_share_and_after_a_while_the_smaller_one() -> None:
    budget = CpuBudget(0.0)
    assert spent_in(LONG, 0.001, budget) == pytest.approx(SAVED + LONG * SHARE, rel=0.1)
    assert spent_in(100.0, 0.001, budget, LONG) == pytest.approx(100 * LONG_SHARE, rel=0.2)
    assert budget.busy_for(LONG + 100) == pytest.approx(LONG + 100, abs=1)


def test_a_caller_who_stops_flooding_is_like_any_other_after_a_while() -> None:
    budget = CpuBudget(0.0)
    spent_in(60.0, 0.001, budget)
    later = 60 + SAVED / LONG_SHARE
    assert budget.busy_for(later) == 0
    assert spent_in(LONG, 0.001, budget, later) == pytest.approx(SAVED + LONG * SHARE, rel=0.1)


def test_a_flood_changes_rank_and_gets_it_back() -> None:
    meter, ranks = CpuMeter(), list[str]()
    meter.budget = CpuBudget(time.monotonic() - 1000)
    meter.check()
    meter.rank(lambda: ranks.append("first"), lambda: ranks.append("last"))
    meter.check()
    meter.budget.spend(SAVED * 0.2, time.monotonic())
    meter.check()
    assert ranks == ["first"]
    meter.budget.spend(SAVED * 0.2, time.monotonic())
    meter.check()
    meter.check()
    assert ranks == ["first", "last"]
    meter.budget = CpuBudget(time.monotonic())
    meter.check()
    assert ranks == ["first", "last", "first"]


def test_a_caller_who_rests_goes_on_in_batches() -> None:
    budget = CpuBudget(0.0)
    budget.spend(SAVED, 0.0)
    assert budget.rest(0.0) == pytest.approx(BATCH / SHARE)
    assert budget.rest(BATCH / SHARE / 2) == pytest.approx(BATCH / SHARE / 2)
    assert budget.rest(BATCH / SHARE) == 0


def test_a_debt_is_bounded() -> None:
    budget = CpuBudget(0.0)
    budget.spend(1000.0, 0.0)
    assert budget.rest(0.0) <= (SAVED + BATCH) / SHARE


@given(st.lists(st.tuples(st.floats(0, 2), st.floats(0, 0.1)), max_size=50))
def test_no_more_is_spent_than_was_saved_and_has_come(steps: list[tuple[float, float]]) -> None:
    budget, now, spent = CpuBudget(0.0), 0.0, 0.0
    for pause, cost in steps:
        now += pause
        if budget.rest(now) == 0:
            budget.spend(cost, now)
            spent += cost
    assert spent <= SAVED + SHARE * now + 0.1  # the last one may overdraw the budget
