"""The matches in which the house players of Doppelkopf are measured."""

import pytest

from benchmarks.players import doppelkopf
from benchmarks.players.doppelkopf import EASY, Player, any_card, any_move, games, greedy, kept, points


@pytest.mark.parametrize("others", [greedy, any_card, any_move, EASY])
def test_each_seat_plays_the_same_deal(others: Player) -> None:
    ended = list(games(others, others, 3))
    assert [seat for seat, _ in ended] == [0, 1, 2, 3]
    assert all(len(state.results) == 1 for _, state in ended)
    if others is greedy:
        assert len({state.results for _, state in ended}) == 1
        assert sum(points(greedy, greedy, 3)) == 0


def test_the_first_call_from_a_deal_on_is_judged() -> None:
    assert kept(greedy, any_card, 1) in {(0.0,), (1.0,)}
    assert all(pairing.rounds % len(pairing.play(0)) == 0 for pairing in doppelkopf.PAIRINGS if "easy" in pairing.name)
