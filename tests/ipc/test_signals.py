import os
import select
import signal
from collections.abc import Callable, Iterator

import pytest

from tests.ipc.processes import forked
from yawc_poker.ipc import process
from yawc_poker.ipc.signals import Bell, Ringer, ring

Say = Callable[[str], None]


@pytest.fixture
def bell() -> Iterator[Bell]:
    bell = Bell([signal.SIGUSR1, signal.SIGUSR2])
    yield bell
    bell.close()


def _rings(bell: Bell, seconds: float = 10.0) -> bool:
    return bool(select.select([bell], [], [], seconds)[0])


def test_a_signal_wakes_a_selector_and_says_its_number(bell: Bell) -> None:
    assert not _rings(bell, 0)
    assert bell.drain() == set()
    os.kill(os.getpid(), signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGUSR2)
    assert _rings(bell)
    assert bell.drain() == {signal.SIGUSR1, signal.SIGUSR2}
    assert not _rings(bell, 0)
    assert bell.drain() == set()


def test_a_signal_after_the_drain_wakes_again(bell: Bell) -> None:
    for _ in range(100):
        os.kill(os.getpid(), signal.SIGUSR1)
        assert _rings(bell)
        assert bell.drain() == {signal.SIGUSR1}


def test_closing_puts_back_what_was_there() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGUSR2)]
    descriptors = os.listdir("/proc/self/fd")
    outer = Bell([signal.SIGUSR1])
    inner = Bell([signal.SIGUSR1, signal.SIGUSR2])
    os.kill(os.getpid(), signal.SIGUSR1)
    assert inner.drain() == {signal.SIGUSR1}
    inner.close()
    os.kill(os.getpid(), signal.SIGUSR1)
    assert outer.drain() == {signal.SIGUSR1}
    outer.close()
    assert [signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGUSR2)] == before
    assert os.listdir("/proc/self/fd") == descriptors


def test_signals_to_a_stopped_process_coalesce_into_one_look() -> None:
    def listen(say: Say) -> None:
        bell = Bell()
        say("ready")
        assert _rings(bell, 30)
        raw = os.read(bell.fileno(), 65536)
        say(f"{len(raw)} {raw[0]}")

    with forked(listen) as child:
        child.hear()
        child.stop()
        for _ in range(1000):
            child.signal(signal.SIGUSR1)
        child.signal(signal.SIGCONT)
        assert child.hear() == f"1 {signal.SIGUSR1.value}"


def test_the_wish_to_end_is_not_lost_when_the_pipe_is_full() -> None:
    def flood(say: Say) -> None:
        bell = Bell()
        for _ in range(70_000):
            signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGTERM)
        say(str(sorted(bell.drain())))

    with forked(flood) as child:
        assert child.hear() == str([signal.SIGUSR1.value, signal.SIGTERM.value])


def test_a_childs_own_bell_leaves_its_parent_alone(bell: Bell) -> None:
    def listen(say: Say) -> None:
        mine = Bell([signal.SIGUSR1])
        say("ready")
        assert _rings(mine, 30)
        say(str(mine.drain() == {signal.SIGUSR1}))
        mine.close()

    with forked(listen) as child:
        child.hear()
        child.signal(signal.SIGUSR1)
        assert child.end() == ["True"]
    assert not _rings(bell, 0)
    os.kill(os.getpid(), signal.SIGUSR1)
    assert bell.drain() == {signal.SIGUSR1}


def test_ringing_reaches_the_living_and_spares_the_dead() -> None:
    def listen(say: Say) -> None:
        bell = Bell()
        say("ready")
        for _ in range(3):
            assert _rings(bell, 30)
            say(str(bell.drain() == {signal.SIGUSR1}))

    ringer = Ringer()
    descriptors = len(os.listdir("/proc/self/fd"))
    with forked(listen) as child:
        child.hear()
        identity = process.find(child.pid)
        assert identity is not None
        for way in (ring, ringer.ring, ringer.ring):
            assert way(identity)
            assert child.hear() == "True"
        child.end()
        assert not ring(identity)
        assert not ringer.ring(identity)
        assert not ringer.ring(process.Identity(1, identity.start))
    assert len(os.listdir("/proc/self/fd")) == descriptors
