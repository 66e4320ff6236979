"""Deals of the day in the books: one for everybody, played once, whatever becomes of the sessions."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from msgspec.structs import replace

from tests.isolation.books import Place
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.rankings.periods import DAY
from yawc_poker.extras.daily.course import SECONDS, Deal, is_opened
from yawc_poker.extras.daily.rows import (
    DayOver,
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
MORNING = float(TODAY * DAY)
"""When today begins."""
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
    begun = begin(bank.store, FIRST, ANNA, MORNING)
    assert begun.moves == ()
    assert keep_move(bank.store, FIRST, ANNA, 0, "one")
    with closing(place.bank()) as other:
        found = begin(other.store, FIRST, ANNA, MORNING + 1000)
        assert (found.began, found.moves, found.result) == (MORNING, ("one",), None)
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


def test_nobody_begins_behind_the_end_of_the_day_but_whoever_began_plays_on(bank: Bank) -> None:
    """A menu, or its question, may have stood open over midnight, and the cards be opened by then."""
    night = MORNING + DAY
    for now in (MORNING - 1, night, night + SECONDS):
        with pytest.raises(DayOver):
            begin(bank.store, FIRST, BERT, now)
    assert play_of(bank.store, TODAY, "poker", BERT) is None
    begun = begin(bank.store, FIRST, ANNA, night - 1)
    assert begin(bank.store, FIRST, ANNA, night + 1) == begun
    assert keep_move(bank.store, FIRST, ANNA, 0, "one")


def test_the_cards_are_opened_when_nobody_can_play_them_any_more() -> None:
    night = MORNING + DAY
    assert not is_opened(TODAY, MORNING)
    assert not is_opened(TODAY, night + SECONDS - 1)
    assert is_opened(TODAY, night + SECONDS)


def test_the_ranking_has_those_who_are_done_the_best_first_and_of_equals_the_quicker(bank: Bank) -> None:
    for dealt, ranks in ((FIRST, [BERT, ANNA, CARA]), (replace(FIRST, kind="maumau"), [CARA, BERT, ANNA])):
        assert ranking(bank.store, TODAY, dealt.kind) == []
        for user, result, seconds in ((ANNA, 5, 90), (BERT, 5, 60), (CARA, -2, 10)):
            begin(bank.store, dealt, user, MORNING)
            close(bank.store, dealt, user, result, seconds)
        begin(bank.store, dealt, 4, MORNING)
        assert [one.user for one in ranking(bank.store, TODAY, dealt.kind)] == ranks


def test_those_whose_time_is_over_are_found(bank: Bank) -> None:
    begin(bank.store, FIRST, ANNA, MORNING)
    begin(bank.store, FIRST, BERT, MORNING + 1)
    keep_move(bank.store, FIRST, ANNA, 0, "one")
    found = overdue(bank.store, MORNING + 0.5 + SECONDS)
    assert [(day, kind, user, play.moves) for day, kind, user, play in found] == [(TODAY, "poker", ANNA, ("one",))]
    close(bank.store, FIRST, ANNA, 0, SECONDS)
    assert overdue(bank.store, MORNING + 0.5 + SECONDS) == []


def test_what_cannot_be_played_on_keeps_nobody_else_waiting(bank: Bank) -> None:
    for user in range(1, 6):
        begin(bank.store, FIRST, user, MORNING + user)
    for _ in range(2):
        for day, kind, user, _ in overdue(bank.store, MORNING + 1000 + SECONDS):
            give_up(bank.store, day, kind, user)
    assert [user for _, _, user, _ in overdue(bank.store, MORNING + 1000 + SECONDS)] == [5]
    assert ranking(bank.store, TODAY, "poker") == []


def test_a_series_goes_on_until_the_end_of_the_next_day(bank: Bank) -> None:
    assert series(bank.store, ANNA, TODAY) == 0
    for day in (TODAY - 5, TODAY - 3, TODAY - 2, TODAY - 1):
        begin(bank.store, Deal(day, "poker", "", "", ""), ANNA, day * float(DAY))
    assert series(bank.store, ANNA, TODAY) == 3
    begin(bank.store, FIRST, ANNA, MORNING)
    begin(bank.store, Deal(TODAY, "maumau", "", "", ""), ANNA, MORNING)
    assert series(bank.store, ANNA, TODAY) == 4
    assert series(bank.store, ANNA, TODAY + 1) == 4
    assert series(bank.store, ANNA, TODAY + 2) == 0
    assert series(bank.store, BERT, TODAY) == 0
