import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.ipc.processes import Child, forked
from tests.thoroughness import SOAK
from tests.waiting import wait_until
from yawc_poker.ipc import process
from yawc_poker.ipc.layout import METRIC_WORDS
from yawc_poker.ipc.metrics import BOUNDS, HISTOGRAM_WORDS, TOKENS, Counts, EndedTotal, Tally, bucket
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.segment import Segment

Say = Callable[[str], None]

FIRST, SECOND, LAST = 0, 1, METRIC_WORDS - 1
ROUNDS = 60 if SOAK else 15
"""Of sessions and buriers that are killed."""


def enter(segment: Segment, index: int, token: int) -> Tally:
    """Enter the directory as a session does."""
    with segment.directory_lock:
        segment.counts.clear(index)
        segment.records[index].claim(process.me(), token, "test")
    tally = Tally()
    tally.enter(segment.counts, index)
    return tally


def retire(segment: Segment, index: int) -> None:
    with segment.directory_lock:
        segment.counts.retire(segment.records[index])


def test_a_total_has_live_and_ended_sessions_and_the_listener(segment: Segment) -> None:
    listener = Tally()
    listener.enter(segment.counts, segment.counts.listener)
    one, two = enter(segment, 0, 11), enter(segment, 7, 12)
    one.count(FIRST)
    two.count(FIRST, 10)
    listener.count(FIRST, 100)
    two.count(LAST)
    assert segment.counts.total()[FIRST] == 111
    retire(segment, 0)
    total = segment.counts.total()
    assert (total[FIRST], total[SECOND], total[LAST]) == (111, 0, 1)
    assert segment.records[0].token == 0


def test_a_new_session_begins_at_zero_and_the_sum_keeps_the_old_one(segment: Segment) -> None:
    enter(segment, 3, 1).count(FIRST, 5)
    retire(segment, 3)
    tally = enter(segment, 3, 2)
    assert segment.counts.of(segment.records[3])[FIRST] == 0
    tally.count(FIRST)
    assert segment.counts.of(segment.records[3])[FIRST] == 1
    assert segment.counts.total()[FIRST] == 6


def test_what_is_counted_before_a_place_is_found_goes_along_and_after_it_is_left_goes_nowhere(segment: Segment) -> None:
    tally = Tally()
    tally.count(FIRST, 3)
    segment.records[2].claim(process.me(), 9, "test")
    tally.enter(segment.counts, 2)
    tally.count(FIRST)
    tally.leave()
    tally.count(FIRST, 1000)
    assert segment.counts.of(segment.records[2])[FIRST] == segment.counts.total()[FIRST] == 4


def test_blocks_are_neighbours_that_do_not_touch(segment: Segment) -> None:
    tallies = [enter(segment, index, index + 1) for index in range(segment.layout.sessions)]
    for index in (segment.counts.listener, segment.counts.stand_in):
        tallies.append(Tally())
        tallies[-1].enter(segment.counts, index)
    for number, tally in enumerate(tallies, 1):
        for word in (FIRST, LAST):
            tally.count(word, 10**number)
    for record in segment.records:
        counted = segment.counts.of(record)
        assert (counted[FIRST], counted[LAST], sum(counted)) == (10 ** (record.index + 1),) * 2 + (
            2 * 10 ** (record.index + 1),
        )
    assert segment.counts.total()[LAST] == int("1" * (segment.layout.sessions + 2) + "0")
    assert segment.counts.block_at(segment.counts.stand_in + 1) * 8 == segment.layout.size
    assert segment.cells[1].number == 0


@pytest.mark.parametrize(
    ("seconds", "where"),
    [
        (0.0, 0),
        (49e-6, 0),
        (50e-6, 0),
        (51e-6, 1),
        (100e-6, 1),
        (0.001, 5),
        (26.0, 19),
        (26.3, 20),
        (1e6, 20),
        (-1.0, 0),
    ],
)
def test_a_duration_falls_into_the_bucket_whose_bound_it_does_not_exceed(seconds: float, where: int) -> None:
    nanoseconds = round(seconds * 1e9)
    assert bucket(nanoseconds) == where
    assert where == len(BOUNDS) or nanoseconds <= BOUNDS[where] * 1e9
    assert where == 0 or nanoseconds > BOUNDS[where - 1] * 1e9


