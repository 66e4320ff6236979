"""The deal of the day: the same cards for everybody, the same answers to the same play, an end by the clock."""

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.thoroughness import sampled
from yawc_poker.catalogues import words
from yawc_poker.engine import sealing
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import chance_of
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import detail
from yawc_poker.extras.daily.course import (
    OWN,
    TERMS,
    Course,
    Deal,
    OtherProgram,
    again,
    answered,
    begun,
    dealing_of,
    given_up,
    is_over,
    moved,
    on_turn,
    program_of,
    result,
    whole,
)
from yawc_poker.registry.games import game_of
from yawc_poker.table_ui.definition import AnyDefinition, view_of
from yawc_poker.table_ui.guide import keys_in
from yawc_poker.words import LANGUAGES, Language

kinds = pytest.mark.parametrize("kind", TERMS)
ANNA, BERT = 1, 2


@cache
def dealt(kind: str, number: int) -> tuple[AnyDefinition, Deal]:
    game = game_of(kind).definition
    deck = sealing.shuffle(game.rules.DECK, Random(number))
    return game, Deal(20_000 + number, kind, deck.order, deck.secret, program_of(game))


def played(game: AnyDefinition, course: Course, most: int = 99) -> tuple[Course, list[str]]:
    """Return a deal after so many moves of a caller who plays easily, and the moves."""
    moves = list[str]()
    assert game.player is not None
    while not is_over(game, course) and len(moves) < most:
        assert course.table.game is not None
        view = view_of(game, course.table.game, OWN)
        move = game.player.choose(view, "easy", chance_of("me", OWN, len(moves)))
        moves.append(detail(move))
        course = on_turn(game, moved(game, course, move))
    return course, moves


@kinds
@given(number=st.integers(0, 99), session=st.integers(5, 1 << 60), other=st.integers(5, 1 << 60))
@settings(max_examples=sampled(20), deadline=None)
def test_everybody_has_the_same_cards_and_the_same_play_meets_the_same_answers(
    kind: str, number: int, session: int, other: int
) -> None:
    game, deal = dealt(kind, number)
    course, moves = played(game, on_turn(game, begun(game, deal, session, ANNA, "Anna")))
    of_other = again(game, begun(game, deal, other, BERT, "Bert"), moves)
    assert course.table.game == of_other.table.game
    assert [(one.kind, one.seat, one.detail) for one in course.actions[1:]] == [
        (one.kind, one.seat, one.detail) for one in of_other.actions[1:]
    ]
    assert result(game, course) == result(game, of_other)
    assert dealing_of(deal, course) == dealing_of(deal, of_other)


@kinds
def test_it_is_a_whole_game_of_its_seal(kind: str) -> None:
    """It is played again by the rules alone, from the sealed cards and the actions."""
    game, deal = dealt(kind, 1)
    course, moves = played(game, on_turn(game, begun(game, deal, 7, ANNA, "Anna")))
    *_, (_, last) = replay(game.rules, dealing_of(deal, course), course.actions)
    assert last.state == course.table.game
    assert [one.number for one in course.actions] == list(range(len(course.actions)))
    assert [one.detail for one in course.actions if one.seat == OWN and one.kind == "move"] == moves


@kinds
@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_clock_makes_the_rest_of_the_moves(kind: str, most: int) -> None:
    game, deal = dealt(kind, 2)
    course, moves = played(game, on_turn(game, begun(game, deal, 7, ANNA, "Anna")), most)
    ended = given_up(game, course)
    assert is_over(game, ended)
    assert result(game, ended) == result(game, whole(game, deal, moves, BERT))
    by_clock = [one for one in ended.actions if one.kind == "time"]
    assert by_clock or is_over(game, course)
    assert all(one.seat == OWN for one in by_clock)


def test_results_are_what_was_won() -> None:
    """At poker CUBES of the deal's own, of which there are as many at the end as at the beginning."""
    game, deal = dealt("poker", 1)
    course, _ = played(game, on_turn(game, begun(game, deal, 7, ANNA, "Anna")))
    table, terms = course.table, TERMS["poker"]
    assert sum([who.cash for who in table.seats if who is not None]) + table.pot == terms.cash * (terms.house + 1)
    assert -terms.cash <= result(game, course) <= terms.cash * terms.house


@kinds
def test_a_move_against_the_rules_changes_nothing(kind: str) -> None:
    game, deal = dealt(kind, 1)
    course = on_turn(game, begun(game, deal, 7, ANNA, "Anna"))
    wrong = {
        "poker": '{"type":"Show"}',
        "maumau": '{"type":"Finish"}',
        "doppelkopf": '{"type":"GoOn","yes":true}',
        "offiziersskat": '{"type":"PlayCard","card":[7,9]}',
    }
    with pytest.raises((IllegalMove, ValueError)):
        moved(game, course, game.rules.read_move(wrong[kind]))
    assert next(answered(game, course), None) is None


def test_house_players_of_another_version_do_not_take_it_over() -> None:
    game, deal = dealt("maumau", 1)
    with pytest.raises(OtherProgram):
        begun(game, replace(deal, program="normal 0"), 7, ANNA, "Anna")


OWN_KEYS = {"poker": "BPHDR12345", "maumau": "TF12+*#-", "doppelkopf": "GVCDEFLTYN12", "offiziersskat": "T12345678"}
"""Keys of each game that it uses at one time or another."""


@kinds
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lesson_knows_every_key_of_its_game_in_every_language(kind: str, language: Language) -> None:
    """Those that the help names, also where they mean nothing yet: no such key ends the lesson."""
    game, deal = dealt(kind, 1)
    scene = game.face.scene(begun(game, deal, 7, ANNA, "Anna").table, 7, 0, 0.0)
    local = game.face.fresh(game.rules.read_options("{}"))
    named = keys_in(game.face.full_guide(scene, local, words(language)))
    assert set(OWN_KEYS[kind]) <= named
    assert {".", "X"} <= named
    assert "Q" not in named
