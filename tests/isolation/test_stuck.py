"""Who keeps a lock and stands still is put out, though nobody waits; not who waits himself, or could not run."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolation.sessions import PATIENCE, Hall, Session
from tests.waiting import wait_until

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


def test_a_machine_that_stood_still_has_kept_nobody_waiting(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    anna.order("hold", "table 1")
    wait_until(lambda: "table 1" in hall.locks_held())
    bert.order("say", "hello")
    hall.queue(1)
    for person in (anna, bert):
        person.stop()
    began = time.monotonic()
    wait_until(lambda: time.monotonic() - began > 3 * PATIENCE)
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


def test_who_is_in_the_bank_is_left_there(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    anna.order("hold", "bank")
    wait_until(lambda: "bank" in hall.locks_held())
    began = time.monotonic()
    while time.monotonic() - began < 4 * PATIENCE:
        assert bert("tick") == "ok"
    hall.go_on()
    assert anna.answer() == "ok"


@pytest.mark.parametrize("lock", ["bank", "table 1"])
def test_who_works_without_end_is_put_out(hall: Hall, lock: str) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    anna.order("work", lock)
    wait_until(lambda: lock in hall.locks_held())
    wait_until(lambda: bert("tick") == "ok" and killed(anna))
    assert anna.reap() == -signal.SIGKILL
