"""A hand for chips as its players see and hear it: chips are called so, and CUBES are not spoken of."""

from random import Random

import pytest

from tests.rules.chips_run import Hand
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.poker.game import CHOICES
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import BetMade, Category, Event, Options, Stack, State, TakenOut, Won
from yawc_poker.games.poker.ui.linear import LINEAR
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.games.poker.ui.speech import plain
from yawc_poker.words import LANGUAGES, Language

OPTIONS = Options(20, 400, (Stack(1, 1000), Stack(2, 21), Stack(3, 5)))
CHIPS: dict[Language, str] = {"en": "chips", "de": "Chips", "nl": "fiches", "fr": "jetons"}


def hand() -> Hand:
    """Three sit there; the third has fewer chips than the ante."""
    return Hand({0: 1, 1: 2, 2: 3}, OPTIONS, Random(4))


def shown(table: Table[State, Event], session: int, language: Language) -> str:
    scene = FACE.scene(table, session, 0, 1000.0)
    local = FACE.follow(FACE.fresh(OPTIONS), scene)
    return "\n".join(row.text for row in FACE.layout.render(scene, local, words(language), 80, 24).rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_screen_counts_chips(language: Language) -> None:
    table, chips = hand().table, CHIPS[language]
    for user, owned in ((1, 980), (2, 1), (3, 0)):
        text = shown(table, user, language)
        assert f"45 {chips}" in text, "the pot"
        assert f"{owned} {chips.removesuffix('s') if owned == 1 else chips}" in text
        assert "CUBE" not in text
    assert FACE.scene(table, 1, 0, 1000.0).cash == 7, "CUBES, which are not at stake"


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_reads_lines_is_told_chips(language: Language) -> None:
    scene = FACE.scene(hand().table, 1, 0, 1000.0)
    speak, local = words(language), FACE.fresh(OPTIONS)
    told = " ".join((*LINEAR.facts(scene, local, speak), *LINEAR.asked(scene, local, speak)))
    for amount in ("980", "400", "45"):
        assert f"{amount} {CHIPS[language]}" in told
    assert "CUBE" not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_happens_is_told_in_chips(language: Language) -> None:
    for event in (
        BetMade(0, 20, see=False, chips=True),
        BetMade(0, 20, see=True, chips=True),
        TakenOut(0, "max_below_min", chips=True),
        Won(0, 20, chips=True),
        Won(0, 20, Category.FLUSH, chips=True),
    ):
        told = plain(event, "Anna", words(language))
        assert CHIPS[language] in told
        assert "CUBE" not in told
    (terms,) = CHOICES.terms(OPTIONS, words(language))
    assert CHIPS[language].casefold() in terms.casefold()
    assert "CUBE" not in terms


def test_whoever_came_during_the_hand_reads_no_stack_of_somebody_else() -> None:
    table = tables.sit(hand().table, POKER, Seat(9, 9, "Nina", 3), 1000.0, Clocks())
    text = shown(table, 9, "en")
    assert text.count("chips") == 1, "the pot alone"
    assert "CUBES" not in text
