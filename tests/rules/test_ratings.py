"""Ratings as arithmetic: who was better than whom, and what a result makes of what is known."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.casino.bank.results import ranked
from yawc_poker.catalogues import package_text
from yawc_poker.engine.house import LEVELS
from yawc_poker.extras.ratings.reckoning import (
    ANCHORS,
    LEAST_GAMES,
    NEW,
    WINDOW,
    Rating,
    Result,
    corrected,
    distance,
)
from yawc_poker.words import LANGUAGES, Language

RATINGS = st.builds(Rating, st.floats(0, 50), st.floats(1, 9), st.integers(0, 1000))


def test_where_many_points_are_good_the_nearest_to_the_winner_is_next() -> None:
    assert ranked({1: 12, 2: 40, 3: -3, 4: 12}, [2]) == {2: 0, 1: 1, 4: 1, 3: 2}


def test_where_few_points_are_good_too() -> None:
    assert ranked({1: 120, 2: 40, 3: 55}, [2]) == {2: 0, 3: 1, 1: 2}


def test_without_a_winner_many_are_good_and_the_same_is_a_draw() -> None:
    assert ranked({1: 10, 2: 10}, []) == {1: 0, 2: 0}
    assert ranked({1: -10, 2: -25, 3: -10}, []) == {1: 0, 3: 0, 2: 1}


def test_who_has_won_is_first_though_another_has_as_much() -> None:
    assert ranked({1: 0, 2: 0}, [2]) == {2: 0, 1: 1}


def test_nobody_is_rated_alone_nor_by_house_players_among_themselves() -> None:
    assert corrected([Result(1, 0)], {}) == {}
    assert corrected([], {}) == {}
    assert corrected([Result(8, 0, "easy"), Result(9, 1, "hard")], {}) == {}


def test_a_house_player_s_level_does_not_move_and_a_harder_one_brings_more() -> None:
    easy, hard = (corrected([Result(1, 0), Result(9, 1, level)], {})[1] for level in ("easy", "hard"))
    assert NEW.points < easy.points < hard.points
    assert corrected([Result(1, 0), Result(9, 1, "easy")], {}).keys() == {1}
    assert ANCHORS["easy"] < ANCHORS["normal"] < ANCHORS["hard"]


@given(st.lists(RATINGS, min_size=2, max_size=5), st.data())
def test_a_result_moves_everybody_the_right_way(ratings: list[Rating], data: st.DataObject) -> None:
    ranks = data.draw(st.permutations(range(len(ratings))))
    known = dict(enumerate(ratings))
    after = corrected([Result(user, rank) for user, rank in enumerate(ranks)], known)
    assert {user: rating.games for user, rating in after.items()} == {
        user: rating.games + 1 for user, rating in known.items()
    }
    first, last = ranks.index(0), ranks.index(len(ranks) - 1)
    assert after[first].mu > known[first].mu
    assert after[last].mu < known[last].mu
    assert all(0 < rating.sigma < 25 for rating in after.values())


def test_who_always_wins_comes_to_be_known_as_the_best() -> None:
    known: dict[int, Rating] = {}
    for _ in range(12):
        for one, other in itertools.permutations((1, 2, 3), 2):
            known |= corrected([Result(min(one, other), 0), Result(max(one, other), 1)], known)
    assert known[1].points > known[2].points > known[3].points
    assert known[1].error < NEW.error
    assert all(rating.is_shown for rating in known.values())
    assert not NEW.is_shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_page_has_the_figures_of_the_reckoning(language: Language) -> None:
    text = " ".join(package_text("yawc_poker.extras.ratings", language, "ratings").split())
    levels = [Rating(mu=ANCHORS[level]).points for level in LEVELS]
    assert [int(figure) for figure in re.findall(r"\b\d{4}\b", text)] == [NEW.points, *levels]
    shown = {"en": {10: "after ten games"}, "de": {10: "nach zehn Spielen"}, "nl": {10: "na tien spellen"}}
    shown["fr"] = {10: "après dix parties"}
    assert shown[language][LEAST_GAMES] in text


@given(RATINGS, RATINGS)
def test_who_is_of_about_the_same_strength_is_so_for_both(one: Rating, other: Rating) -> None:
    found = distance(one, other)
    assert found == distance(other, one)
    assert distance(one, one) == 0
    assert (found is None) == (abs(one.points - other.points) > max(WINDOW, one.error + other.error))


def test_nothing_is_known_of_a_beginner_so_most_are_equals() -> None:
    assert distance(NEW, Rating(30, 1, 50)) == 100
    assert distance(Rating(20, 1, 50), Rating(30, 1, 50)) is None