def test_a_histogram_is_a_sum_and_its_buckets(segment: Segment) -> None:
    tally = enter(segment, 0, 1)
    for nanoseconds in (10, 60_000, 70_000, 10**12):
        tally.observe(4, nanoseconds)
    total, *buckets = segment.counts.total()[4 : 4 + HISTOGRAM_WORDS]
    assert total == 10**12 + 130_010
    assert buckets == [1, 2, *[0] * 18, 1]


def test_more_folds_than_the_list_of_tokens_has_room_for(segment: Segment) -> None:
    for number in range(1, 3 * TOKENS):
        enter(segment, number % 5, number).count(FIRST)
        retire(segment, number % 5)
        assert segment.counts.total()[FIRST] == segment.counts.folds == number


class Doomed(Counts):
    """A segment's counts in a process that dies at a given step."""

    step = ""

    def _commit(self, ended: EndedTotal) -> None:
        self._die("before")
        super()._commit(ended)
        self._die("after")

    def _die(self, step: str) -> None:
        if step == self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def doomed(segment: Segment, step: str, index: int) -> None:
    """Let a process die while it retires a record."""

    def bury(say: Say) -> None:
        counts = Doomed(segment.words, segment.memory, segment.layout, segment.records)
        counts.step = step
        with segment.directory_lock:
            counts.retire(segment.records[index])
        say("it lives")

    with forked(bury) as child:
        assert child.hear() == ""


@pytest.mark.parametrize("step", ["before", "after"])
def test_a_process_killed_during_a_fold_leaves_a_right_sum_and_one_fold(segment: Segment, step: str) -> None:
    enter(segment, 0, 1).count(FIRST, 7)
    enter(segment, 1, 2).count(FIRST, 30)
    doomed(segment, step, 0)
    assert segment.records[0].token == 1  # not freed yet
    assert segment.counts.total()[FIRST] == 37
    retire(segment, 0)
    assert segment.counts.total()[FIRST] == 37
    assert segment.counts.folds == 1
    assert (segment.records[0].token, segment.records[1].token) == (0, 2)


def test_a_fold_left_unfinished_is_finished_by_the_next_one_of_anybody(segment: Segment) -> None:
    enter(segment, 0, 1).count(FIRST, 7)
    enter(segment, 1, 2).count(FIRST, 30)
    doomed(segment, "after", 0)
    retire(segment, 1)
    assert (segment.records[0].token, segment.records[1].token) == (0, 0)
    for number in range(2 * TOKENS):  # the first token has left the list by then
        enter(segment, 2, number + 10)
        retire(segment, 2)
    retire(segment, 0)
    assert segment.counts.total()[FIRST] == 37


def test_a_half_written_fold_is_not_seen(segment: Segment) -> None:
    enter(segment, 0, 1).count(FIRST, 7)
    retire(segment, 0)
    spare = segment.counts.base + 1  # fold 1 is in the second half
    segment.words[spare + 40] = 99
    assert segment.counts.total()[FIRST] == 7
    enter(segment, 0, 2).count(FIRST, 1)
    retire(segment, 0)
    assert segment.counts.total()[FIRST] == 8


def test_a_sum_that_somebody_wrote_over_counts_as_zero_and_begins_again(segment: Segment) -> None:
    enter(segment, 0, 1).count(FIRST, 7)
    retire(segment, 0)
    segment.words[segment.counts.base + 1 + 272 + 40] += 1
    enter(segment, 0, 2).count(FIRST, 3)
    assert segment.counts.total()[FIRST] == 3
    retire(segment, 0)
    assert segment.counts.total()[FIRST] == 3
    enter(segment, 0, 3).count(FIRST)
    retire(segment, 0)
    assert segment.counts.total()[FIRST] == 4


