import mmap
import os
import secrets
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import sysv_ipc

from tests.ipc.processes import forked
from tests.waiting import wait_until
from yawc_poker.ipc import process
from yawc_poker.ipc.semaphore import (
    KeyTaken,
    LockGone,
    LockLevel,
    LockOrderError,
    LockTimeout,
    LockWatch,
    Mutex,
    Suspect,
    Wait,
    best_wait,
    held,
    make_semaphore,
    wait_by_ctypes,
    wait_by_extension,
)

Say = Callable[[str], None]

by_extension = pytest.param(
    wait_by_extension,
    id="extension",
    marks=pytest.mark.skipif(not sysv_ipc.SEMAPHORE_TIMEOUT_SUPPORTED, reason="sysv_ipc built without semtimedop"),
)
both_ways = pytest.mark.parametrize("wait", [by_extension, pytest.param(wait_by_ctypes, id="ctypes")])


def _create(name: str, level: LockLevel) -> Mutex:
    key = secrets.randbelow(2**31 - 2) + 1
    make_semaphore(key, name)
    return Mutex(key, name, memoryview(mmap.mmap(-1, 8)).cast("Q"), 0, level=level)


@pytest.fixture
def mutex() -> Iterator[Mutex]:
    mutex = _create("table 1", LockLevel.TABLE)
    yield mutex
    mutex.remove()
    assert held() == ()


def _reopen(mutex: Mutex, wait: Wait = best_wait, level: int = LockLevel.TABLE) -> Mutex:
    made = Mutex(mutex.key, mutex.name, mutex.words, mutex.base, level=level)
    made.wait = wait
    return made


def _hold(mutex: Mutex) -> Callable[[Say], None]:
    def work(say: Say) -> None:
        with mutex:
            say("held")
            signal.pause()

    return work


@both_ways
def test_killing_the_holder_frees_the_lock_for_the_waiter(mutex: Mutex, wait: Wait) -> None:
    mine = _reopen(mutex, wait)
    with forked(_hold(mine)) as holder:
        holder.hear()

        def wait_for_it(say: Say) -> None:
            say("waiting")
            with mine:
                say("got it")

        with forked(wait_for_it) as waiter:
            assert waiter.hear() == "waiting"
            assert mine.is_held
            holder.kill()
            assert waiter.hear() == "got it"
    with mine, pytest.raises(LockTimeout):
        _elsewhere(mine, 0.0)  # a lock freed twice could be taken twice


def _elsewhere(mutex: Mutex, timeout: float) -> None:
    """Try to take the lock in another process, and raise its exception here."""

    def work(say: Say) -> None:
        try:
            mutex.acquire(timeout)
        except LockTimeout as error:
            say(f"timeout {error.name} {error.holder}")
        else:
            say("got it")

    with forked(work) as child:
        said = child.end()
    if said[0].startswith("timeout"):
        raise LockTimeout(mutex.name, int(said[0].split()[-1]))


@both_ways
def test_a_wait_ends_at_its_deadline_and_names_lock_and_holder(mutex: Mutex, wait: Wait) -> None:
    mine = _reopen(mutex, wait)
    with forked(_hold(mine)) as holder:
        holder.hear()
        started = time.monotonic()
        with pytest.raises(LockTimeout) as caught:
            mine.acquire(0.2)
        assert 0.2 <= time.monotonic() - started < 5
        assert (caught.value.name, caught.value.holder) == ("table 1", holder.pid)
        assert str(holder.pid) in str(caught.value)
    assert held() == ()


@both_ways
def test_signals_neither_end_nor_prolong_a_wait(mutex: Mutex, wait: Wait) -> None:
    mine = _reopen(mutex, wait)

    def wait_in_vain(say: Say) -> None:
        came = []
        signal.signal(signal.SIGUSR1, lambda number, frame: came.append(number))  # a signal inbox would block it
        say("ready")
        started = time.monotonic()
        try:
            mine.acquire(0.5)
        except LockTimeout:
            say(f"{time.monotonic() - started} {len(came)}")

    with forked(_hold(mine)) as holder:
        holder.hear()
        with forked(wait_in_vain) as waiter:
            waiter.hear()
            sent = _ring_until_ended(waiter.pid)
            lasted, came = waiter.hear().split()
    assert sent > 20
    assert int(came) > 1
    assert 0.5 <= float(lasted) < 5


def _ring_until_ended(pid: int) -> int:
    sent = 0
    while process.find(pid) is not None:
        os.kill(pid, signal.SIGUSR1)
        sent += 1
        time.sleep(0.002)
    return sent


@both_ways
def test_a_stopped_holder_is_broken_after_patience(mutex: Mutex, wait: Wait) -> None:
    asked: list[tuple[int, float]] = []

    def break_him(suspect: Suspect) -> bool:
        asked.append((suspect.pid, time.monotonic()))
        identity = process.find(suspect.pid)
        return identity is not None and process.kill(identity, signal.SIGKILL)

    mine = _reopen(mutex, wait)
    mine.watch = LockWatch(break_him, 0.2)
    with forked(_hold(mine)) as holder:
        holder.hear()
        holder.stop()
        started = time.monotonic()
        with mine:
            assert mine.is_held
        assert [pid for pid, _ in asked] == [holder.pid]
        assert asked[0][1] - started >= 0.2


