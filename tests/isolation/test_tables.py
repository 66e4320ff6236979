"""The table's transactions over several processes, and what is left when one of them dies at the worst moment."""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.isolation.sessions import START, Hall, Hands, Session, clocks, several_tables
from tests.isolation.steps import SteppedHands
from tests.isolation.stores import bank_in_file
from tests.waiting import wait_until
from yawc_poker.casino.bank import ledger
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.instance.instance import game_table
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.store.connection import BUSY_SECONDS
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.events import Voided
from yawc_poker.ipc.segment import NoSegment, Segment
from yawc_poker.ipc.semaphore import PATIENCE


class HallsTime(Hands):
    """A session whose tables go by the hall's clock."""

    def _floor(self) -> Sequence[GameTable]:
        def now() -> float:
            return time.monotonic() + self._hall.ahead

        tables = super()._floor()
        return [game_table(self._instance, one.context._replace(clock=now), one.rules) for one in tables]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall
        hall.money()
        hall.histories()


def swaps(*people: Session) -> None:
    for person in people:
        assert person("swap") == "ok"


def to_showdown(first: Session, *others: Session) -> None:
    """Play a running game until everybody may show."""
    for person in (first, *others):
        assert person("bet", 5) == "ok"
    swaps(first, *others)
    assert first("see", 5) == "ok"
    for person in others:
        assert person("bet", 5) == "ok"


def in_last_round(hall: Hall, *names: str) -> list[Session]:
    people = hall.seat(*names)
    assert people[0]("start") == "ok"
    to_showdown(*people)
    assert hall.phase() == "showdown"
    return people


def show_all_but_last(people: list[Session]) -> None:
    for person in people[:-1]:
        assert person("show") == "ok"


# --- whole games ------------------------------------------------------------------------------------------------------


