"""Deals of the day in the books: one for everybody, played once, whatever becomes of the sessions."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.isolation.books import Place
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.extras.daily.course import SECONDS, Deal
from yawc_poker.extras.daily.rows import (
    begin,
    close,
    deal,
    give_up,
    keep_move,
    known_deal,
    overdue,
    play_of,
    ranking,
    series,
)

TODAY, ANNA, BERT, CARA = 20_000, 1, 2, 3
FIRST, SECOND = (Deal(TODAY, "poker", order, "secret", "normal 2") for order in ("A+ K+", "K+ A+"))


@pytest.fixture
def bank(place: Place) -> Iterator[Bank]:
    with closing(place.bank()) as made:
        yield made


def test_all_get_the_deal_that_was_kept_first(bank: Bank, place: Place) -> None:
    with closing(place.bank()) as other:
        assert known_deal(bank.store, TODAY, "poker") is None
        assert deal(bank.store, FIRST) == FIRST
        assert deal(other.store, SECOND) == FIRST
        assert known_deal(other.store, TODAY, "poker") == FIRST
        assert known_deal(other.store, TODAY, "maumau") is None
        assert known_deal(other.store, TODAY + 1, "poker") is None


def test_it_is_begun_once_and_each_move_is_kept_once(bank: Bank, place: Place) -> None:
    """Another session of the same user finds what the first has kept, and neither takes a move back."""
    begun = begin(bank.store, FIRST, ANNA, 1000.0)
    assert begun.moves == ()
    assert keep_move(bank.store, FIRST, ANNA, 0, "one")
    with closing(place.bank()) as other:
        found = begin(other.store, FIRST, ANNA, 2000.0)
        assert (found.began, found.moves, found.result) == (1000.0, ("one",), None)
        assert not keep_move(other.store, FIRST, ANNA, 0, "another")
        assert keep_move(other.store, FIRST, ANNA, 1, "two")
    assert not keep_move(bank.store, FIRST, ANNA, 1, "late")
    close(bank.store, FIRST, ANNA, 12, 34)
    close(bank.store, FIRST, ANNA, 99, 1)
    assert not keep_move(bank.store, FIRST, ANNA, 2, "behind the end")
    play = play_of(bank.store, TODAY, "poker", ANNA)
    assert play is not None
    assert (play.moves, play.result, play.seconds) == (("one", "two"), 12, 34)
    assert not keep_move(bank.store, FIRST, BERT, 0, "never begun")


def test_the_ranking_has_those_who_are_done_the_best_first_and_of_equals_the_quicker(bank: Bank) -> None:
    for user, result, seconds in ((ANNA, 5, 90), (BERT, 5, 60), (CARA, -2, 10)):
        begin(bank.store, FIRST, user, 0.0)
        close(bank.store, FIRST, user, result, seconds)
    begin(bank.store, FIRST, 4, 0.0)
    assert [one.user for one in ranking(bank.store, TODAY, "poker", fewest=False)] == [BERT, ANNA, CARA]
    assert [one.user for one in ranking(bank.store, TODAY, "poker", fewest=True)] == [CARA, BERT, ANNA]
    assert ranking(bank.store, TODAY, "maumau", fewest=True) == []


def test_those_whose_time_is_over_are_found(bank: Bank) -> None:
    begin(bank.store, FIRST, ANNA, 1000.0)
    begin(bank.store, FIRST, BERT, 1001.0)
    keep_move(bank.store, FIRST, ANNA, 0, "one")
    found = overdue(bank.store, 1000.5 + SECONDS)
    assert [(day, kind, user, play.moves) for day, kind, user, play in found] == [(TODAY, "poker", ANNA, ("one",))]
    close(bank.store, FIRST, ANNA, 0, SECONDS)
    assert overdue(bank.store, 1000.5 + SECONDS) == []


def test_what_cannot_be_played_on_keeps_nobody_else_waiting(bank: Bank) -> None:
    for user in range(1, 6):
        begin(bank.store, FIRST, user, 1000.0 + user)
    for _ in range(2):
        for day, kind, user, _ in overdue(bank.store, 2000.0 + SECONDS):
            give_up(bank.store, day, kind, user)
    assert [user for _, _, user, _ in overdue(bank.store, 2000.0 + SECONDS)] == [5]
    assert ranking(bank.store, TODAY, "poker", fewest=False) == []


def test_a_series_goes_on_until_the_end_of_the_next_day(bank: Bank) -> None:
    assert series(bank.store, ANNA, TODAY) == 0
    for day in (TODAY - 5, TODAY - 3, TODAY - 2, TODAY - 1):
        begin(bank.store, Deal(day, "poker", "", "", ""), ANNA, 0.0)
    assert series(bank.store, ANNA, TODAY) == 3
    begin(bank.store, FIRST, ANNA, 0.0)
    begin(bank.store, Deal(TODAY, "maumau", "", "", ""), ANNA, 0.0)
    assert series(bank.store, ANNA, TODAY) == 4
    assert series(bank.store, ANNA, TODAY + 1) == 4
    assert series(bank.store, ANNA, TODAY + 2) == 0
    assert series(bank.store, BERT, TODAY) == 0
