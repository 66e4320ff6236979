"""The arithmetic of the rankings, the calendar they go by, and charts in characters."""

import calendar
from itertools import groupby
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.appearance.chart import EDGE_CELLS, chart
from yawc_poker.casino.rankings.days import NONE, Tally, of_game, ranked
from yawc_poker.casino.rankings.periods import DAY, Month, date_of, day_of, month_of, parts
from yawc_poker.terminal.text import encode, is_harmless


class Result(NamedTuple):
    won: bool
    cubes: int
    points: int | None


results = st.lists(st.builds(Result, st.booleans(), st.integers(-50, 50), st.none() | st.integers(-9, 9)), max_size=12)


def merged(tallies: list[Tally]) -> Tally:
    whole = NONE
    for tally in tallies:
        whole = whole.then(tally)
    return whole


def counted(played: list[Result]) -> Tally:
    """Count games without any tally."""
    rows = [(won, len(list(row))) for won, row in groupby(one.won for one in played)]
    points = [one.points for one in played if one.points is not None]
    return Tally(
        len(played),
        sum(one.won for one in played),
        sum(one.cubes for one in played),
        sum(points) if points else None,
        rows[0][1] if rows and rows[0][0] else 0,
        rows[-1][1] if rows and rows[-1][0] else 0,
        max((length for won, length in rows if won), default=0),
    )


def tally_of(played: list[Result]) -> Tally:
    return merged([of_game(won=one.won, cubes=one.cubes, points=one.points) for one in played])


@given(st.lists(results, max_size=5))
def test_the_tallies_of_days_are_those_of_all_their_games_however_they_are_cut(days: list[list[Result]]) -> None:
    assert merged([tally_of(day) for day in days]) == counted([game for day in days for game in day])


def test_cubes_that_moved_without_a_game_break_no_row() -> None:
    won = of_game(won=True, cubes=5, points=None)
    assert won.then(Tally(cubes=-3)).then(won) == Tally(2, 2, 7, None, 2, 2, 2)


def test_a_table_has_the_best_first_and_equals_share_a_rank() -> None:
    tallies = {1: Tally(3, 1, 10), 2: Tally(3, 2, 10), 3: Tally(1, 0, -4), 4: Tally(9, 9, 50), 5: Tally(2, 1, 7)}
    whole = ranked(tallies, "cubes", {*tallies})
    assert [(place.rank, place.user) for place in whole] == [(1, 4), (2, 2), (2, 1), (4, 5)]
    assert [(place.rank, place.user) for place in ranked(tallies, "cubes", {1, 5, 6})] == [(1, 1), (2, 5)]
    assert [place.user for place in ranked(tallies, "points", {*tallies})] == []


@given(st.integers(0, 40_000))
def test_a_day_is_in_its_month(day: int) -> None:
    month = month_of(day)
    assert day in month.days
    assert len(month.days) == calendar.monthrange(month.year, month.number)[1]
    assert month.next.days.start == month.days.stop
    assert month.before.next == month == month.next.before
    assert day_of(day * DAY) == day_of(day * DAY + DAY - 1) == day
    assert date_of(day).startswith(str(month))


@given(st.integers(0, 30_000), st.integers(0, 400))
def test_the_parts_of_a_span_are_all_of_it_and_within_months(start: int, length: int) -> None:
    found = list(parts(range(start, start + length)))
    assert [day for part in found for day in part] == list(range(start, start + length))
    assert all(month_of(part[0]) == month_of(part[-1]) for part in found)


def test_months_are_written_so_that_they_sort() -> None:
    assert str(Month(2026, 3)) == "2026-03"
    assert Month(2025, 12) < Month(2026, 1)


def test_a_chart_goes_from_the_lowest_to_the_highest() -> None:
    assert chart([0, 10, 20, 30, 40, 50, 60, 70], 4) == [
        "        70 │      ▄█",
        "           │    ▄███",
        "           │  ▄█████",
        "         0 │▄███████",
    ]
    assert chart([5, 5, 5], 3) == ["           │", "           │▄▄▄", "         5 │███"]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=60), st.integers(2, 8))
def test_a_chart_fits_and_every_terminal_can_show_it(values: list[int], rows: int) -> None:
    lines = chart(values, rows)
    assert len(lines) == rows
    assert all(len(line) <= EDGE_CELLS + len(values) and is_harmless(line) for line in lines)
    assert "?" not in "".join(encode(line, "ascii", pc=False).decode() for line in lines)