@pytest.mark.parametrize("junk", [b"\xff" * 8, (2**63).to_bytes(8, "little")])
def test_all_counts_are_written_over(segment: Segment, junk: bytes, caplog: pytest.LogCaptureFixture) -> None:
    one, listener = enter(segment, 0, 1), Tally()
    listener.enter(segment.counts, segment.counts.listener)
    start = segment.layout.metrics_at
    segment.memory[start:] = junk * ((segment.layout.size - start) // 8)
    for tally in (one, listener):
        tally.count(FIRST)
        tally.observe(SECOND, 5)
    assert segment.counts.total()[FIRST : SECOND + 1] == (2, 10)
    retire(segment, 0)
    assert segment.counts.total()[FIRST : SECOND + 1] == (2, 10)
    assert [record.getMessage() for record in caplog.records] == [
        "this process's counts were damaged and begin at zero",
        "this process's counts were damaged and begin at zero",
        "the counts of those who are gone were damaged and begin at zero",
    ]


def test_a_reader_that_slept_through_many_folds_starts_again(segment: Segment) -> None:
    class Sleeper(Counts):
        naps = 0

        def _copy(self, index: int) -> bytes:
            found = super()._copy(index)
            if self.naps < 2:
                self.naps += 1
                for _ in range(TOKENS + 1):
                    retire(segment, 0)
                    enter(segment, 0, random.getrandbits(60) | 1).count(FIRST)
            return found

    enter(segment, 0, 1).count(FIRST)
    sleeper = Sleeper(segment.words, segment.memory, segment.layout, segment.records)
    assert sleeper.total()[FIRST] == 2 * (TOKENS + 1) + 1


def _counting(segment: Segment, index: int, token: int) -> Callable[[Say], None]:
    def count(say: Say) -> None:
        tally = enter(segment, index, token)
        say("in")
        while True:
            tally.count(FIRST)
            tally.observe(2, 1000)

    return count


def _burying(segment: Segment) -> Callable[[Say], None]:
    """Retire ended sessions for ever."""

    def bury(say: Say) -> None:
        say("at work")
        while True:
            for record in segment.records:
                if record.token and not process.is_alive(record.identity):
                    with segment.directory_lock:
                        if record.token and not process.is_alive(record.identity):
                            segment.counts.retire(record)

    return bury


def _watching(segment: Segment) -> Callable[[Say], None]:
    """Read the sums for ever; report and end if one falls."""

    def watch(say: Say) -> None:
        before = segment.counts.total()
        say("watching")
        while not segment.head.closing:
            now = segment.counts.total()
            assert all(new >= old for new, old in zip(now, before, strict=True)), (before[:4], now[:4])
            segment.head.user[0] += 1
            before = now

    return watch


def test_totals_never_fall_and_nothing_is_counted_twice_while_sessions_and_their_buriers_are_killed(
    segment: Segment,
) -> None:
    rng = random.Random(7)
    true = 0
    with ExitStack() as stack, forked(_watching(segment)) as watcher:
        assert watcher.hear() == "watching"
        buriers = [_born(stack, _burying(segment)) for _ in range(2)]
        for round_number in range(ROUNDS):
            index = round_number % (segment.layout.sessions - 2)
            wait_until(_free(segment.records[index]), "the burial")
            with forked(_counting(segment, index, round_number + 1)) as child:
                assert child.hear() == "in"
                time.sleep(rng.random() / 200)
                child.stop()
                true += segment.counts.of(segment.records[index])[FIRST]
                child.kill()
            buriers[round_number % 2].kill()
            buriers[round_number % 2] = _born(stack, _burying(segment))
        wait_until(lambda: not any(record.token for record in segment.records), "the last burial")
        segment.head.closing = 1
        assert watcher.end() == []
    total = segment.counts.total()
    assert (total[FIRST], segment.counts.folds) == (true, ROUNDS)
    assert total[2] - 1000 * total[3] in range(1000 * ROUNDS + 1)  # killed between the two words
    assert segment.head.user[0] > ROUNDS


def _free(record: Record) -> Callable[[], bool]:
    return lambda: not record.token


def _born(stack: ExitStack, work: Callable[[Say], None]) -> Child:
    child = stack.enter_context(forked(work))
    child.hear()
    return child