@pytest.mark.parametrize("is_stopped", [True, False])
def test_a_holder_is_found_while_former_holders_end(mutex: Mutex, is_stopped: bool) -> None:
    """The kernel counts the end of each of them as an operation on the semaphore."""
    asked: list[int] = []

    def ask(suspect: Suspect) -> bool:
        asked.append(suspect.pid)
        return True

    mine = Mutex(mutex.key, "table 1", mutex.words, mutex.base, level=LockLevel.TABLE, watch=LockWatch(ask, 1.1))

    def use(say: Say) -> None:
        with mutex:
            pass
        say("used")
        signal.pause()

    with ExitStack() as stack:
        others = [stack.enter_context(forked(use)) for _ in range(16)]
        for other in others:
            other.hear()
        holder = stack.enter_context(forked(_hold(mutex)))
        holder.hear()
        if is_stopped:
            holder.stop()
        next_end = time.monotonic()

        def is_found() -> bool:
            nonlocal next_end
            if time.monotonic() > next_end:
                next_end += 0.25
                others.pop().kill()
            mine.check()
            return bool(asked)

        wait_until(is_found, "the holder to be asked about")
        assert asked == [holder.pid]


def test_without_killing_the_holder_a_wait_lasts_until_its_deadline(mutex: Mutex) -> None:
    asked: list[int] = []

    def refuse(suspect: Suspect) -> bool:
        asked.append(suspect.pid)
        return False

    mine = Mutex(mutex.key, "table 1", mutex.words, mutex.base, level=LockLevel.TABLE, watch=LockWatch(refuse, 0.05))
    with forked(_hold(mine)) as holder:
        holder.hear()
        with pytest.raises(LockTimeout):
            mine.acquire(0.4)
        assert len(asked) >= 2
        assert set(asked) == {holder.pid}


def test_both_ways_of_waiting_exclude_each_other_on_one_semaphore(mutex: Mutex) -> None:
    ways: list[Wait] = [wait_by_ctypes, best_wait, wait_by_ctypes, best_wait]
    rounds = 500
    with mmap.mmap(-1, 8) as shared:

        def count(wait: Wait) -> Callable[[Say], None]:
            def work(say: Say) -> None:
                mine = _reopen(mutex, wait)
                for _ in range(rounds):
                    with mine:
                        value = int.from_bytes(shared[:8], "little")
                        os.sched_yield()
                        shared[:8] = (value + 1).to_bytes(8, "little")

            return work

        with (
            forked(count(ways[0])) as first,
            forked(count(ways[1])) as second,
            forked(count(ways[2])) as third,
            forked(count(ways[3])) as fourth,
        ):
            for child in (first, second, third, fourth):
                child.end()
        assert int.from_bytes(shared[:8], "little") == rounds * len(ways)
    assert not mutex.is_held


@both_ways
def test_removing_a_lock_wakes_its_waiters(mutex: Mutex, wait: Wait) -> None:
    mine = _reopen(mutex, wait)

    def wait_for_it(say: Say) -> None:
        say("ready")
        with pytest.raises(LockGone):
            mine.acquire(20)

    raw = sysv_ipc.Semaphore(mutex.key)
    mutex.acquire()
    with forked(wait_for_it) as waiter:
        waiter.hear()
        wait_until(lambda: raw.waiting_for_nonzero == 1)
        raw.remove()
        waiter.end()
    with pytest.raises(LockGone):
        mutex.release()


def test_taking_a_lock_twice_is_an_error_and_not_a_deadlock(mutex: Mutex) -> None:
    with mutex:
        with pytest.raises(LockOrderError, match="taken twice"):
            mutex.acquire()
        with pytest.raises(LockOrderError, match="taken twice"):
            _reopen(mutex, level=LockLevel.BROADCAST).acquire()
        assert held() == ("table 1",)
    assert held() == ()


def test_releasing_what_is_not_held_is_refused(mutex: Mutex) -> None:
    with pytest.raises(LockOrderError, match="not held"):
        mutex.release()
    assert not mutex.is_held
    with mutex, pytest.raises(LockTimeout):
        _elsewhere(mutex, 0)  # the refused release did not allow two holders


@pytest.mark.parametrize(
    ("first", "second"),
    [(LockLevel.TABLE, LockLevel.DIRECTORY), (LockLevel.TABLE, LockLevel.TABLE), (LockLevel.BROADCAST, LockLevel.BANK)],
)
def test_locks_are_taken_in_rising_order_only(mutex: Mutex, first: LockLevel, second: LockLevel) -> None:
    other = _create("other", second)
    try:
        with _reopen(mutex, level=first):
            with pytest.raises(LockOrderError, match="other taken while holding table 1"):
                other.acquire()
            assert not other.is_held
    finally:
        other.remove()


def test_all_four_levels_in_order() -> None:
    locks = [_create(level.name, level) for level in LockLevel]
    try:
        with locks[0], locks[1], locks[2], locks[3]:
            assert held() == ("DIRECTORY", "TABLE", "BANK", "BROADCAST")
    finally:
        for lock in locks:
            lock.remove()


def test_a_forked_child_holds_nothing_and_frees_nothing(mutex: Mutex) -> None:
    def look(say: Say) -> None:
        assert held() == ()
        with pytest.raises(LockOrderError):
            mutex.release()

    with mutex:
        with forked(look) as child:
            child.end()
        assert mutex.is_held


def test_a_key_is_taken_once_and_a_missing_one_is_named(mutex: Mutex) -> None:
    with pytest.raises(KeyTaken):
        make_semaphore(mutex.key, "second")
    mutex.remove()
    with pytest.raises(LockGone, match="table 1"):
        _reopen(mutex)
    with pytest.raises(LockGone):
        mutex.acquire()
    mutex.remove()
