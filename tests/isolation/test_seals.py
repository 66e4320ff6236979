"""Seals and words at a real table: whoever dies, one seal is told a game, and nobody waits for a word."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolation.sessions import Hall, Session
from tests.isolation.steps import SteppedHands
from tests.isolation.stores import bank_in_file
from tests.isolation.test_tables import in_last_round, show_all_but_last
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.engine import sealing
from yawc_poker.engine.events import DealtBy, Sealed
from yawc_poker.engine.sealing import Begun


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
    deck = hall.table.next_deck
    return {} if deck is None else {one.seat: one.hash for one in deck.commitments}


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
    assert told.words[1].text.startswith("Bert!/")
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


@pytest.fixture
def brisk(tmp_path: Path) -> Iterator[Hall]:
    """A hall whose clock the test moves."""
    with Hall(tmp_path / "data", hands=SteppedHands) as hall:
        yield hall
        hall.money()
        hall.histories()


def begun(hall: Hall) -> Begun:
    """How the last game began, as the books have it."""
    played = hall.histories()[-1]
    assert played.begun is not None
    return played.begun


def test_a_text_that_dies_with_its_session_is_lost_and_the_others_begin_with_another_deck(brisk: Hall) -> None:
    anna, bert, carl = brisk.seat("Anna", "Bert", "Carl")
    before, given = seals(brisk), words(brisk)
    anna.doomed("after open_game", "start")
    assert bert("look after") == "ok"
    assert brisk.names() == ["Anna", "Bert", "Carl"], "nobody goes who is about to be dealt in"
    assert brisk.phase() == "none"
    brisk.pass_time(9)
    assert bert("look after") == "ok"
    assert words(brisk) == {}
    assert bert("tend") == carl("tend") == bert("tend") == "ok"
    assert brisk.phase() == "bet"
    assert (len(seals(brisk)), dealt_by(brisk).seal) == (2, seals(brisk)[-1])
    (gone,) = begun(brisk).discarded
    assert (sealing.seal(gone.deck), [one.hash for one in gone.frozen]) == (before[0], list(given.values()))
    assert [(one.name, one.why) for one in gone.missing] == [("Anna", "lost")]
    assert bert("look after") == "ok"
    assert brisk.names() == ["Bert", "Carl"]


def test_who_withholds_pays_an_ante_into_the_pot_once_and_sits_out(brisk: Hall) -> None:
    anna, bert, carl = brisk.seat("Anna", "Bert", "Carl")
    assert carl("commit", sealing.commitment("mine/1")) == "ok"
    assert anna("start") == "ok"
    assert brisk.phase() == "none"
    assert carl("reveal", "mine/2") == "wrong_text"
    brisk.pass_time(9)
    assert bert("look after") == "ok"
    assert anna("tend") == bert("tend") == anna("tend") == "ok"
    assert brisk.phase() == "bet"
    assert brisk.balances(1, 2, 3) == [90, 90, 90]
    assert brisk.header.pot == brisk.money().pots == 30
    who = brisk.table.seats[2]
    assert who is not None
    assert (who.out, who.cash) == (3, 90)
    assert [(one.name, one.why) for one in begun(brisk).discarded[0].missing] == [("Carl", "withheld")]
    assert anna("fold") == bert("fold") == "ok"
    assert brisk.phase() == "none"
    assert brisk.money().house == 30


def test_a_starter_who_is_killed_over_a_forfeit_takes_it_once(brisk: Hall) -> None:
    anna, bert, carl, dora = brisk.seat("Anna", "Bert", "Carl", "Dora")
    assert dora("commit", sealing.commitment("mine/1")) == "ok"
    assert anna("start") == "ok"
    brisk.pass_time(9)
    assert bert("look after") == "ok"
    for person in (anna, bert, carl, bert):
        assert person("tend") == "ok"
    anna.doomed("after open_game", "tend")
    assert brisk.balances(1, 2, 3, 4) == [90, 90, 90, 90]
    brisk.pass_time(9)
    for person in (bert, bert, carl, bert):
        assert person("look after") == person("tend") == "ok"
    assert brisk.phase() == "bet"
    assert brisk.balances(1, 2, 3, 4) == [100, 90, 90, 90]
    assert brisk.header.pot == brisk.money().pots == 30
    assert [len(deal.missing) for deal in begun(brisk).discarded] == [1, 1]


def test_a_text_by_hand_is_revealed_by_hand(brisk: Hall) -> None:
    anna, bert = brisk.seat("Anna", "Bert")
    assert bert("commit", sealing.commitment("mine/1")) == "ok"
    assert anna("commit", sealing.commitment("mine/1")) == "commitment_taken"
    assert anna("start") == "ok"
    assert (bert("word", "late"), bert("commit", "0" * 64)) == ("frozen", "frozen")
    assert bert("reveal", "mine/1") == "ok"
    assert brisk.phase() == "bet"
    assert dealt_by(brisk).words[1].text == "mine/1"


def test_who_leaves_meanwhile_reveals_on_the_way_out_and_is_dealt_in(brisk: Hall) -> None:
    anna, bert, carl = brisk.seat("Anna", "Bert", "Carl")
    assert anna("freeze") == "ok"
    assert carl("leave") == "ok"
    assert brisk.names() == ["Anna", "Bert", "Carl"]
    assert bert("tend") == anna("tend") == "ok"
    assert len(dealt_by(brisk).words) == 3
    assert brisk.balances(1, 2, 3) == [90, 90, 90]
    assert bert("look after") == "ok"
    assert (brisk.names(), brisk.phase()) == (["Anna", "Bert"], "bet")


def test_who_comes_back_at_once_has_the_seat_that_they_left_before_the_deal(brisk: Hall) -> None:
    anna, _, carl = brisk.seat("Anna", "Bert", "Carl")
    assert anna("freeze") == carl("leave") == carl("sit") == "ok"
    assert anna("look after") == "ok"
    assert brisk.names() == ["Anna", "Bert", "Carl"]
    assert not brisk.is_held("Carl")


def test_without_the_bank_the_last_text_waits(brisk: Hall) -> None:
    anna, bert = brisk.seat("Anna", "Bert")
    assert anna.freeze() == "ok"
    with brisk.bank_broken():
        assert anna("tend") == "ok"
        assert brisk.phase() == "none"
    brisk.pass_time(9)
    assert bert("look after") == "ok"
    assert brisk.phase() == "bet"


def test_a_game_that_the_ledger_calls_off_is_followed_by_another_seal(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    bank = bank_in_file(hall.data / BANK_FILE, hall.foundation.segment.bank_lock)
    bank.refund(hall.header.game)
    bank.close()
    assert anna("bet", 5) == "ok"
    assert hall.phase() == "none"
    assert len(set(seals(hall))) == 2
    assert bert("draw word") == anna("draw word") == "ok"
    assert list(words(hall)) == [0, 1]
