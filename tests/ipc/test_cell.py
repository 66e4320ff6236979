import os
import random
import signal
import time
from collections.abc import Callable

import pytest

from tests.ipc.processes import forked
from tests.waiting import wait_until
from yawc_poker.ipc.cell import Cell, Header, TornRead
from yawc_poker.ipc.segment import Segment

Say = Callable[[str], None]

ENOUGH = 11
"""Different commits that a reader must have seen."""
HEADER = Header(0, 4, 250, 2**64 - 1, 17, 1234.567891, (11, 0, 33, 0, 2**63))


def _value(number: int) -> bytes:
    """Return a value unique to this commit, of varying length."""
    return number.to_bytes(8, "little") * (number * 37 % 400)


def _matches(number: int, header: Header, value: bytes) -> bool:
    return header.pot == header.game == number and value == _value(number)


def test_an_untouched_table_reads_as_nothing(segment: Segment) -> None:
    cell = segment.cells[0]
    assert cell.read() == (0, Header(seats=(0,) * 5), b"")
    assert cell.header() == Header(seats=(0,) * 5)
    assert cell.number == 0


def test_what_is_committed_is_read(segment: Segment) -> None:
    cell, other = segment.cells
    with cell.lock:
        assert cell.commit(HEADER, b"value") == 1
        assert cell.commit(Header(), b"") == 2
        assert cell.commit(HEADER, b"x" * cell.capacity) == 3
    assert cell.read() == (3, HEADER, b"x" * cell.capacity)
    assert cell.header() == HEADER
    assert other.read()[0] == 0


def test_the_state_before_survives_in_the_other_half(segment: Segment) -> None:
    cell = segment.cells[0]
    with cell.lock:
        cell.commit(Header(pot=1, game=1), _value(1))
        cell.commit(Header(pot=2, game=2), _value(2))
    cell.number = 1
    assert _matches(*cell.read())


@pytest.mark.parametrize(
    ("header", "size"),
    [
        (Header(), 5000),
        (Header(pot=-1), 0),
        (Header(pot=2**64), 0),
        (Header(deadline=-5.0, pot=-1), 0),
        (Header(seats=(1,) * 6), 0),
        (Header(master=-2), 0),
    ],
)
def test_what_does_not_fit_changes_nothing(segment: Segment, header: Header, size: int) -> None:
    cell = segment.cells[0]
    cell.commit(HEADER, b"before")
    memory = bytes(segment.memory)
    with pytest.raises(ValueError, match=r"a table holds|does not fit"):
        cell.commit(header, bytes(size))
    assert bytes(segment.memory) == memory


def test_a_value_too_big_by_one_byte_is_refused(segment: Segment) -> None:
    cell = segment.cells[0]
    with pytest.raises(ValueError, match=str(cell.capacity)):
        cell.commit(HEADER, bytes(cell.capacity + 1))


def test_damaged_memory_is_noticed(segment: Segment) -> None:
    cell = segment.cells[0]
    cell.commit(HEADER, b"all the king's horses")
    at = bytes(segment.memory).index(b"king")
    segment.memory[at] ^= 1
    with pytest.raises(TornRead, match="table 1"):
        cell.read()
    assert cell.header() == HEADER


def test_a_damaged_header_is_noticed(segment: Segment) -> None:
    cell = segment.cells[0]
    cell.commit(HEADER, b"")
    at = bytes(segment.memory).index((2**64 - 1).to_bytes(8, "little"))
    segment.memory[at] ^= 1
    with pytest.raises(TornRead):
        cell.header()
    with pytest.raises(TornRead):
        cell.read()


# --- what was committed elsewhere -------------------------------------------------------------------------------------


class Interrupted(Cell):
    """A cell that is looked at whenever a process may be killed: before a commit is written, half-way, after it."""

    seen: list[tuple[int, bytes]]

    def _commit(self, number: int, header: Header, value: bytes) -> int:
        self._look()
        start = self._start(number)
        self.memory[start : start + 64] = b"\xa5" * 64
        self._look()
        done = super()._commit(number, header, value)
        self._look()
        return done

    def _look(self) -> None:
        number, _, value = self.read()
        self.seen.append((number, value))


