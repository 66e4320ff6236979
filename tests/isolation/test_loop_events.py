"""The wait that all processes share: signals become events, alarms may be dealt with at once, descriptors are reported.

SIGALRM is the test runner's: a child of its own listens to that.
"""

import select
import signal
import socket
import time
from collections.abc import Callable, Iterator

import pytest

from tests.ipc.processes import forked
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import AlarmDue, Resized, Terminated, Woken
from yawc_poker.ipc.signals import SignalInbox

HEARD = (signal.SIGUSR1, signal.SIGWINCH, signal.SIGTERM)


@pytest.fixture
def inbox() -> Iterator[SignalInbox]:
    made = SignalInbox(HEARD)
    yield made
    made.close()


def test_signals_become_events_and_are_no_descriptors(inbox: SignalInbox) -> None:
    loop = EventLoop(inbox)
    for number in (signal.SIGWINCH, signal.SIGUSR1, signal.SIGUSR1, signal.SIGTERM):
        signal.raise_signal(number)
    assert loop.wait() == []
    assert list(loop.events) == [Terminated(), Woken(), Resized()]


def test_only_the_signals_that_end_a_process_end_it(inbox: SignalInbox) -> None:
    loop = EventLoop(inbox, ends=())
    signal.raise_signal(signal.SIGTERM)
    assert (loop.wait(), list(loop.events)) == ([], [])


def test_a_wait_ends_with_its_time(inbox: SignalInbox) -> None:
    loop, began = EventLoop(inbox), time.monotonic()
    assert loop.wait(0.05) == []
    assert time.monotonic() - began >= 0.04
    assert not loop.events


def test_descriptors_are_reported_while_they_are_watched(inbox: SignalInbox) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        loop = EventLoop(inbox)
        loop.watch(ours.fileno(), 0)
        theirs.sendall(b"x")
        assert loop.wait(0) == []
        loop.watch(ours.fileno())
        signal.raise_signal(signal.SIGUSR1)
        assert loop.wait() == [(ours.fileno(), select.POLLIN)]
        assert list(loop.events) == [Woken()]
        loop.forget(ours.fileno())
        assert loop.wait(0) == []


def test_a_resize_that_was_dealt_with_becomes_no_event(inbox: SignalInbox) -> None:
    loop = EventLoop(inbox, takes_resize=lambda: True)
    signal.raise_signal(signal.SIGWINCH)
    assert (loop.wait(), list(loop.events)) == ([], [])


def test_the_terminal_is_taken_again_before_a_resize_reads_from_it() -> None:
    inbox, heard = SignalInbox((signal.SIGWINCH, signal.SIGCONT)), list[int]()

    def take_resize() -> bool:
        heard.append(signal.SIGWINCH)
        return True

    def on_job(number: int) -> str:
        heard.append(number)
        return ""

    try:
        loop = EventLoop(inbox, takes_resize=take_resize, on_job=on_job)
        for number in (signal.SIGWINCH, signal.SIGCONT):
            signal.raise_signal(number)
        loop.wait()
    finally:
        inbox.close()
    assert heard == [signal.SIGCONT, signal.SIGWINCH]


def test_an_alarm_becomes_an_event_unless_it_was_dealt_with() -> None:
    def live(say: Callable[[str], None]) -> None:
        alarms, dealt = Alarms(), [0]

        def takes(name: str) -> bool:
            if name != "quiet":
                return False
            dealt[0] += 1
            if dealt[0] == 2:
                alarms.set("loud", time.monotonic())
            return True

        loop = EventLoop(SignalInbox(), alarms, takes_alarm=takes)
        alarms.every("quiet", 0.02)
        while not loop.events:
            loop.wait()
        say(f"{list(loop.events) == [AlarmDue('loud')]} {dealt[0] > 1}")

    with forked(live) as child:
        assert child.end() == ["True True"]
