"""A disk that is slow, never answers, or fails: nobody is put out for that, and everybody reads what is the matter."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.disk import CC, WHY_NOT, Disk
from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.waiting import wait_until
from yawc_poker.ipc.segment import Segment, segment_name

PATIENCE = 0.5
SLOW = "The bank is slow; nothing was"

pytestmark = pytest.mark.skipif(CC is None, reason=WHY_NOT)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


@pytest.fixture
def bbs(tmp_path: Path, disk: Disk) -> Iterator[Bbs]:
    running = Bbs(tmp_path / "data", FAST.replace("[engine]", f"[engine]\npatience_seconds = {PATIENCE}"))
    running.under = disk.under
    with running:
        yield running
        disk.mend()
        running.is_sound()


@pytest.fixture
def segment(bbs: Bbs) -> Iterator[Segment]:
    attached = Segment.attach(segment_name(bbs.data))
    yield attached
    attached.close()


def in_game(bbs: Bbs, *names: str) -> list[Caller]:
    callers = bbs.seat(*names)
    callers[0].send("s")
    for caller in callers:
        caller.until("Round:", "1")
    return callers


def bet_into(disk: Disk, segment: Segment, caller: Caller, bbs: Bbs) -> int:
    """Make a caller bet, and wait until that waits for the disk, which never answers; return the session's pid."""
    pid = bbs.session(caller.name).pid
    caller.see("[B]")
    disk.slow()
    caller.bet("5")
    wait_until(lambda: segment.bank_lock.is_held and segment.bank_lock.holder == pid, "the bet to be in the bank")
    return pid


def let_pass(seconds: float) -> None:
    began = time.monotonic()
    wait_until(lambda: time.monotonic() - began > seconds)


def test_who_waits_for_the_disk_is_spared_and_the_others_read_so(bbs: Bbs, disk: Disk, segment: Segment) -> None:
    anna, bert = in_game(bbs, "Anna", "Bert")
    carl = bbs.call().register("Carl")
    bet_into(disk, segment, anna, bbs)
    bert.send(".hello\r")
    bert.see(SLOW)
    carl.send("pBert\r")
    carl.see("The bank is slow at the moment. Please wait.")
    let_pass(3 * PATIENCE)
    bert.send(".still here")
    bert.see("still here")
    disk.mend()
    bert.hear("Anna bets 5 CUBES")
    carl.see("Bert", "CUBES")
    anna.owns(85)
    bert.send("\r")
    anna.hear("[Bert] still here")
    bert.bet("5")
    anna.hear("Bert bets 5 CUBES")
    assert "was killed" not in bbs.log.read_text()
    assert "waits long, for the disk or the bank" in bbs.log.read_text()


def test_a_game_on_a_disk_of_which_each_call_takes_long(bbs: Bbs, disk: Disk) -> None:
    anna, bert = in_game(bbs, "Anna", "Bert")
    disk.slow(0.6 * PATIENCE)
    for caller, other in ((anna, bert), (bert, anna)):
        caller.bet("5")
        other.hear(f"{caller.name} bets 5 CUBES")
    disk.mend()
    anna.see("[D] Done")
    for caller in (anna, bert):
        caller.owns(85)
    assert "was killed" not in bbs.log.read_text()


def test_who_is_stopped_in_front_of_the_disk_is_put_out(bbs: Bbs, disk: Disk, segment: Segment) -> None:
    anna, bert, carl = in_game(bbs, "Anna", "Bert", "Carl")
    pid = bet_into(disk, segment, anna, bbs)
    os.kill(pid, signal.SIGSTOP)
    disk.mend()
    bert.see("[B]")
    bert.bet("5")
    carl.hear("Bert bets 5 CUBES")
    assert f"session {pid} of 'Anna' kept a lock too long and was killed" in bbs.log.read_text()


def test_a_machine_that_stood_still_puts_nobody_out(bbs: Bbs, disk: Disk, segment: Segment) -> None:
    anna, bert = in_game(bbs, "Anna", "Bert")
    processes = [bbs.process.pid, bet_into(disk, segment, anna, bbs), bbs.session("Bert").pid]
    bert.send(".hello\r")
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    let_pass(3 * PATIENCE)
    disk.mend()
    for pid in reversed(processes):
        os.kill(pid, signal.SIGCONT)
    bert.hear("Anna bets 5 CUBES")
    bert.bet("5")
    anna.hear("Bert bets 5 CUBES")
    assert "was killed" not in bbs.log.read_text()


# --- a disk that fails ------------------------------------------------------------------------------------------------

LONGEST = 9
"""Calls of fsync of a bet, at least."""


def moved_on(caller: Caller) -> bool:
    return caller.field("Turn:") != caller.name


def answered(caller: Caller) -> None:
    caller.wait(lambda: moved_on(caller) or "The bank" in caller.text, "an answer")


@pytest.mark.parametrize("many", [1, 1000])
def test_a_bet_at_whichever_call_the_disk_fails(bbs: Bbs, disk: Disk, many: int) -> None:
    """It counts, or it does not; then another amount does. The books, the table and the history agree in the end."""
    anna, bert = in_game(bbs, "Anna", "Bert")
    amount = 1
    for first in range(1, LONGEST + 1):
        for caller, other in ((anna, bert), (bert, anna)):
            caller.see("[B]")
            disk.fail(first, many)
            caller.bet(str(amount))
            answered(caller)
            disk.mend()
            if "The bank" in caller.text:
                amount += 1
                caller.send(f"{amount}\r")
                caller.wait(partial(moved_on, caller), "the other amount to count")
            other.hear(f"{caller.name} bets")
        for caller in (anna, bert):
            if first == 1:
                caller.see("[D] Done")
                caller.send("d")

    def all_is_shown() -> bool:
        for caller in (anna, bert):
            caller.drain()
        return anna.cubes + bert.cubes + int(anna.field("Pot:").split()[0]) == 200

    wait_until(all_is_shown, "both screens to show the last bet")
    anna.hang_up()
    bert.hear("wins")
    bert.owns(200 - anna.cubes)
    assert "proven" in bbs.yawcctl("verify", "1")


def test_a_seat_that_is_not_held_yet_is_logged_once(tmp_path: Path, disk: Disk) -> None:
    config = FAST.replace("hold_seconds = 0", "hold_seconds = 60")
    bbs = Bbs(tmp_path / "data", config.replace("[engine]", f"[engine]\npatience_seconds = {PATIENCE}"))
    bbs.under = disk.under
    with bbs, closing(Segment.attach(segment_name(bbs.data))) as segment:
        anna, bert = in_game(bbs, "Anna", "Bert")
        pid = bbs.session("Bert").pid
        bet_into(disk, segment, anna, bbs)
        bert.hang_up()
        late = "is not told about 'Bert' yet"
        wait_until(lambda: late in bbs.log.read_text(), "the first try")
        for _ in range(20):
            os.kill(pid, signal.SIGUSR1)
            let_pass(PATIENCE / 10)
        assert bbs.log.read_text().count(late) == 1
        disk.mend()
        anna.hear("Bert's line is gone")
