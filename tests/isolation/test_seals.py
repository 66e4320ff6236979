"""Seals and words at a real table: whoever dies, one seal is told a game, and nobody waits for a word."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolation.sessions import Hall, Session
from tests.isolation.test_tables import in_last_round, show_all_but_last
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.engine import sealing
from yawc_poker.engine.table import DealtBy, Sealed


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall
        hall.money()
        hall.histories()


def seals(hall: Hall) -> list[str]:
    """The seals that stand in the log, oldest first."""
    return [entry.event.seal for entry in hall.table.log if isinstance(entry.event, Sealed)]


def words(hall: Hall) -> dict[int, str]:
    return {} if hall.table.next_deck is None else {word.seat: word.text for word in hall.table.next_deck.words}


def sealed_now(hall: Hall) -> str | None:
    deck = hall.table.next_deck
    return None if deck is None else sealing.seal(deck.deck)


def dealt_by(hall: Hall) -> DealtBy:
    return [entry.event for entry in hall.table.log if isinstance(entry.event, DealtBy)][-1]


def test_the_seal_is_committed_before_the_first_word(hall: Hall) -> None:
    anna, bert = hall.session(1, "Anna"), hall.session(2, "Bert")
    assert anna("sit") == "ok"
    assert hall.commits == 2, "seat and seal, then the word"
    assert list(words(hall)) == [0]
    assert bert("sit") == "ok"
    assert hall.commits == 3, "the seal was there: seat and word"
    assert list(words(hall)) == [0, 1]
    assert len(seals(hall)) == 1


def test_a_start_right_after_sitting_down_has_all_words(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert", "Carl")
    before = seals(hall)
    assert people[1]("word", "from", "Bert") == "bad_word"
    assert people[1]("word", "Bert!") == people[0]("start") == "ok"
    told = dealt_by(hall)
    assert [told.seal] == before
    assert [bool(word.text) for word in told.words] == [True, True, True]
    assert told.words[1].text == "Bert!"
    assert people[1]("word", "late") == "word_late"


@pytest.mark.parametrize("step", ["before settle", "in settle", "after settle"])
def test_who_closes_a_game_twice_seals_once(hall: Hall, step: str) -> None:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    show_all_but_last(people)
    first = dealt_by(hall).seal
    people[2].doomed(step, "show")
    assert sealed_now(hall) is None
    people[1].doomed(step if step != "in settle" else "before settle", "look after")
    assert people[0]("look after") == "ok"
    (fresh,) = [seal for seal in seals(hall) if seal != first]
    assert fresh == sealed_now(hall)
    assert people[0]("look after") == "ok"
    assert seals(hall)[-1] == fresh


def again(people: list[Session], hall: Hall) -> Session:
    """Return a player who may start now."""
    return next(one for one in people if one.name == hall.master())


def test_nobody_waits_for_the_word_of_a_stopped_session(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    for person in people:
        assert person("show") == "ok"
    master = again(people, hall)
    stopped, other = [one for one in people if one is not master]
    stopped.stop()
    assert other("draw word") == master("start") == "ok"
    empty = {word.seat: not word.text for word in dealt_by(hall).words}
    assert sum(empty.values()) == 1
    assert empty[hall.names().index(stopped.name)]
    stopped.go_on()


def test_a_starter_who_dies_between_ledger_and_table_leaves_the_deck_with_the_others_words(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    before, given = seals(hall), words(hall)
    anna.doomed("after open_game", "start")
    assert bert("look after") == "ok"
    assert (seals(hall), words(hall)) == (before, {1: given[1], 2: given[2]})
    assert again([bert, carl], hall)("start") == "ok"
    assert [dealt_by(hall).seal] == before
    assert [(word.seat, word.text) for word in dealt_by(hall).words] == [(1, given[1]), (2, given[2])]


def test_a_game_that_the_ledger_calls_off_is_followed_by_another_seal(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    bank = Bank(hall.data / BANK_FILE, hall.foundation.segment.bank_lock)
    bank.refund(hall.header.game)
    bank.close()
    assert anna("bet", 5) == "ok"
    assert hall.phase() == "none"
    assert len(set(seals(hall))) == 2
    assert bert("draw word") == anna("draw word") == "ok"
    assert list(words(hall)) == [0, 1]
