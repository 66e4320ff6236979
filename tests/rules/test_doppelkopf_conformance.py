"""Doppelkopf's rules in the conformance suite of all games (tests/engine/test_conformance.py)."""

from collections.abc import Callable

import pytest

from tests.engine import test_conformance as suite
from tests.rules.doppelkopf_run import ADAPTER, Adapted

CHECKS: tuple[Callable[[Adapted], None], ...] = (
    suite.test_random_play_ends_and_conserves_cards_and_money,
    suite.test_somebody_moves_until_it_is_over,
    suite.test_an_illegal_move_raises_and_changes_nothing,
    suite.test_the_clock_cannot_move_in_a_game_that_is_over,
    suite.test_values_survive_encoding,
    suite.test_hidden_cards_are_in_no_view,
    suite.test_what_is_sealed_and_hidden_is_in_nothing_that_a_seat_gets,
    suite.test_a_turn_has_its_own_number,
    suite.test_the_same_chance_gives_the_same_game,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
def test_conformance(check: Callable[[Adapted], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "SEEDS", range(25))
    check(ADAPTER)