def test_a_whole_game_keeps_the_books_sound_at_every_step(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert hall.money().cash == 3 * START
    assert anna("start") == "ok"
    assert hall.money().pots == hall.header.pot == 30
    expected = 30
    for person in (anna, bert, carl):
        assert person("bet", 5) == "ok"
        expected += 5
        assert hall.money().pots == hall.header.pot == expected
    swaps(anna, bert, carl)
    assert anna("see", 5) == bert("bet", 5) == carl("bet", 5) == "ok"
    assert hall.money().pots == 60
    for person in (anna, bert, carl):
        assert person("show") == "ok"
    assert (hall.money().pots, hall.money().open_games) == (0, 0)
    assert sorted(hall.balances(1, 2, 3)) == [80, 80, 140]
    assert hall.header.override == 0
    assert hall.master() == "Bert"


def test_games_follow_each_other_with_the_next_master(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert", "Carl", "Dora", "Emil")
    for first in range(3):
        order = people[first:] + people[:first]
        assert hall.master() == order[0].name
        assert order[0]("start") == "ok"
        to_showdown(*order)
        for person in order:
            assert person("show") == "ok"
        assert hall.money().pots == 0
    assert hall.money().games == 3


def test_out_of_turn_and_not_master_are_refused_and_change_nothing(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    before = hall.commits
    assert bert("start") == "not_master"
    assert anna("bet", 5) == "no_game"
    assert hall.commits == before
    assert anna("start") == "ok"
    before = hall.commits
    assert bert("bet", 5) == "not_your_turn"
    assert anna("start") == "game_running"
    assert hall.commits == before
    assert hall.money().pots == 20


def test_who_leaves_leaves_his_stake(hall: Hall) -> None:
    anna, bert, _ = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("bet", 5) == "ok"
    assert bert("leave") == "ok"
    assert hall.names() == ["Anna", "Carl"]
    assert hall.current() == "Carl"
    assert hall.money().pots == 35


def test_leaving_twice_is_no_error(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    assert anna("leave") == anna("leave") == "ok"
    assert hall.names() == []
    assert hall.master() == ""


# --- killed inside a transaction --------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["before bet", "in bet"])
def test_killed_before_the_ledger_has_the_bet_nothing_was_paid(hall: Hall, step: str) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("bet", 5) == "ok"
    bert.doomed(step, "bet", 5)
    assert hall.money().pots == 35
    assert carl("look after") == "ok"
    assert (hall.removed(), hall.current(), hall.master()) == (["Bert"], "Carl", "Anna")
    assert carl("bet", 5) == "ok"
    assert hall.money().pots == hall.header.pot == 40
    assert hall.phase() == "swap"


def test_killed_between_ledger_and_commit_the_bet_stays_in_the_pot(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("bet", 5) == "ok"
    bert.doomed("after bet", "bet", 5)
    assert hall.current() == "Bert"
    assert (hall.header.pot, hall.money().pots) == (35, 40)
    assert carl("look after") == "ok"
    assert hall.current() == "Carl"
    assert carl("bet", 5) == "ok"
    assert hall.header.pot == hall.money().pots == 45
    swaps(anna, carl)
    assert anna("fold") == "ok"
    assert carl("bet", 5) == "ok"
    assert hall.header.game == hall.money().games
    while hall.phase() == "showdown":
        assert carl("show") == "ok"
    assert hall.balances(1, 2, 3) == [85, 85, 130]


def test_the_master_killed_in_his_turn_passes_both_on(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    anna.doomed("after bet", "bet", 5)
    assert bert("look after") == "ok"
    assert (hall.master(), hall.current(), hall.removed()) == ("Bert", "Bert", ["Anna"])
    assert bert("bet", 5) == carl("bet", 5) == "ok"
    assert hall.money().pots == hall.header.pot == 45


def test_the_lock_of_the_dead_is_free_for_an_operation_too(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    anna.doomed("in bet", "bet", 5)
    assert carl("say", "hello?") == "ok"
    assert hall.header.pot == 30
    assert bert("leave") == "ok"
    assert carl("look after") == "ok"
    assert hall.names() == ["Carl"]
    assert hall.balances(1, 2, 3) == [90, 90, 120]


@pytest.mark.parametrize("step", ["before open_game", "in open_game", "after open_game"])
def test_the_stakes_of_a_game_no_table_knows_go_back(tmp_path: Path, step: str) -> None:
    with Hall(tmp_path / "data", hands=HallsTime) as hall:
        anna, *others = hall.seat("Anna", "Bert", "Carl")
        anna.doomed(step, "start")
        assert hall.phase() == "none"
        assert hall.money().pots == (30 if step == "after open_game" else 0)
        hall.pass_time(9)
        wait_until(lambda: others[0]("look after") == "ok" and "Anna" not in hall.names())
        assert hall.money().pots == hall.money().open_games == 0
        assert hall.balances(1, 2, 3) == [100, 100, 100]
        assert hall.master() == "Bert"
        goes_on(others)
        assert hall.money().pots == hall.header.pot == 20


def goes_on(people: list[Session]) -> None:
    """The start goes on without those who are lost: all others commit anew, and reveal."""
    for _ in range(2):
        assert [person("tend") for person in people] == ["ok"] * len(people)


def test_a_game_no_table_knows_goes_back_when_the_next_one_starts_on_a_clock(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", clocks(master=5), hands=HallsTime) as hall:
        anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
        anna.doomed("after open_game", "start")
        hall.pass_time(9)
        wait_until(lambda: carl("look after") == "ok" and "Anna" not in hall.names())
        goes_on([bert, carl])
        assert hall.money().open_games == 1
        assert hall.money().pots == hall.header.pot


@pytest.mark.parametrize("step", ["before settle", "in settle", "after settle"])
def test_a_closing_whose_session_died_is_taken_over(hall: Hall, step: str) -> None:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    show_all_but_last(people)
    anna, bert, carl = people
    carl.doomed(step, "show")
    assert hall.header.override == carl.token
    assert hall.phase() == "over"
    assert hall.money().pots == (0 if step == "after settle" else 60)
    paid = hall.balances(1, 2, 3)
    assert anna("look after") == "ok"
    assert hall.header.override == 0
    assert hall.money().pots == hall.money().open_games == 0
    assert sorted(hall.balances(1, 2, 3)) == [80, 80, 140]
    if step == "after settle":
        assert hall.balances(1, 2, 3) == paid
    assert f"took over the closing of game {hall.header.game}" in hall.log
    assert hall.names() == ["Anna", "Bert"]
    assert hall.master() == "Bert"
    assert bert("start") == "ok"


def test_a_closing_whose_session_was_stopped_is_taken_over(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert")
    show_all_but_last(people)
    anna, bert = people
    bert.doomed("before settle", "show", by=signal.SIGSTOP)
    assert anna("say", "well?") == "ok"
    assert bert.reap() == -signal.SIGKILL
    assert anna("look after") == "ok"
    assert (hall.phase(), hall.header.override, hall.master()) == ("none", 0, "Anna")
    assert hall.money().open_games == 0


def test_a_move_that_decides_stands_though_the_payout_must_wait(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert")
    show_all_but_last(people)
    anna, bert = people
    assert anna("read") != ""
    assert bert("no payouts") == bert("show") == "ok"
    assert (hall.phase(), hall.header.override) == ("over", bert.token)
    assert anna("read") == "play", "she was told"
    assert bert("payouts") == bert("look after") == "ok"
    assert (hall.phase(), hall.money().pots) == ("none", 0)


def test_a_closing_that_waits_for_the_bank_is_taken_over_when_its_session_is_stopped(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    show_all_but_last(people)
    anna, bert, carl = people
    assert carl("no payouts") == carl("show") == "ok"
    carl.stop()
    assert anna("look after") == "ok"
    assert (hall.phase(), hall.header.override, hall.money().pots) == ("none", 0, 0)
    assert hall.names() == ["Anna", "Bert", "Carl"]
    carl.go_on()
    assert carl("look after") == bert("start") == "ok"


def test_nobody_acts_on_a_game_that_another_closes(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    show_all_but_last(people)
    anna, bert, carl = people
    assert carl("no payouts") == carl("show") == "ok"
    assert (hall.phase(), hall.header.override) == ("over", carl.token)
    commits = hall.commits
    assert anna("start") == anna("fold") == "closing"
    assert bert("look after") == bert("duty") == "ok"
    assert hall.commits == commits
    assert hall.money().pots == 60
    carl.kill()
    assert bert("look after") == "ok"
    assert hall.money().pots == hall.header.override == 0


def test_the_one_who_takes_over_dies_too(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    show_all_but_last(people)
    anna, bert, carl = people
    carl.doomed("before settle", "show")
    bert.doomed("after settle", "look after")
    assert hall.header.override == bert.token
    assert anna("look after") == "ok"
    assert hall.names() == ["Anna"]
    assert sorted(hall.balances(1, 2, 3)) == [80, 80, 140]
    assert hall.log.count("took over the closing") == 2


def test_a_by_stander_from_the_prompt_takes_a_closing_over(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert")
    passer_by = hall.session(7, "Passer")
    show_all_but_last(people)
    anna, bert = people
    bert.doomed("before settle", "show")
    anna.kill()
    assert passer_by("duty") == "ok"
    assert hall.names() == []
    assert (hall.master(), hall.header.override) == ("", 0)
    assert hall.money().pots == 0
    assert sorted(hall.balances(1, 2)) == [80, 120]


def test_all_killed_at_one_moment_the_house_gets_the_pot(hall: Hall) -> None:
    """Nobody is active any more (spec/poker.md 8.1); the last of them in seat order is as dead as the others."""
    people = hall.seat("Anna", "Bert", "Carl")
    assert people[0]("start") == "ok"
    assert people[0]("bet", 5) == "ok"
    for person in people:
        person.kill()
    passer_by = hall.session(7, "Passer")
    assert passer_by("sit") == "ok"
    assert hall.names() == ["Passer"]
    assert hall.money().open_games == 0
    assert (hall.balances(1, 2, 3), hall.money().house) == ([START - 15, START - 10, START - 10], 35)
    assert "all players of game 1 are gone" in hall.log


def test_all_killed_but_an_onlooker_at_the_table_the_house_gets_the_pot(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    carl = hall.session(3, "Carl")
    assert carl("sit") == "ok"
    for person in (anna, bert):
        person.kill()
    assert carl("look after") == "ok"
    assert (hall.names(), hall.money().house) == (["Carl"], 20)


def test_all_killed_but_one_that_one_wins(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    for person in (anna, carl):
        person.kill()
    assert bert("look after") == "ok"
    assert hall.balances(2) == [START + 20]


# --- stopped while holding a lock -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["before bet", "in bet", "after bet"])
def test_a_holder_who_was_stopped_is_broken_and_named(hall: Hall, step: str) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    anna.doomed(step, "bet", 5, by=signal.SIGSTOP)
    assert bert("say", "what is the matter?") == "ok"
    assert anna.reap() == -signal.SIGKILL
    assert f"session {anna.pid} of 'Anna' kept a lock too long and was killed" in hall.log
    assert carl("look after") == "ok"
    assert (hall.removed(), hall.master(), hall.current()) == (["Anna"], "Bert", "Bert")
    assert (hall.money().pots, hall.header.pot, hall.balances(1)) == (20, 20, [START])


def test_who_waits_for_the_bank_behind_a_stopped_one_is_spared(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    dora = hall.session(4, "Dora")
    assert anna("start") == "ok"
    dora.doomed("in earn", "earn", by=signal.SIGSTOP)
    assert bert("hasty") == "ok"  # so that he would blame Anna before she finds out who keeps her waiting
    with hall.table_held() as queue:
        anna.order("bet", 5)
        queue(1)
    bert.order("say", "why does nobody play on?")
    assert (anna.answer(), bert.answer()) == ("ok", "ok")
    assert dora.reap() == -signal.SIGKILL
    assert carl("look after") == "ok"
    assert (hall.removed(), hall.current(), hall.money().pots) == ([], "Bert", 35)


def test_stopped_without_a_lock_nobody_is_killed_and_his_clock_runs_out(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", hands=HallsTime) as hall:
        anna, bert, _ = hall.seat("Anna", "Bert", "Carl")
        assert anna("start") == "ok"
        anna.stop()
        hall.pass_time(61)
        assert bert("look after") == "ok"
        assert hall.current() == "Bert"
        assert hall.names() == ["Anna", "Bert", "Carl"]
        anna.go_on()
        assert anna("bet", 5) == "not_your_turn"
        assert hall.money().pots == 30


def test_sitting_down_where_one_sits_already_keeps_the_seat(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("sit") == "ok"
    assert hall.names() == ["Anna", "Bert"]
    assert bert("leave") == bert("sit") == "ok"
    assert hall.names() == ["Anna", "Bert"]


# --- at the same moment -----------------------------------------------------------------------------------------------


def test_of_two_who_want_the_last_seat_one_gets_it(hall: Hall) -> None:
    hall.seat("Anna", "Bert", "Carl", "Dora")
    two = [hall.session(5, "Emil"), hall.session(6, "Fritz")]
    with hall.table_held() as queue:
        for person in two:
            person.order("sit")
        queue(2)
    assert sorted(person.answer() for person in two) == ["ok", "table_full"]
    assert len(hall.names()) == len(set(hall.names())) == 5


def test_two_who_bet_for_the_same_turn_at_once(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert")
    assert people[0]("start") == "ok"
    with hall.table_held() as queue:
        for person in people:
            person.order("bet", 5)
        queue(2)
    answers = [person.answer() for person in people]
    assert answers in (["ok", "ok"], ["ok", "not_your_turn"])
    assert hall.money().pots == hall.header.pot == 20 + 5 * answers.count("ok")


def test_two_purgers_remove_a_dead_one_once(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    anna.kill()
    with hall.table_held() as queue:
        for person in (bert, carl):
            person.order("look after")
        queue(2)
    assert bert.answer() == carl.answer() == "ok"
    assert hall.removed() == ["Anna"]
    assert hall.log.count("'Anna' is gone and was removed") == 1


def test_two_whose_clock_ran_out_are_served_once(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", hands=HallsTime) as hall:
        anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
        assert anna("start") == "ok"
        hall.pass_time(61)
        with hall.table_held() as queue:
            for person in (bert, carl):
                person.order("look after")
            queue(2)
        assert bert.answer() == carl.answer() == "ok"
        assert hall.current() == "Bert"


# --- the purge (spec/poker.md 9.1) ------------------------------------------------------------------------------------


def test_purge_a_who_is_no_longer_online_though_his_process_lives(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("vanish") == "ok"
    assert bert("look after") == "ok"
    assert hall.names() == ["Bert"]
    assert hall.removed() == ["Anna"]
    assert anna("start") == "not_seated"


def test_purge_b_the_same_name_a_second_time_does_not_get_a_seat(hall: Hall) -> None:
    hall.seat("Anna", "Bert")
    again = hall.session(1, "Anna")
    assert again("sit") == "already_seated"
    assert hall.names() == ["Anna", "Bert"]
    assert hall.hold(again) is None


def test_purge_b_after_the_dead_entry_went_the_same_name_sits(hall: Hall) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    anna.kill()
    again = hall.session(1, "Anna")
    assert again("sit") == "ok"
    assert hall.removed() == ["Anna"]
    assert sorted(hall.names()) == ["Anna", "Bert"]


def test_purge_c_the_user_is_online_again_in_another_process(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    anna.kill()
    hall.session(1, "Anna")
    assert bert("look after") == "ok"
    assert (hall.names(), hall.removed()) == (["Bert"], ["Anna"])
    assert hall.balances(1, 2) == [90, 110]


def test_purge_c_another_session_under_the_same_record_does_not_count(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    record = index_of(anna.token)
    anna.kill()
    assert bert("duty") == "ok"
    other = hall.session(3, "Carl")
    assert index_of(other.token) == record
    assert hall.names() == ["Bert"]


def test_duty_frees_the_record_of_the_dead(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    anna.kill()
    assert len(hall.foundation.living()) == 1
    assert hall.foundation.count() == 2
    assert bert("duty") == "ok"
    assert hall.foundation.count() == 1
    assert f"session {anna.pid} of 'Anna' is gone" in hall.log


def test_a_duty_passes_by_a_busy_table_and_looks_after_the_others(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", several_tables(4)) as hall:
        dead = [hall.session(user, name) for user, name in enumerate(("Anna", "Bert", "Carl", "Dora"), 1)]
        for number, person in enumerate(dead):
            assert person("table", number) == person("sit") == "ok"
        emil = hall.session(5, "Emil")
        for person in dead:
            person.kill()
        *busy, free = hall.foundation.segment.cells
        for cell in busy:
            cell.lock.level += cell.index  # the test may hold several at once
            cell.lock.acquire()
        assert emil("duty") == "ok"
        for cell in busy:
            cell.lock.release()
        assert not any(free.header().seats)
        assert all(any(cell.header().seats) for cell in busy)


# --- the bank is not there --------------------------------------------------------------------------------------------


def test_without_a_bank_a_bet_is_refused_and_works_later(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    before, commits = hall.table, hall.commits
    with hall.bank_broken():
        assert anna("bet", 5) == "BankUnavailable"
        assert anna("say", "the bank is closed?") == "ok"
    assert hall.commits == commits + 1
    assert (hall.table.game, hall.table.pot, hall.table.action) == (before.game, before.pot, before.action)
    assert anna("bet", 5) == bert("bet", 5) == "ok"
    assert hall.money().pots == hall.header.pot == 30


def test_without_a_bank_nobody_starts_a_game_and_anybody_leaves(hall: Hall) -> None:
    anna, bert, _ = hall.seat("Anna", "Bert", "Carl")
    with hall.bank_broken():
        assert anna("start") == "BankUnavailable"
        assert bert("leave") == "ok"
    assert hall.names() == ["Anna", "Carl"]
    assert hall.phase() == "none"
    assert anna("start") == "ok"
    assert hall.money().pots == 20


def test_a_pot_that_cannot_be_paid_waits_for_the_bank(hall: Hall) -> None:
    people = in_last_round(hall, "Anna", "Bert")
    show_all_but_last(people)
    anna, bert = people
    with hall.bank_broken():
        assert bert("show") == "BankUnavailable"
    assert hall.phase() == "showdown"
    assert bert("show") == "ok"
    assert hall.phase() == "none"
    assert anna("look after") == "ok"
    assert hall.money().pots == 0


def test_a_game_decided_without_a_bank_is_paid_when_it_is_back(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    with hall.bank_broken():
        assert bert("leave") == "ok"
        assert (hall.phase(), hall.header.override) == ("over", bert.token)
        assert anna("look after") == "ok"
        assert hall.header.override == anna.token
    assert anna("look after") == "ok"
    assert (hall.phase(), hall.header.override, hall.master()) == ("none", 0, "Anna")
    assert hall.balances(1, 2) == [110, 90]


@pytest.mark.parametrize("order", [("bet", 5), ("fold",)], ids=["bet", "last fold"])
def test_a_game_that_the_ledger_has_closed_is_called_off(hall: Hall, order: tuple[str | int, ...]) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    if order == ("fold",):
        assert anna("fold") == "ok"
    mover = bert if order == ("fold",) else anna
    bank = bank_in_file(hall.foundation.data / BANK_FILE, hall.foundation.segment.bank_lock)
    bank.refund(hall.header.game)
    bank.close()
    assert mover(*order) == "ok"
    assert (hall.phase(), hall.header.override, hall.header.pot) == ("none", 0, 0)
    assert any(isinstance(entry.event, Voided) for entry in hall.table.log)
    assert hall.balances(1, 2) == [100, 100]
    assert anna("say", "again?") == "ok"


def test_what_came_or_went_outside_counts_for_a_bet_though_the_table_has_not_heard_of_it(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    with closing(bank_in_file(hall.data / BANK_FILE, hall.foundation.segment.bank_lock)) as bank:
        bank.take(1, 1, 50)
        bank.take(2, 2, 87)
        before = hall.commits
        assert anna("bet", 60) == "bet_out_of_range"
        assert hall.commits == before
        assert anna("bet", 5) == "ok"
        assert [who and who.cash for who in hall.table.seats][:3] == [35, 3, 90]
        assert hall.current() == "Carl", "Bert cannot pay five any more"
        bank.take(3, 3, 88)
        assert carl("bet", 5) == "bet_out_of_range"
        with bank.store.writing() as books:
            ledger.move(books, 0.0, "grant:4", "house", 3, 88)
        assert carl("bet", 5) == "ok"
        assert hall.balances(1, 2, 3) == [35, 3, 85]
        assert bank.pot(hall.header.game) == hall.header.pot == 40
    assert bert("leave") == "ok"


def test_who_waits_in_vain_for_the_bank_is_not_taken_for_stuck() -> None:
    assert 4 * BUSY_SECONDS < PATIENCE


def test_a_database_locked_from_outside_is_waited_for(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    with hall.bank_locked():
        anna.order("bet", 5)
        wait_until(lambda: hall.foundation.segment.bank_lock.is_held)
    assert anna.answer() == "ok"
    assert bert("look after") == "ok"
    assert hall.money().pots == 25


# --- closing ----------------------------------------------------------------------------------------------------------


def test_while_the_house_closes_nothing_is_done_any_more(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    dora = hall.session(4, "Dora")
    assert anna("start") == "ok"
    carl.kill()
    hall.foundation.segment.head.closing = 1
    before = hall.commits
    assert dora("sit") == anna("bet", 5) == bert("say", "bye") == anna("start") == "closing_down"
    assert bert("leave") == bert("look after") == bert("duty") == "ok"
    assert hall.commits == before
    assert hall.money().pots == 30


def test_who_waited_for_a_table_when_the_house_began_to_close_removes_nobody(tmp_path: Path) -> None:
    """Its players are gone by then, but not from the game: their stakes go back."""
    with Hall(tmp_path / "data", hands=SteppedHands) as hall:
        anna, bert, carl, dora = hall.seat("Anna", "Bert", "Carl", "Dora")
        assert anna("start") == "ok"
        dora.kill()
        carl.doomed("table 1 lock wanted", "look after", by=signal.SIGSTOP)
        before, closing = hall.commits, hall.foundation.segment.head
        closing.closing = 1
        anna.kill()
        bert.kill()
        carl.go_on()
        assert carl.answer() == "ok"
        assert hall.commits == before
        closing.closing = 0
        hall.foundation.close_down(lambda: None)
        assert hall.balances(1, 2, 3, 4) == [START] * 4


def test_closing_down_gives_the_stakes_back_and_takes_the_segment_away(tmp_path: Path) -> None:
    with Hall(tmp_path / "data") as hall:
        anna, bert = hall.seat("Anna", "Bert")
        assert anna("start") == anna("bet", 5) == "ok"
        hall.foundation.close_down(lambda: None)
        assert [person.reap() for person in (anna, bert)] == [-signal.SIGTERM] * 2
        assert hall.balances(1, 2) == [START, START]
        assert hall.money().open_games == 0
        with pytest.raises(NoSegment):
            Segment.attach(hall.foundation.segment.name)
