"""Who keeps a lock and stands still is put out, though nobody waits; not who waits himself, or could not run."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.isolation.sessions import PATIENCE, START, Hall, Hands, Session
from tests.waiting import wait_until
from yawc_poker.engine.events import StakeBack
from yawc_poker.games.poker.progress import SWAP_ROUND

LOCKS = ("directory", "bank", "broadcast", "table 1")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall
        hall.money()
        hall.histories()


def state(session: Session) -> str:
    """Return the state of a session's process, as the kernel names it."""
    return Path(f"/proc/{session.pid}/stat").read_text().rpartition(")")[2].split()[0]


def killed(session: Session) -> bool:
    return state(session) == "Z"


@pytest.mark.parametrize("lock", LOCKS)
def test_ticks_alone_put_out_a_stopped_holder(hall: Hall, lock: str) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    anna.doomed("hold", "hold", lock, by=signal.SIGSTOP)
    began = time.monotonic()
    wait_until(lambda: bert("tick") == "ok" and killed(anna))
    assert time.monotonic() - began >= PATIENCE * 0.8
    assert f"session {anna.pid} of 'Anna' kept a lock too long and was killed" in hall.log
    anna.reap()
    wait_until(lambda: carl("tick") == "ok" and hall.removed() == ["Anna"])
    assert hall.locks_held() == []


