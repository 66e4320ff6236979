import gc
import os
import signal
from collections.abc import Callable

import pytest

from tests.ipc.processes import forked
from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.segment import Segment


def _wait_for_end(say: Callable[[str], None]) -> None:
    say("ready")
    signal.pause()


def test_a_process_knows_itself() -> None:
    assert process.me().pid == os.getpid()
    assert process.is_alive(process.me())
    assert process.find(os.getpid()) == process.me()


def test_a_forked_child_is_somebody_else() -> None:
    def introduce(say: Callable[[str], None]) -> None:
        say(repr(tuple(process.me())))
        signal.pause()

    with forked(introduce) as child:
        said = child.hear()
        found = process.find(child.pid)
        assert found is not None
        assert said == repr(tuple(found)) != repr(tuple(process.me()))


def test_a_zombie_is_dead_and_gets_no_signal() -> None:
    with forked(_wait_for_end) as child:
        child.hear()
        identity = process.find(child.pid)
        assert identity is not None
        child.die_unreaped()
        os.kill(child.pid, 0)  # the pid still exists: a check of the pid alone would be wrong
        assert not process.is_alive(identity)
        assert process.find(child.pid) is None
        assert not process.kill(identity, signal.SIGUSR1)


def test_a_stopped_process_is_alive() -> None:
    with forked(_wait_for_end) as child:
        child.hear()
        identity = process.find(child.pid)
        child.stop()
        assert identity is not None
        assert process.is_alive(identity)


def test_a_successor_under_the_same_pid_is_neither_alive_nor_signalled() -> None:
    with forked(_wait_for_end) as child:
        child.hear()
        identity = process.find(child.pid)
        assert identity is not None
        predecessor = Identity(identity.pid, identity.start - 1)
        assert not process.is_alive(predecessor)
        assert not process.kill(predecessor, signal.SIGKILL)
        assert process.is_alive(identity)


def test_pidfds_tell_live_processes_from_dead_ones() -> None:
    watch = process.PidfdCache(8)
    with forked(_wait_for_end) as child:
        child.hear()
        identity = process.find(child.pid)
        assert identity is not None
        assert [watch.is_alive(identity) for _ in range(3)] == [True] * 3
        assert not watch.is_alive(Identity(identity.pid, identity.start + 1))
        child.die_unreaped()
        assert not watch.is_alive(identity)
    assert not watch.is_alive(identity)
    assert not watch.is_alive(Identity(1, 0))


def test_a_recently_used_pidfd_is_kept() -> None:
    watch = process.PidfdCache(2)
    with forked(_wait_for_end) as first, forked(_wait_for_end) as second, forked(_wait_for_end) as third:
        assert [child.hear() for child in (first, second, third)] == ["ready"] * 3
        for child in (first, second, first, third):
            identity = process.find(child.pid)
            assert identity is not None
            assert watch.is_alive(identity)
        second.die_unreaped()
        assert watch.poller.poll(0) == []
        first.die_unreaped()
        assert len(watch.poller.poll(0)) == 1
        watch.close()


def test_one_poll_covers_all_pidfds_and_dead_ones_are_dropped() -> None:
    watch = process.PidfdCache(8)
    with forked(_wait_for_end) as first, forked(_wait_for_end) as second:
        for child in (first, second):
            child.hear()
            identity = process.find(child.pid)
            assert identity is not None
            assert watch.is_alive(identity)
        assert watch.poller.poll(0) == []
        second.die_unreaped()
        assert len(watch.poller.poll(0)) == 1
        watch.prune()
        assert watch.poller.poll(0) == []
        first.die_unreaped()
        assert len(watch.poller.poll(0)) == 1
    watch.close()
    assert watch.poller.poll(0) == []


def test_no_more_pidfds_are_kept_than_may_be() -> None:
    watch = process.PidfdCache(2)
    with forked(_wait_for_end) as first, forked(_wait_for_end) as second, forked(_wait_for_end) as third:
        children = (first, second, third)
        assert [child.hear() for child in children] == ["ready"] * 3
        gc.collect()  # garbage of earlier tests
        without = len(os.listdir("/proc/self/fd"))
        for child in (*children, first):
            identity = process.find(child.pid)
            assert identity is not None
            assert watch.is_alive(identity)
        assert len(os.listdir("/proc/self/fd")) == without + 2
        second.die_unreaped()
        assert watch.poller.poll(0) == []
        third.die_unreaped()
        assert len(watch.poller.poll(0)) == 1
        first.die_unreaped()
        assert len(watch.poller.poll(0)) == 2
        watch.close()
        assert len(os.listdir("/proc/self/fd")) == without


def test_kill_reaches_its_process() -> None:
    with forked(_wait_for_end) as child:
        child.hear()
        identity = process.find(child.pid)
        assert identity is not None
        assert process.kill(identity, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not process.kill(identity, signal.SIGKILL)


@pytest.mark.parametrize("pid", [1, 0, -1])
def test_init_and_groups_are_never_signalled(pid: int) -> None:
    with open("/proc/1/stat") as file:
        start = int(file.read().rpartition(")")[2].split()[19])
    assert process.find(pid) is None
    assert not process.is_alive(Identity(pid, start))
    assert not process.kill(Identity(pid, start), 0)


def test_a_process_may_have_brackets_in_its_name() -> None:
    def rename(say: Callable[[str], None]) -> None:
        before = process.me()
        with open("/proc/self/comm", "w") as file:
            file.write(") Z 1 1 (")
        assert process.me() == before
        assert process.is_alive(before)

    with forked(rename) as child:
        child.end()


def test_a_segment_is_seen_in_the_memory_of_processes_that_mapped_it(segment: Segment) -> None:
    with forked(_wait_for_end) as child:
        child.hear()
        identity = process.find(child.pid)
        assert identity is not None
        assert process.has_mapped(identity, segment.name)
        assert not process.has_mapped(identity, f"{segment.name}x")
        assert not process.has_mapped(Identity(identity.pid, identity.start - 1), segment.name)
    assert not process.has_mapped(identity, segment.name)
    assert not process.has_mapped(Identity(1, 0), segment.name)
