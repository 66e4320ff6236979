"""The points of a round and the end of a match (spec/offiziersskat.md 5, 6; O7 to O10)."""

import pytest
from msgspec.structs import replace

from tests.rules.offiziersskat.run import after_round, at_points, begun, scored
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import (
    Covered,
    Drawn,
    Event,
    HandDealt,
    Played,
    Result,
    RoundBegins,
    RoundOver,
    Scored,
    TrickTaken,
    Won,
)
from yawc_poker.games.offiziersskat.scoring import points


def verdict(log: list[Event]) -> list[Event]:
    """Return what is told after a round, without the trick and the next round."""
    return [one for one in log if not isinstance(one, Played | TrickTaken | RoundBegins | HandDealt | Covered)]


# --- 5. a round -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gained", "worth"),
    [(0, 0), (1, 0), (59, 0), (60, 1), (61, 2), (90, 2), (91, 3), (119, 3), (120, 4)],
)
def test_the_points_of_a_round(gained: int, worth: int) -> None:
    assert points(gained) == worth


@pytest.mark.parametrize("gained", range(121))
def test_o8_the_loser_gets_nothing(gained: int) -> None:
    assert 0 in {points(gained), points(120 - gained)} or gained == 60


def test_o10_sixty_each_is_the_only_draw() -> None:
    assert [gained for gained in range(121) if points(gained) == points(120 - gained)] == [60]
    assert verdict(scored(begun(), 60)) == [RoundOver(None, 1), Scored(0, 60, 1, 1), Scored(1, 60, 1, 1)]


def test_a_round_is_told_with_eyes_points_and_totals() -> None:
    state = at_points(begun(), 5, 7)
    assert verdict(scored(state, 92)) == [RoundOver(0, 1), Scored(0, 92, 3, 8), Scored(1, 28, 0, 7)]
    assert verdict(scored(state, 59)) == [RoundOver(1, 1), Scored(0, 59, 0, 5), Scored(1, 61, 2, 9)]


def test_o7_points_decide_over_a_trick_without_any() -> None:
    """Seat 1 takes the last trick, which has no eyes; seat 0 has all 120."""
    assert verdict(scored(begun(), 120, leader=1)) == [RoundOver(0, 1), Scored(0, 120, 4, 4), Scored(1, 0, 0, 0)]


def test_a_result_is_kept_with_its_opener_and_trump() -> None:
    state = begun()
    (result,) = after_round(state, 61).results
    assert result == Result(1, 0, state.round.trump, (61, 59), (2, 0))
    assert result.winner == 0
    assert replace(result, eyes=(60, 60)).winner is None


# --- 6. a match -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "gained", "winner"),
    [((20, 0), 61, 0), ((18, 20), 120, 0), ((20, 19), 0, 1), ((20, 19), 60, 0), ((19, 19), 10, 1)],
)
def test_a_match_ends_at_21_and_the_higher_score_wins(before: tuple[int, int], gained: int, winner: int) -> None:
    state = after_round(at_points(begun(), *before), gained)
    assert rules.is_over(state)
    assert (rules.won(state), rules.payouts(state)) == ((winner,), {winner: 1})
    *_, last = scored(at_points(begun(), *before), gained)
    assert last == Won(winner, rules.points(state)[winner])


@pytest.mark.parametrize(("before", "gained"), [((19, 19), 60), ((16, 18), 120), ((18, 0), 90)])
def test_below_21_another_round_is_played(before: tuple[int, int], gained: int) -> None:
    state = after_round(at_points(begun(), *before), gained)
    assert not rules.is_over(state)
    assert (rules.won(state), rules.points(state), rules.payouts(state)) == ((), {}, {})
    assert state.round.number == 2


def test_o9_a_match_can_be_drawn_at_21() -> None:
    """20:20 and a drawn round: nobody has won."""
    state = at_points(begun(), 20, 20)
    assert verdict(scored(state, 60))[-1] == Drawn(21)
    over = after_round(state, 60)
    assert (rules.is_over(over), rules.won(over), rules.payouts(over)) == (True, (), {})
    assert rules.points(over) == {0: 21, 1: 21}
