"""Doppelkopf's help pages say what the rules do: trumps, eyes, deadlines, what is needed to win, the keys."""

import re

import pytest

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.catalogues import package_text, words
from yawc_poker.games.doppelkopf.model import LEVELS, TOURNAMENT, GameType, Level, Options, Team
from yawc_poker.games.doppelkopf.scoring import target
from yawc_poker.games.doppelkopf.teams import least_for
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.games.doppelkopf.ui.choices import CHOICES
from yawc_poker.games.doppelkopf.ui.scene import CALL_KEYS, HEALTHY_KEY, LAST_KEY, RESERVE_KEY, TABLE_KEY
from yawc_poker.games.doppelkopf.ui.speech import call_name
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.tricks import eyes
from yawc_poker.words import LANGUAGES, Language

each = pytest.mark.parametrize("language", LANGUAGES)


def page(language: Language, name: str = "doppelkopf") -> str:
    """Return a page with single blanks."""
    return re.sub(r"\s+", " ", package_text("yawc_poker.games.doppelkopf", language, name))


@each
def test_the_trumps_are_in_their_order(language: Language) -> None:
    assert f" {cards_text(order_of('normal').trumps, words(language))} " in page(language)
    for kind in ("queens", "jacks"):
        assert f": {cards_text(order_of(kind).trumps, words(language))} " in page(language)


@each
def test_the_cards_have_their_eyes(language: Language) -> None:
    ranks = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.NINE)
    row = [(card_text(Card(rank, Suit.CLUBS), words(language))[:-1], eyes([Card(rank, Suit.CLUBS)])) for rank in ranks]
    assert " ".join(f"{rank} {worth}" for rank, worth in row) in page(language)


@each
@pytest.mark.parametrize("level", LEVELS)
def test_each_call_has_its_key_its_deadlines_and_what_it_needs(language: Language, level: Level) -> None:
    least = [least_for(GameType("wedding", 0, clarified=trick), level) for trick in (1, 2, 3)]
    levels: dict[Team, int] = {"re": LEVELS.index(level) + 1, "contra": 0}
    call = ("Re, " if level == "team" else "") + call_name("contra", level, words(language))
    key = CALL_KEYS[LEVELS.index(level)].upper()
    assert f"[{key}] {call} {least[0]} {least[1]}, {least[2]} {target('re', levels)}" in page(
        language, "doppelkopf_score"
    )


@each
def test_the_keys_are_named(language: Language) -> None:
    keys = (HEALTHY_KEY, RESERVE_KEY, LAST_KEY, TABLE_KEY, CALL_KEYS[0].upper(), *"12YNSX.")
    assert [key for key in keys if f"[{key}]" not in page(language)] == []


@each
def test_every_option_that_is_named_can_be_chosen(language: Language) -> None:
    text = package_text("yawc_poker.games.doppelkopf", language, "doppelkopf_score")
    chosen = [
        CHOICES.choose(Options(rounds=3), line) for line in re.findall(r"^   /option (\S.*?)  ", text, re.MULTILINE)
    ]
    wanted = (Options(rounds=8), Options(rounds=3, tournament=True), Options(rounds=3), Options(rounds=3, cubes=5))
    assert chosen == list(wanted)
    assert f" {TOURNAMENT} " in text
    assert "{rounds}" in text
