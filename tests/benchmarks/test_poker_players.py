"""The baselines of poker play by the rules, and what one gains the others lose."""

import pytest
from msgspec.structs import replace

from benchmarks.players import arena
from benchmarks.players.arena import Pairing
from benchmarks.players.poker import (
    EASY,
    HARD,
    MANIAC,
    MINIMUM,
    PAIRINGS,
    POT_ODDS,
    ROCK,
    STRICT_ROCK,
    Player,
    bully,
    learned,
    played,
    tight_aggressive,
)
from yawc_poker.cards import cards
from yawc_poker.engine.game import Dealing
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.hands import sort_hand
from yawc_poker.games.poker.model import Bet, Options, PastBet, View

ACES = sort_hand(cards("A+ A* A- A# 7+"))


def view_of(*bets: PastBet) -> View:
    """Seat 0, which is last in the third round, after these bets of seat 1."""
    state = rules.deal({0: 1000, 1: 1000}, 1, Dealing(" ".join(rules.DECK)), Options()).state
    view = rules.view(replace(state, current=0), 0)
    return replace(view, round=3, bets=bets, low=bets[-1].amount, high=200, pot=25)


DUELS = [one for one in PAIRINGS if "learner" not in one.name]


@pytest.mark.parametrize("pairing", DUELS, ids=lambda pairing: pairing.name)
def test_every_pairing_can_be_played_and_repeated(pairing: Pairing) -> None:
    seats = 5 if "five" in pairing.name else 2
    gains = pairing.play(3)
    assert len(gains) == seats
    assert pairing.play(3) == gains


def test_a_learner_plays_otherwise_after_its_lessons() -> None:
    gains = [learned(MANIAC, 3, lessons, exams=30) for lessons in (0, 400, 400)]
    assert len(gains[0]) == 60
    assert gains[1] == gains[2] != gains[0]


def test_nobody_pays_more_than_the_least_once_the_hands_will_be_seen() -> None:
    asked = PastBet(3, 1, 5, True)
    for betting in (tight_aggressive, bully):
        assert betting(view_of(asked), ACES) == Bet(5, see=True)


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
