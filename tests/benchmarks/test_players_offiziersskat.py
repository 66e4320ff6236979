"""The baselines of Offiziersskat, and that they and the levels stand in the order that the table claims."""

import pytest

from benchmarks.players import offiziersskat as bench
from benchmarks.players.offiziersskat import EASY, NORMAL, Player, anything, eyes_of, eyes_won, greedy, one_trick


def mean(player: Player, other: Player, deals: int) -> float:
    return sum(sum(eyes_won(player, other, number)) for number in range(deals)) / (2 * deals)


@pytest.mark.parametrize(
    ("player", "other", "deals", "least"),
    [(greedy, anything, 25, 10), (one_trick, anything, 25, 12), (EASY, anything, 25, 5), (NORMAL, EASY, 25, 6)],
)
def test_the_better_player_takes_more_eyes(player: Player, other: Player, deals: int, least: float) -> None:
    assert mean(player, other, deals) > least


def test_a_round_has_all_eyes_and_is_the_same_again() -> None:
    first = eyes_of(3, {0: one_trick, 1: greedy})
    assert sum(first) == 120
    assert eyes_of(3, {0: one_trick, 1: greedy}) == first


def test_each_deal_is_played_from_both_seats() -> None:
    assert sum(eyes_won(greedy, greedy, 5)) == 0
    assert bench.dealing(5) != bench.dealing(6)
    assert len(bench.rounds_won(greedy, anything, 7)) == 2
