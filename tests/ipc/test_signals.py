import gc
import os
import resource
import select
import signal
from collections.abc import Callable, Iterator

import pytest

from tests.ipc.processes import forked
from yawc_poker.ipc import process
from yawc_poker.ipc.signals import SignalInbox, Waker, wake

Say = Callable[[str], None]


@pytest.fixture
def inbox() -> Iterator[SignalInbox]:
    inbox = SignalInbox([signal.SIGUSR1, signal.SIGUSR2])
    yield inbox
    inbox.close()


def _rings(inbox: SignalInbox, seconds: float = 10.0) -> bool:
    return bool(select.select([inbox], [], [], seconds)[0])


def test_a_signal_wakes_a_selector_and_says_its_number(inbox: SignalInbox) -> None:
    assert not _rings(inbox, 0)
    assert inbox.drain() == set()
    signal.raise_signal(signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR2)
    assert _rings(inbox)
    assert inbox.drain() == {signal.SIGUSR1, signal.SIGUSR2}
    assert not _rings(inbox, 0)
    assert inbox.drain() == set()


def test_a_signal_after_the_drain_wakes_again(inbox: SignalInbox) -> None:
    for _ in range(100):
        signal.raise_signal(signal.SIGUSR1)
        assert _rings(inbox)
        assert inbox.drain() == {signal.SIGUSR1}


def test_closing_puts_back_what_was_there() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGUSR2)]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    gc.collect()  # garbage of earlier tests
    descriptors = os.listdir("/proc/self/fd")
    outer = SignalInbox([signal.SIGUSR1])
    inner = SignalInbox([signal.SIGUSR1, signal.SIGUSR2])
    signal.raise_signal(signal.SIGUSR1)
    assert inner.drain() == {signal.SIGUSR1}
    inner.close()
    signal.raise_signal(signal.SIGUSR1)
    assert outer.drain() == {signal.SIGUSR1}
    outer.close()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
    assert [signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGUSR2)] == before
    assert os.listdir("/proc/self/fd") == descriptors


def test_what_comes_before_the_close_is_forgotten_but_not_what_was_held_back_before() -> None:
    def close(say: Say) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        inbox = SignalInbox()
        for number in (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM):
            os.kill(os.getpid(), number)
        inbox.close()
        say(str(signal.sigpending() == {signal.SIGTERM}))

    with forked(close) as child:
        assert child.end() == ["True"]


def test_no_descriptor_to_be_had_is_said_and_leaves_all_as_it_was() -> None:
    def run_out(say: Say) -> None:
        most = max(map(int, os.listdir("/proc/self/fd")))
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        while True:
            try:
                os.dup(0)
            except OSError:
                break
        with pytest.raises(OSError, match="Too many open files"):
            SignalInbox()
        say(str(signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()))

    with forked(run_out) as child:
        assert child.hear() == "True"


def test_a_child_without_an_inbox_has_its_parents_signals_blocked(inbox: SignalInbox) -> None:
    def listen(say: Say) -> None:
        say(str({signal.SIGUSR1, signal.SIGUSR2} <= signal.pthread_sigmask(signal.SIG_BLOCK, ())))
        os.kill(os.getpid(), signal.SIGUSR1)
        say("lives")

    with forked(listen) as child:
        assert child.end() == ["True", "lives"]
    assert not _rings(inbox, 0)


def test_signals_to_a_stopped_process_coalesce_into_one_look() -> None:
    def listen(say: Say) -> None:
        inbox = SignalInbox()
        say("ready")
        assert _rings(inbox, 30)
        say(f"{sorted(inbox.drain())} {_rings(inbox, 0)}")

    with forked(listen) as child:
        child.hear()
        child.stop()
        for _ in range(1000):
            child.signal(signal.SIGUSR1)
        child.signal(signal.SIGCONT)
        assert child.hear() == f"{[signal.SIGUSR1.value]} False"


def test_a_request_to_end_is_not_lost_among_many_signals() -> None:
    def flood(say: Say) -> None:
        inbox = SignalInbox()
        for _ in range(70_000):
            signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGTERM)
        say(str(sorted(inbox.drain())))

    with forked(flood) as child:
        assert child.hear() == str([signal.SIGUSR1.value, signal.SIGTERM.value])


def test_a_childs_own_inbox_does_not_affect_its_parent(inbox: SignalInbox) -> None:
    def listen(say: Say) -> None:
        mine = SignalInbox([signal.SIGUSR1])
        say("ready")
        assert _rings(mine, 30)
        say(str(mine.drain() == {signal.SIGUSR1}))
        mine.close()

    with forked(listen) as child:
        child.hear()
        child.signal(signal.SIGUSR1)
        assert child.end() == ["True"]
    assert not _rings(inbox, 0)
    signal.raise_signal(signal.SIGUSR1)
    assert inbox.drain() == {signal.SIGUSR1}


def test_waking_reaches_live_processes_and_no_others() -> None:
    def listen(say: Say) -> None:
        inbox = SignalInbox()
        say("ready")
        for _ in range(3):
            assert _rings(inbox, 30)
            say(str(inbox.drain() == {signal.SIGUSR1}))

    waker = Waker()
    gc.collect()  # garbage of earlier tests
    descriptors = len(os.listdir("/proc/self/fd"))
    with forked(listen) as child:
        child.hear()
        identity = process.find(child.pid)
        assert identity is not None
        for way in (wake, waker.wake, waker.wake):
            assert way(identity)
            assert child.hear() == "True"
        child.end()
        assert not wake(identity)
        assert not waker.wake(identity)
        assert not waker.wake(process.Identity(1, identity.start))
    assert len(os.listdir("/proc/self/fd")) == descriptors
