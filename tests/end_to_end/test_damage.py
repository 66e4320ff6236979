"""Memory that somebody has written over: what lay there is called off or begun again, and everybody lives."""

import random
from collections.abc import Callable, Iterator

import pytest

from tests.end_to_end.bbs import Bbs, Caller
from tests.processes import serving
from tests.waiting import wait_until
from yawc_poker.ipc.layout import CELL_HEAD_BYTES, POSTED
from yawc_poker.ipc.segment import Segment, segment_name

Junk = Callable[[int], bytes]
JUNK: dict[str, Junk] = {
    "ones": lambda length: b"\xff" * length,
    "random": lambda length: random.Random(7).randbytes(length),
}

anyhow = pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)


@pytest.fixture
def segment(bbs: Bbs) -> Iterator[Segment]:
    attached = Segment.attach(segment_name(bbs.data))
    yield attached
    attached.close()


def damage_table(segment: Segment, junk: Junk, *, number: bool = True) -> None:
    """Write over both halves of the first table, and its commit number."""
    start = segment.cells[0].at
    first = start + CELL_HEAD_BYTES
    segment.memory[first : start + segment.layout.cell_bytes] = junk(segment.layout.cell_bytes - CELL_HEAD_BYTES)
    if number:
        segment.memory[start : start + 8] = junk(8)


def in_game(bbs: Bbs) -> list[Caller]:
    callers = bbs.seat("Anna", "Bert")
    callers[0].send("s")
    for caller in callers:
        caller.until("Round:", "1")
    callers[0].bet("5")
    callers[1].hear("Anna bets 5 CUBES")
    return callers


def play(first: Caller, second: Caller) -> None:
    first.send("s")
    second.until("Round:", "1")
    first.bet("5")
    second.hear(f"{first.name} bets 5 CUBES")


def told(bbs: Bbs, line: str) -> int:
    return bbs.log.read_text().count(line)


@anyhow
def test_a_damaged_table_is_called_off_and_made_anew(bbs: Bbs, segment: Segment, junk: Junk) -> None:
    anna, bert = in_game(bbs)
    damage_table(segment, junk)
    for caller in (anna, bert):
        caller.see("You were removed from the table.")
        caller.at_prompt()
    assert told(bbs, "table poker 1 was damaged and is made anew: ") == 1
    assert told(bbs, "table poker 1: stakes of the unfinished game 1 went back") == 1
    bbs.is_sound()
    carl = bbs.call().register("Carl").sit()
    anna.press("S2")
    anna.see("Sit down with them?")
    anna.send("y")
    anna.see("Master:", "Pot:")
    for caller in (anna, carl):
        caller.owns(100)
    play(carl, anna)


@anyhow
def test_a_damaged_table_where_nobody_sits(bbs: Bbs, segment: Segment, junk: Junk) -> None:
    anna = bbs.call().register("Anna").sit()
    anna.send("x")
    anna.at_prompt()
    damage_table(segment, junk)
    bbs.yawcctl("status")
    bert = bbs.call().register("Bert").sit()
    anna.sit()
    play(bert, anna)
    assert told(bbs, "table poker 1 was damaged and is made anew: ") == 1


def test_a_table_whose_bytes_alone_are_damaged(bbs: Bbs, segment: Segment) -> None:
    """Those who sit there still know the value and see nothing; somebody who comes in looks after all tables."""
    anna, bert = in_game(bbs)
    damage_table(segment, JUNK["random"], number=False)
    bbs.call().register("Carl")
    wait_until(lambda: told(bbs, "table poker 1 was damaged and is made anew: ") == 1)
    for caller in (anna, bert):
        caller.see("You were removed from the table.")


def lives(bbs: Bbs, anna: Caller, bert: Caller) -> None:
    """Show that a game goes on, that somebody new comes in, sits down and leaves, and that the listener lives."""
    bert.bet("5")
    anna.hear("Bert bets 5 CUBES")
    carl = bbs.call().register("Carl").sit()
    anna.hear("Carl")
    carl.send("x")
    carl.at_prompt()
    carl.hang_up()
    wait_until(lambda: "Carl" not in bbs.yawcctl("who"), "Carl to be gone")
    assert bbs.process.poll() is None
    assert "by a bug" not in bbs.log.read_text()


@anyhow
def test_damaged_counts_begin_again(bbs: Bbs, segment: Segment, junk: Junk) -> None:
    anna, bert = in_game(bbs)
    at = segment.layout.metrics_at
    segment.memory[at:] = junk(segment.layout.size - at)
    lives(bbs, anna, bert)
    assert told(bbs, "the counts of those who are gone were damaged and begin at zero") == 1
    assert told(bbs, f"[{bbs.process.pid}] this process's counts were damaged and begin at zero") == 1


@anyhow
def test_a_damaged_ring_begins_again(bbs: Bbs, segment: Segment, junk: Junk) -> None:
    anna, bert = in_game(bbs)
    at, length = segment.layout.ring_at, segment.layout.slot_bytes * segment.layout.slots
    segment.memory[at : at + length] = junk(length)
    segment.words[POSTED] = int.from_bytes(junk(8), "little")
    lives(bbs, anna, bert)
    assert told(bbs, "the ring of commands was damaged and begins again") == 1


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_semaphores_that_somebody_removes_end_the_stay_of_all_and_the_next_start_goes_well(
    bbs: Bbs, segment: Segment, how: str
) -> None:
    """As logind does for a user who logs out, unless it is told otherwise (`RemoveIPC=`)."""
    anna, bert = in_game(bbs)
    for lock in segment.locks:
        lock.remove()
    bbs.yawcctl("status")
    for caller in (anna, bert):
        caller.send("xx")
        caller.ended()
    wait_until(lambda: "LockGone(" in bbs.log.read_text(), "a line that names the cause")
    wait_until(lambda: not serving(bbs.process.pid), "the end of the sessions")
    if how == "stopped":
        assert bbs.stop() == 0
        assert told(bbs, "stakes of running games go back at the next start: lock bank was removed") == 1
    else:
        bbs.process.kill()
    bbs.close()
    bbs.start()
    assert told(bbs, "has lost its semaphores: ") == (how == "killed")
    for name in ("Anna", "Bert"):
        caller = bbs.call().log_in(name).sit()
        caller.owns(100)
