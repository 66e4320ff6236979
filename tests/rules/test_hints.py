"""Hints: by what the seat sees and by the turn alone, with the price of what comes next, in every game."""

import re
from functools import cache
from random import Random
from typing import cast

import pytest
from msgspec.structs import replace

from tests.engine.adapters import REGISTERED, Adapter
from tests.hashing import printed
from tests.rules.test_analysis import ANNA, SHORT, played
from yawc_poker.catalogues import words
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.house import SealedChance, Weighed, lead
from yawc_poker.engine.replay import positions
from yawc_poker.engine.transcript import Action
from yawc_poker.engine.values import AnyTable
from yawc_poker.extras.analysis.judging import decisions
from yawc_poker.extras.hints.errands import hint
from yawc_poker.games.doppelkopf.model import Call
from yawc_poker.games.poker.model import Show
from yawc_poker.registry.games import game_of
from yawc_poker.table_ui.advice import hoped, priced, share
from yawc_poker.table_ui.definition import view_of
from yawc_poker.words import LANGUAGES, Language

TEXT = "hint 7 3"


@cache
def told(kind: str, language: Language = "en") -> list[str]:
    """Return the hint at the last decision of a game at which there was something to compare."""
    game, dealing, actions = played(kind, 4)
    for one in reversed(decisions(game, dealing, actions, ANNA)):
        found = hint(game, one.scene.game, TEXT, words(language))
        assert found
        if len(found) > 1:
            return list(found)
    raise AssertionError("nothing was decided")


def test_a_move_leads_another_by_the_mean_of_its_gains() -> None:
    weighed = Weighed(("a", "b"), 0, ((8, 0, 4, 4), (0, 0, 4, 8)), 2, ((True,) * 4, (False,) * 4))
    assert lead(weighed, 0, 1) == (0.5, 1.09, False, 1, 1)
    assert lead(weighed, 1, 0).price == -0.5


@pytest.mark.parametrize(
    ("mine", "best", "clear"),
    [
        ((0, 100, 0, 100), (4, 104, 4, 104), True),
        ((0, 100, 0, 100), (1, 101, 1, 101), False),  # always better, by next to nothing
        ((0, 100, 0, 100), (99, 0, 99, 100), False),  # less than two errors
        ((0, 100, 0, 100), (60, 99, 60, 99), False),
        ((0, 100, 0, 100), (0, 100, 60, 100), True),  # as little, but never worse
        ((7, 7, 7, 7), (8, 8, 8, 8), True),
        ((7, 7, 7, 7), (7, 7, 7, 7), False),
    ],
)
def test_a_move_is_clearly_better_by_two_errors_and_more_than_a_small_part_of_what_worlds_differ_by(
    mine: tuple[int, ...], best: tuple[int, ...], clear: bool
) -> None:
    for unit in (1, 50):  # whatever a game is counted in
        grown = [tuple(unit * worth for worth in worths) for worths in (mine, best)]
        assert lead(Weighed((0, 1), 1, tuple(grown), unit, ((True,) * 4,) * 2), 1, 0).clear is clear


@pytest.mark.parametrize(
    ("shares", "text"),
    [
        ((63, 1), ': 63 times in 100 by "A", 1 time in 100 by "B".'),
        ((63, 0), ': 63 times in 100 by "A", never by "B".'),
        ((100, 99), ': always by "A", 99 times in 100 by "B".'),
        ((0, 0), ": never, by either."),
        ((100, 100), ": always, by either."),
        ((1, 1), ": 1 time in 100, by either."),
        ((40, 40), ": 40 times in 100, by either."),
    ],
)
def test_how_often_one_wins_is_a_sentence_that_says_something(shares: tuple[int, int], text: str) -> None:
    (found,) = hoped(game_of("poker").definition, ("A", shares[0]), ("B", shares[1]), words("en"))
    assert found == "You win the pot" + text


def test_never_and_always_are_exact_and_an_error_of_nothing_is_not_told() -> None:
    assert [share(part, 1000) for part in (0, 1, 4, 500, 996, 999, 1000)] == [0, 1, 1, 50, 99, 99, 100]
    game = game_of("poker").definition
    assert priced(game, 4.0, 0.004, words("en")) == "4.00 CUBES"
    assert priced(game, 4.0, 0.1, words("en")) == "4.00 CUBES (give or take 0.10)"


def test_a_hundredth_of_a_point_is_no_difference() -> None:
    for better, clear in ((1, False), (5, True)):
        assert lead(Weighed((0, 1), 1, ((0, 0), (better, better)), 100, ((True,) * 2,) * 2), 1, 0).clear is clear


@pytest.mark.parametrize("kind", SHORT)
def test_a_hint_names_what_is_best_and_what_comes_next(kind: str) -> None:
    first, second, *_ = told(kind)
    assert first.startswith("Advice: ")
    assert "Next best: " in first
    assert re.search(r": (never|always|\d+ times? in 100)(, by either\.| by \".*\", .+ by \".*\"\.)$", second)
    for language in LANGUAGES:
        text = " ".join(told(kind, language))
        assert not {"{", "}"} & set(text)
        assert ("Advice" in text) == (language == "en")


@pytest.mark.parametrize("adapter", REGISTERED, ids=lambda adapter: str(adapter.game.KIND))
def test_no_hidden_card_has_part_in_it(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    kind = adapter.game.KIND
    game, dealing, actions = played(kind, 5)
    mine = [action.number for action in actions if action.kind == "move" and action.user == ANNA]
    before = next(one for one in positions(adapter.game, dealing, actions) if one.action.number == mine[-3] - 1)
    assert before.table.game is not None
    hidden = replace(before.table, game=adapter.hide(before.table.game, 0, Random(5)))
    views = [
        view_of(game, table.game, 0) for table in (cast(AnyTable, before.table), cast(AnyTable, hidden)) if table.game
    ]
    assert len({tuple(hint(game, view, TEXT, words("en"))) for view in views}) == 1


def test_another_process_gives_the_same() -> None:
    code = "from tests.rules.test_hints import SHORT, told; print(*[told(kind) for kind in SHORT], sep='\\n')"
    assert len(printed(code).splitlines()) == len(SHORT)


def test_where_nothing_is_compared_it_names_the_move() -> None:
    """At a showdown there is one thing to do."""
    game, dealing, actions = next(one for one in (played("poker", seed) for seed in range(30)) if _shows(one[2]))
    shows = next(one for one in decisions(game, dealing, actions, ANNA) if isinstance(one.mine, Show))
    (only,) = hint(game, shows.scene.game, TEXT, words("en"))
    assert only.startswith("Advice: ")


def _shows(actions: list[Action]) -> bool:
    return any(one.user == ANNA and one.kind == "move" and "Show" in one.detail for one in actions)


def test_where_a_word_may_be_said_it_names_the_card_too() -> None:
    """The program would call first; whoever asks wants to know what to play, as well."""
    for seed in range(40):
        game, dealing, actions = played("doppelkopf", seed)
        for one in decisions(game, dealing, actions, ANNA):
            assert game.player is not None
            view = one.scene.game
            if isinstance(game.player.choose(view, "normal", SealedChance(TEXT)), Call):
                found = [text for text in hint(game, view, TEXT, words("en")) if text.startswith("Advice: ")]
                assert "say nothing" in found[0]
                if len(found) > 1:  # else there is one card to play
                    assert "say nothing" not in found[1]
                    return
    raise AssertionError("nobody calls")
