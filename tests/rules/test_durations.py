import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1),
        ("30m", 1800),
        ("90m", 5400),
        ("2h", 7200),
        ("3d", 259200),
        ("1d12h", 129600),
        (" 2D 6h ", 194400),
        ("forever", None),
        ("Forever", None),
        ("36500d", 36500 * 86400),
    ],
)
def test_durations_are_read(text: str, seconds: float | None) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", " ", "0m", "0d0h", "30", "m", "-2h", "2x", "2h1d", "1h1h", "1.5h", "٣d", "36501d", "9" * 400 + "d"]
)
def test_anything_else_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a duration: .*write 30m, 2h, 3d, 1d12h or forever"):
        parse_duration(text)


@given(st.text(max_size=30))
def test_any_text_gives_seconds_or_the_one_error(text: str) -> None:
    try:
        seconds = parse_duration(text)
    except ValueError:
        return
    assert seconds is None or seconds >= 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "forever"), (0, "1s"), (0.2, "1s"), (59.5, "1m"), (5400, "1h30m"), (90061, "1d1h"), (86400, "1d")],
)
def test_durations_are_written(seconds: float | None, text: str) -> None:
    assert format_duration(seconds) == text


@given(st.integers(1, 10**9))
def test_what_is_written_is_read_again_less_the_small_units(seconds: int) -> None:
    read = parse_duration(format_duration(seconds))
    assert read is not None
    assert read <= seconds < read + 3600
