"""What a match between house players comes to, and the table of it."""

import pytest

from benchmarks.players import arena, maumau
from benchmarks.players.__main__ import inserted, measured
from benchmarks.players.arena import PERCENT, Habits, Pairing, Result

PAGE = "# A\n<!-- table of a -->\n<!-- end of table -->\n# B\n<!-- table of b -->\nold\n<!-- end of table -->\nend\n"


def by_number(number: int) -> tuple[float, ...]:
    """Return gains whose means are 2, 4, 2, 4 ..."""
    return (1.0, 3.0) if number % 2 == 0 else (4.0, 4.0)


def won(number: int) -> tuple[float, ...]:
    return (1.0,)


@pytest.mark.parametrize("processes", [1, 2])
def test_the_error_is_that_of_the_means_of_the_numbers(processes: int) -> None:
    result = arena.play(Pairing("a", None, 8, by_number), processes)
    assert (result.games, result.mean) == (8, 3.0)
    assert result.error == pytest.approx((4 / 3 / 4) ** 0.5)
    assert result.low == pytest.approx(3 - 1.96 * result.error)
    assert result.high == pytest.approx(3 + 1.96 * result.error)


def test_as_many_rounds_are_played_as_were_asked_for() -> None:
    assert arena.play(Pairing("a", None, 1000, by_number), 1, rounds=5).games == 6
    assert arena.play(Pairing("a", None, 1, by_number), 1).games == 2


@pytest.mark.parametrize(
    ("mark", "low", "reached"), [(0.58, 0.58, "yes"), (0.58, 0.579, "no"), (0.0, 0.0, "no"), (0.0, 0.1, "yes")]
)
def test_a_mark_is_reached_by_the_lower_end(mark: float, low: float, reached: str) -> None:
    row = arena.row(Pairing("a", mark, 1, won), Result(1, low, 0.0, 1.0))
    assert row.endswith(f"| {reached} |")


def test_a_row_tells_mean_error_and_interval_in_the_unit() -> None:
    share = arena.row(Pairing("hard against bot", 0.58, 1, won, PERCENT), Result(2000, 0.6, 0.01, 1.0))
    assert share == "| hard against bot | 2,000 | 60.0 ± 1.0 % | 58.0 to 62.0 | at least 58.0 | yes |"
    gains = arena.row(Pairing("a", None, 1, won, "CUBES a game"), Result(10, -1.0, 0.5, 1.0))
    assert gains == "| a | 10 | -1.00 ± 0.50 CUBES a game | -1.98 to -0.02 | – | – |"


def test_a_table_is_put_in_the_place_of_its_game_and_again() -> None:
    table = measured([Pairing("a", None, 1, won)], 1, None)
    once = inserted(PAGE, "a", table)
    assert once.index("| a |") < once.index("# B") < once.index("old")
    assert inserted(once, "a", table) == once
    assert "old" not in inserted(once, "b", "new")
    with pytest.raises(SystemExit):
        inserted(PAGE, "c", table)


def test_rows_of_a_table_are_put_in_place_of_the_former_and_others_stay() -> None:
    page = inserted(PAGE, "a", "| a | 1 |\n| b | 2 |")
    assert inserted(page, "a", "| b | 9 |", only_rows=True) == inserted(PAGE, "a", "| a | 1 |\n| b | 9 |")


def seldom(number: int) -> dict[str, tuple[int, int]]:
    return {"laughs": (number, 4), "weeps": (0, 1)}


def never(number: int) -> dict[str, tuple[int, int]]:
    return {"laughs": (0, 4)}


def test_habits_are_counted_by_player_and_a_chance_that_nobody_had_is_no_share() -> None:
    table = arena.habits(Habits("habits", 2, {"hard": seldom, "easy": never}, {"laughs": 2}), 1)
    assert table.splitlines() == [
        "| habits | hard | easy | mark |",
        "|---|---|---|---|",
        "| laughs | 1 of 8, 12 % | 0 of 8, 0 % | at most 2 % |",
        "| weeps | 0 of 2, 0 % | – | – |",
    ]


def test_two_with_equal_points_have_half_a_game_of_mau_mau_each() -> None:
    assert maumau.play("chance", "chance", 2, 2, 35) == (0.5, 0.5)
