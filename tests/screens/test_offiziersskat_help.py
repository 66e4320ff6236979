"""Offiziersskat's help page says what the rules do: trumps, eyes, the points of a round, the keys."""

import re

import pytest

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.catalogues import package_text, words
from yawc_poker.games.offiziersskat.model import ALL_EYES, PLACES, TARGET, TRICKS
from yawc_poker.games.offiziersskat.scoring import points
from yawc_poker.games.offiziersskat.trumps import JACKS, order_of
from yawc_poker.games.offiziersskat.ui.scene import CARD_KEYS, TABLE_KEY
from yawc_poker.table_ui.speech import cards_text, rank_text
from yawc_poker.tricks import eyes
from yawc_poker.words import LANGUAGES, Language

each = pytest.mark.parametrize("language", LANGUAGES)
COUNTED = {
    "en": ("sixteen cards", "eight places", "eleven trumps", "sixteen tricks"),
    "de": ("sechzehn Karten", "acht Plätze", "elf Trümpfe", "sechzehn Stichen"),
    "nl": ("zestien kaarten", "acht plaatsen", "elf troeven", "zestien slagen"),
    "fr": ("seize cartes", "huit cases", "onze atouts", "seize plis"),
}
"""Two cards in each place; the places; the trumps of a suit; the tricks."""


def page(language: Language) -> str:
    """Return the page with single blanks."""
    return re.sub(r"\s+", " ", package_text("yawc_poker.games.offiziersskat", language, "offiziersskat"))


@each
def test_the_numbers_are_those_of_the_rules(language: Language) -> None:
    assert (2 * PLACES, PLACES, len(order_of(Suit.CLUBS).trumps), TRICKS) == (16, 8, 11, 16)
    assert [text for text in COUNTED[language] if text not in page(language)] == []
    assert f" {ALL_EYES} " in page(language)
    assert f" {TARGET} " in page(language)


@each
def test_the_cards_are_in_their_order(language: Language) -> None:
    speech = words(language)
    ranks = " ".join(rank_text(rank, speech) for rank in order_of(None).ranks)
    assert f"{cards_text(JACKS, speech)}" in page(language)
    assert f" {ranks}." in page(language)


@each
def test_the_cards_have_their_eyes(language: Language) -> None:
    speech = words(language)
    worth = (
        f"{rank_text(rank, speech)} {eyes([Card(rank, Suit.CLUBS)])}"
        for rank in (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.JACK)
    )
    assert f" {' '.join(worth)} 9 8 7 0 " in page(language)


@each
def test_the_points_of_a_round_are_those_of_the_rules(language: Language) -> None:
    rows = re.findall(r"(\d+)(?: (?:to|bis|tot|à) (\d+))? (\d) (?:point|Punkt|punt)", page(language))
    assert [(int(low), int(high or low), int(worth)) for low, high, worth in rows] == [
        (60, 60, points(60)),
        (61, 90, points(61)),
        (91, 119, points(91)),
        (120, 120, points(120)),
    ]
    for low, high, worth in rows:
        assert {points(gained) for gained in range(int(low), int(high or low) + 1)} == {int(worth)}


@each
def test_the_keys_are_named(language: Language) -> None:
    keys = (CARD_KEYS[0], CARD_KEYS[-1], TABLE_KEY, "S", "X", ".")
    assert [key for key in keys if f"[{key}]" not in page(language)] == []