@pytest.mark.parametrize("number", [8, 9, 10, 4, 3, 7, 0])
@pytest.mark.parametrize("commits", [0, 1, 6, 7])
def test_what_is_taken_from_elsewhere_has_its_number_and_is_whole_at_every_moment(
    segment: Segment, commits: int, number: int
) -> None:
    plain = segment.cells[0]
    cell = Interrupted(segment.words, segment.memory, segment.layout, 0, plain.lock)
    for _ in range(commits):
        plain.commit(HEADER, b"before")
    cell.seen = []
    cell.take(number, Header(pot=7), b"taken")
    before, after = (commits, b"before" if commits else b""), (number, b"taken" if number else b"")
    assert {*cell.seen} <= {before, (commits + 1, b"before"), after}
    assert (cell.seen[0], cell.seen[-1]) == (before, after)
    assert plain.read()[::2] == after


def test_a_damaged_cell_takes_what_is_elsewhere(segment: Segment) -> None:
    cell = segment.cells[0]
    for number in (2, 3, 2**63):
        cell.commit(HEADER, b"spoiled")
        start = cell.at + 64
        segment.memory[start : start + 2 * segment.layout.half] = bytes(2 * segment.layout.half)
        cell.take(number, HEADER, b"taken")
        assert cell.read() == (number, HEADER, b"taken")


def test_what_does_not_fit_is_not_taken(segment: Segment) -> None:
    cell = segment.cells[0]
    cell.commit(HEADER, b"before")
    memory = bytes(segment.memory)
    for header, size in ((Header(), 5000), (Header(pot=-1), 0)):
        with pytest.raises(ValueError, match=r"a table holds|does not fit"):
            cell.take(3, header, bytes(size))
    assert bytes(segment.memory) == memory


# --- killed -----------------------------------------------------------------------------------------------------------


def _commit_for_ever(segment: Segment) -> Callable[[Say], None]:
    def work(say: Say) -> None:
        cell = segment.cells[0]
        say("now")
        while True:
            with cell.lock:
                number = cell.number + 1
                cell.commit(Header(pot=number, game=number), _value(number))
            segment.head.user[0] = number  # the commit that was reported

    return work


def test_killing_writers_at_random_loses_and_tears_nothing(segment: Segment) -> None:
    rng = random.Random(3)
    cell = segment.cells[0]
    kills, until = 0, time.monotonic() + 12
    while kills < 50 or (kills < 300 and time.monotonic() < until):
        before = cell.number
        with forked(_commit_for_ever(segment)) as writer:
            writer.hear()
            time.sleep(rng.random() / 500)
            writer.kill()
        kills += 1
        number, header, value = cell.read()
        assert number >= before
        promised = segment.head.user[0]
        assert promised <= number <= max(promised, before) + 1
        assert number == 0 or _matches(number, header, value)
        cell.lock.acquire(5)
        cell.lock.release()
    assert cell.number > kills


def test_a_writer_killed_inside_the_lock_leaves_the_state_before(segment: Segment) -> None:
    cell = segment.cells[0]
    cell.commit(Header(pot=1, game=1), _value(1))

    def write_half(say: Say) -> None:
        cell.lock.acquire()
        start = cell.at + 64  # the half of even numbers
        segment.memory[start : start + 1000] = b"\xff" * 1000
        os.kill(os.getpid(), signal.SIGKILL)

    with forked(write_half) as writer:
        assert writer.hear() == ""
    assert _matches(*cell.read())
    with cell.lock:
        cell.commit(Header(pot=2, game=2), _value(2))
    assert _matches(*cell.read())


def test_lock_free_readers_never_see_header_and_value_of_different_commits(segment: Segment) -> None:
    def read_on(say: Say) -> None:
        cell = segment.cells[0]
        seen: set[int] = set()
        last = 0
        while segment.head.closing == 0:
            number, header, value = cell.read()
            assert number >= last
            assert number == 0 or _matches(number, header, value), (number, header, len(value))
            header = cell.header()
            assert header.pot == header.game >= number
            last = number
            seen.add(number)
            if len(seen) == ENOUGH:
                say("enough")

    with forked(read_on) as first, forked(read_on) as second, forked(_commit_for_ever(segment)) as writer:
        writer.hear()
        time.sleep(1.0)  # the duration of the trial, not a synchronisation
        assert {first.hear(), second.hear()} == {"enough"}
        wait_until(lambda: segment.cells[0].number > 1000, "many commits")
        writer.kill()
        segment.head.closing = 1
        for reader in (first, second):
            reader.end()
