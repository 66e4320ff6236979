"""The baselines of poker play by the rules, and what one gains the others lose."""

import pytest

from benchmarks.players import arena
from benchmarks.players.arena import Pairing
from benchmarks.players.poker import EASY, HARD, MANIAC, MINIMUM, PAIRINGS, POT_ODDS, ROCK, STRICT_ROCK, Player, played


@pytest.mark.parametrize("pairing", PAIRINGS, ids=lambda pairing: pairing.name)
def test_every_pairing_can_be_played_and_repeated(pairing: Pairing) -> None:
    seats = 5 if "five" in pairing.name else 2
    gains = pairing.play(3)
    assert len(gains) == seats
    assert pairing.play(3) == gains


@pytest.mark.parametrize("others", [(MINIMUM,), (POT_ODDS,), (MANIAC, ROCK), (STRICT_ROCK, EASY, MINIMUM, MANIAC)])
def test_what_one_gains_the_others_lose(others: tuple[Player, ...]) -> None:
    for number in range(10):
        gains = played((HARD, *others), number)
        assert sum(gains) == 0
        assert any(gains)


def test_pairings_can_be_sent_to_other_processes() -> None:
    pairing = next(one for one in PAIRINGS if "maniac" in one.name)
    alone, together = (arena.play(pairing, processes, rounds=12) for processes in (1, 2))
    assert alone[:3] == together[:3]
