"""The Mau-Mau screen: its content in each state, and what it never shows.

The golden screens in `golden_maumau/` are read by people: after a wanted change, `YAWC_GOLDEN=1 pytest` writes them
anew.
"""

import re
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.screens.golden import agrees, drawn
from tests.screens.maumau_pictures import (
    ANNA,
    CLOCKS,
    EN,
    GOLDEN,
    LARGE,
    NAMES,
    PICTURES,
    Instance,
    Picture,
    after_a_round,
)
from tests.thoroughness import sampled
from yawc_poker.cards import deck
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.values import Seat
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import RANKS
from yawc_poker.games.maumau.ui.scene import Local, usable
from yawc_poker.games.maumau.ui.screen import FACE
from yawc_poker.games.maumau.ui.speech import sentences
from yawc_poker.table_ui.intents import MakeMove as Move
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import LANGUAGES, Language


def render(picture: Picture, language: Language, columns: int = 80, rows: int = 24) -> Frame:
    instance, who, keys = picture
    local = instance.local(who, keys, language)
    return FACE.layout.render(instance.scene(who), local, words(language), columns, rows)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_a_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    agrees(drawn(render(picture(), language)), GOLDEN / f"{picture.__name__}.{language}.txt")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", LARGE, ids=lambda picture: picture.__name__)
def test_a_large_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    agrees(drawn(render(picture(), language, 132, 43)), GOLDEN / f"{picture.__name__}.large.{language}.txt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_high_screen_is_the_golden_one(language: Language) -> None:
    agrees(drawn(render(after_a_round(), language, 80, 50)), GOLDEN / f"after_a_round.high.{language}.txt")


def test_there_are_no_other_golden_screens() -> None:
    wanted = {f"{picture.__name__}.{language}.txt" for picture in PICTURES for language in LANGUAGES}
    large = {f"{picture.__name__}.large.{language}.txt" for picture in LARGE for language in LANGUAGES}
    high = {f"after_a_round.high.{language}.txt" for language in LANGUAGES}
    assert {path.name for path in GOLDEN.iterdir()} == wanted | large | high


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
@pytest.mark.parametrize("size", [(132, 43), (120, 24), (80, 30), (80, 60)])
def test_a_larger_window_keeps_the_regions_at_the_top_left(
    picture: Callable[[], Picture], size: tuple[int, int]
) -> None:
    small, big = render(picture(), "en"), render(picture(), "en", *size)
    assert [row.text[:80] for row in big.rows[:24]] == [row.text for row in small.rows]
    assert [row.styles[:80] for row in big.rows[:24]] == [row.styles for row in small.rows]
    assert big.cursor == small.cursor


@pytest.mark.parametrize(("before", "added"), [(0, 0), (29, 13), (300, 99), (1179, 120), (12999, 199)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_columns_of_cards_and_points_never_touch(before: int, added: int, language: Language) -> None:
    instance = Instance(3)
    instance.start(1)
    scene = instance.scene(ANNA)
    assert scene.game is not None
    players = tuple(replace(player, cards=12, points=(before, added)) for player in scene.game.players)
    frame = FACE.layout.render(
        replace(scene, game=replace(scene.game, players=players)), Local(), words(language), 80, 24
    )
    row = frame.rows[2].text[:40]
    assert re.fullmatch(rf"{NAMES[2]} 12 \w+ +{before + added}( \(\+{added}\)| \+{added})? ", row), row


def test_a_player_who_left_is_named_though_somebody_else_has_the_seat() -> None:
    instance = Instance(3)
    instance.start(1)
    instance.leave(101)
    person = Seat(104, 4, "Dora", 0)
    instance.table = tables.sit(instance.table, rules, person, instance.now, CLOCKS)
    instance.leave(103)
    instance.finish()
    said = [text for entry in instance.table.log for text, _ in sentences(entry, EN)]
    assert "[SYSTEM] Anna has left the running game and loses it." in said
    assert "[SYSTEM] Bert is the only one left and wins the game." in said
    assert not [text for text in said if "Dora" in text and "lose" in text]


# --- whatever happens -------------------------------------------------------------------------------------------------


@settings(max_examples=sampled(25))
@given(st.integers(0, 2**32), st.integers(2, 5))
def test_every_key_that_is_shown_is_legal_and_no_hidden_card_shows(seed: int, people: int) -> None:
    rng, instance = Random(seed), Instance(people)
    instance.start(1)
    while (game := instance.table.game) is not None and (seat := rules.to_move(game)) is not None:
        session = 101 + seat
        scene, local = instance.scene(session), instance.local(session)
        for language in LANGUAGES:
            frame = FACE.layout.render(scene, local, words(language), 80, 24)
            assert len(frame.rows) == 24
        keys = [key for key in usable(scene) if key not in {".", "X"}]
        assert keys
        moves = [FACE.press(local, scene, key, EN)[1] for key in keys]
        assert all(isinstance(move, Move) for move in moves)
        shown = hand_region(FACE.layout.render(scene, local, EN, 80, 24))
        held = {str(card) for card in game.players[seat].hand}
        assert shown - {str(game.pile[-1])} <= held
        move = rng.choice(moves)
        assert isinstance(move, Move)
        instance.play(move.move)


def hand_region(frame: Frame) -> set[str]:
    """The cards in the lower left region."""
    text = " ".join(row.text[:40] for row in frame.rows[6:11])
    for mark in "[]│┌┐└┘─":
        text = text.replace(mark, " ")
    return set(text.split()) & {str(card) for card in deck(RANKS)}