def test_a_new_holder_at_each_tick_is_nobodys_fault(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    began = time.monotonic()
    while time.monotonic() - began < 3 * PATIENCE:
        assert anna("say", "busy") == bert("tick") == "ok"
    assert hall.log.count("kept a lock") == 0


class PatientHands(Hands):
    """A session that blames nobody for what a busy machine needs to stop it and to let it go on."""

    patience = 2.0


def test_a_machine_that_stood_still_has_kept_nobody_waiting(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", hands=PatientHands) as hall:
        anna, bert = hall.seat("Anna", "Bert")
        anna.order("hold", "table 1")
        wait_until(lambda: "table 1" in hall.locks_held())
        bert.order("say", "hello")
        hall.queue(1)
        for person in (anna, bert):
            person.stop()
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 1.5 * PatientHands.patience)
        bert.go_on()
        wait_until(lambda: state(bert) != "T")
        anna.go_on()
        hall.go_on()
        assert (anna.answer(), bert.answer()) == ("ok", "ok")


def test_ticks_after_a_standstill_begin_where_they_were(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    anna.order("hold", "table 1")
    wait_until(lambda: "table 1" in hall.locks_held())
    assert bert("tick") == "ok"
    for person in (anna, bert):
        person.stop()
    began = time.monotonic()
    wait_until(lambda: time.monotonic() - began > 3 * PATIENCE)
    bert.go_on()
    assert bert("tick") == "ok"
    anna.go_on()
    hall.go_on()
    assert anna.answer() == "ok"


def stay_in_bank(hall: Hall, who: Session, other: Session, seconds: float) -> None:
    """Let one session be in the bank for so long, while the other one ticks; it must not be put out."""
    who.order("hold", "bank")
    wait_until(lambda: "bank" in hall.locks_held())
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        assert other("tick") == "ok"
    hall.go_on()
    assert who.answer() == "ok"


def test_who_is_in_the_bank_is_left_there(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    stay_in_bank(hall, anna, bert, 4 * PATIENCE)


@pytest.mark.parametrize("lock", ["bank", "table 1"])
def test_who_works_without_end_is_put_out(hall: Hall, lock: str) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    anna.order("work", lock)
    wait_until(lambda: lock in hall.locks_held())
    wait_until(lambda: bert("tick") == "ok" and killed(anna))
    assert anna.reap() == -signal.SIGKILL


def test_who_works_without_end_in_the_bank_is_put_out_on_an_overloaded_machine(hall: Hall) -> None:
    """Between two examinations it uses too little to be noticed: all that it uses there is added up."""
    anna, bert = hall.seat("Anna", "Bert")
    anna.order("work slowly", "bank")
    wait_until(lambda: "bank" in hall.locks_held())
    wait_until(lambda: bert("tick") == "ok" and killed(anna))
    assert anna.reap() == -signal.SIGKILL


def test_what_is_used_between_two_stays_in_the_bank_is_nobodys_fault(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    process = psutil.Process(anna.pid)

    def used() -> float:
        return sum(process.cpu_times()[:2])

    for _ in range(2):
        stay_in_bank(hall, anna, bert, 2 * PATIENCE)
        (hall.data / "go on").unlink()
        before = used()
        while used() - before < PATIENCE:
            assert anna("say", "busy") == "ok"


# --- what they get back -----------------------------------------------------------------------------------------------


def returned(hall: Hall) -> list[tuple[str, int]]:
    """Return whose stakes went back, by the table's log."""
    return [(entry.name, entry.event.amount) for entry in hall.table.log if isinstance(entry.event, StakeBack)]


def put_out(hall: Hall, session: Session) -> None:
    """Kill a session, as for a lock it kept."""
    hall.put_out(session)
    session.kill()


def finish(hall: Hall, *people: Session) -> None:
    """Play a running game to its end."""
    while (game := hall.table.game) is not None:
        mover = next(one for one in people if one.name == hall.current())
        if game.phase == "bet":
            assert mover("see" if game.round > SWAP_ROUND else "bet", max(game.low, 1)) == "ok"
        else:
            assert mover("swap" if game.phase == "swap" else "show") == "ok"


def test_who_is_put_out_gets_the_stake_back_and_the_others_play_for_the_rest(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("bet", 7) == "ok"
    put_out(hall, anna)
    assert bert("tick") == "ok"
    assert (hall.removed(), returned(hall)) == (["Anna"], [("Anna", 17)])
    assert (hall.balances(1), hall.money().pots, hall.header.pot) == ([START], 20, 20)
    finish(hall, bert, carl)
    assert hall.phase() == "none"
    assert sum(hall.balances(2, 3)) == 2 * START
    (game,) = (played.game for played in hall.histories())
    assert [(one.name, one.paid, one.got, one.back) for one in game.players if one.name == "Anna"] == [
        ("Anna", 17, 17, 17)
    ]
    assert [(one.got, one.back) for one in game.winners] == [(game.pot, 0)]
    again = hall.session(1, "Anna")
    assert json.loads(again("notices")) == [[game.number, 17]]


def test_a_bet_that_the_table_never_saw_goes_back_as_well(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    hall.put_out(anna)
    anna.doomed("after bet", "bet", 5)
    assert bert("tick") == "ok"
    assert (returned(hall), hall.balances(1)) == ([("Anna", 15)], [START])
    finish(hall, bert, carl)
    assert hall.phase() == "none"


def test_the_last_one_gets_what_is_left(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == anna("bet", 5) == "ok"
    put_out(hall, anna)
    assert bert("tick") == "ok"
    assert (hall.phase(), hall.balances(1, 2), hall.money().pots) == ("none", [START, START], 0)


def test_who_had_passed_gets_nothing_back(hall: Hall) -> None:
    anna, bert, _ = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("fold") == "ok"
    put_out(hall, anna)
    assert bert("tick") == "ok"
    assert (hall.removed(), returned(hall), hall.balances(1)) == (["Anna"], [], [START - 10])


def test_who_acts_first_cannot_win_the_stake_of_somebody_put_out(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    put_out(hall, anna)
    assert bert("say", "hello?") == "ok"
    assert (hall.phase(), hall.balances(1, 2)) == ("none", [START, START])


def test_a_stake_goes_back_once_whoever_dies_over_it(hall: Hall) -> None:
    anna, bert, carl, dora = hall.seat("Anna", "Bert", "Carl", "Dora")
    assert anna("start") == "ok"
    put_out(hall, anna)
    bert.doomed("after give_back", "tick")
    assert carl("tick") == dora("tick") == "ok"
    assert (returned(hall), hall.balances(1)) == ([("Anna", 10)], [START])
    finish(hall, carl, dora)


def test_the_seat_waits_while_the_bank_cannot_give_back(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    put_out(hall, anna)
    with hall.bank_broken():
        assert bert("tick") == "ok"
        assert (hall.removed(), hall.current()) == ([], "Anna")
    assert carl("tick") == "ok"
    assert (hall.removed(), hall.balances(1)) == (["Anna"], [START])
