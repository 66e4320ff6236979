from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.session.caller.notices import AT_ONCE, LINES, SECONDS, WriteRate


def test_five_lines_at_once_and_then_one_a_second() -> None:
    rate = WriteRate()
    assert [rate.allows(100.0) for _ in range(7)] == [True] * 5 + [False] * 2
    assert not rate.allows(104.9)
    assert [rate.allows(105.0) for _ in range(6)] == [True] * 5 + [False]


def test_steady_writing_is_never_refused() -> None:
    rate = WriteRate()
    assert all(rate.allows(number * SECONDS / LINES) for number in range(1000))


@given(st.lists(st.floats(0, 2), max_size=200))
def test_no_span_of_five_seconds_has_more_than_five_lines(gaps: list[float]) -> None:
    rate, now, written = WriteRate(), 0.0, []
    for gap in gaps:
        now += gap
        if rate.allows(now):
            written.append(now)
    for first in range(len(written) - LINES):
        assert written[first + LINES] - written[first] >= SECONDS


def test_who_calls_again_and_again_does_not_write_faster() -> None:
    now, written, began = 100.0, 0, None
    for _ in range(60):
        rate = WriteRate()
        if began is not None:
            rate.go_on(began)
        began = now
        written += sum([rate.allows(now) for _ in range(LINES)])
        now += 1.0
    assert written == LINES + 59 * AT_ONCE
    rate = WriteRate()
    rate.go_on(now - SECONDS)
    assert [rate.allows(now) for _ in range(LINES + 1)] == [True] * LINES + [False]
