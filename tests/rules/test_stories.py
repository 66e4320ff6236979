"""Which cards of a past game a player may open, where the deck has some twice; and results in words."""

import pytest
from msgspec.structs import replace

from tests.made_up_game.game import HIGHEST
from yawc_poker.casino.bank.history import PastGame, PastPlayer, Proof, Summary
from yawc_poker.catalogues import words
from yawc_poker.registry import stories
from yawc_poker.session.menus.proof import proof_lines
from yawc_poker.table_ui.definition import AnyRetold, plain
from yawc_poker.table_ui.narrative import Counted, Standing

DECK = ("A+", "A+", "K+", "K+", "Q+")
ANNA = PastPlayer(1, "Anna", 0)
SUMMARY = Summary(1, 0, "double", 0.0, 1.0, "lost", "0" * 64, (), (ANNA,), 0, None)
PLAYED = PastGame(SUMMARY, (), Proof(" ".join(DECK), "0" * 64, ()), (), None)


def retold(*seen: str, counted: Counted = "places") -> AnyRetold:
    return plain(HIGHEST).retold._replace(
        cards_open=lambda states, seat: seen,
        results=lambda states: (Standing(0, (), 2, False, False, False),),
        counted=counted,
    )


@pytest.mark.parametrize(
    ("seen", "opened"),
    [(("A+", "Q+"), {"Q+"}), (("A+", "A+", "K+"), {"A+"}), (DECK, set(DECK)), ((), set())],
)
def test_a_card_that_is_there_twice_is_opened_only_where_both_were_seen(
    seen: tuple[str, ...], opened: set[str]
) -> None:
    """Which of the two positions was a player's cannot be told; the other may be another player's hidden card."""
    assert set(stories.opened(retold(*seen), DECK, PLAYED, 1)) == opened


def test_the_secret_is_told_only_with_every_card() -> None:
    for seen in (DECK, DECK[:4]):
        shown = stories.opened(retold(*seen), DECK, PLAYED, 1)
        text = "\n".join(proof_lines(PLAYED, shown, words("en")))
        assert (f"s={'0' * 64}" in text) == (seen == DECK)
        assert text.count("sha256sum") >= len(seen)


def test_nothing_is_opened_of_a_game_that_cannot_be_played_again() -> None:
    def opened(states: object, seat: object) -> tuple[str, ...]:
        raise ValueError

    assert not stories.opened(retold()._replace(cards_open=opened), DECK, PLAYED, 1)


@pytest.mark.parametrize(
    ("counted", "told", "unit"),
    [("points", "2 points", "POINTS"), ("places", "place 2", "PLACE"), ("cubes", "looked on", "")],
)
def test_results_are_told_in_what_a_game_counts(counted: Counted, told: str, unit: str) -> None:
    assert stories.shares(retold(counted=counted), PLAYED, words("en")) == (told,)
    assert stories.results(retold(counted=counted), PLAYED).unit == unit


def test_a_match_for_cubes_tells_both() -> None:
    winner = replace(PLAYED, game=replace(SUMMARY, players=(replace(ANNA, got=12),)))
    assert stories.shares(retold(counted="points"), winner, words("en")) == ("2 points, paid 0, got 12",)
    looked_on = replace(PLAYED, game=replace(SUMMARY, players=(replace(ANNA, seat=None),)))
    assert stories.shares(retold(counted="points"), looked_on, words("en")) == ("",)
