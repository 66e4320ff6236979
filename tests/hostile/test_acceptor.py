"""The acceptor under a flood of calls: the sysop's doors are always served at once."""

import json
import os
import resource
import selectors
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from telnetd.doors.door import Door
from telnetd.doors.sockets import listen, listen_at
from telnetd.listener.acceptor import Acceptor
from telnetd.listener.rate_limits import CALLS_AT_ONCE, RateLimits
from telnetd.listener.vestibule import Vestibule
from tests.processes import PIDS, behind
from tests.waiting import wait_until
from yawc_poker.addresses import networks
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.bbs.service import Ask, FirstWords, Service
from yawc_poker.config import TelnetSettings
from yawc_poker.doors import CONTROL, TELNET
from yawc_poker.registry.games import DEFAULTS
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance

CONFIG = replace(DEFAULTS, telnet=TelnetSettings(max_per_address=500))

PROXY = "127.0.0.3"
SPEAKS_FIRST = "127.0.0.4"


class TellPid(Service):
    proxies = networks([PROXY])

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Send the pid of the serving process, by which one knows what was forked first."""
        connection.sendall(f"{os.getpid()}\n".encode())
        return Exit.OK

    def first_words(self, peer: str) -> FirstWords | None:
        return FirstWords(lambda said: said.endswith(b"\n"), 60.0, "too late") if peer == SPEAKS_FIRST else None

    def answer_proxied(self, connection: socket.socket, peer: str, open_instance: OpenInstance, ask: Ask) -> Exit:
        return self.answer(connection, peer, open_instance)


def children() -> set[int]:
    """Return the pids of this process's children: its own and those of other tests' servers."""
    return {child.pid for child in psutil.Process().children()}


class Town:
    """An acceptor with a public door and one of the sysop's, and callers there."""

    def __init__(self, data: Path) -> None:
        self.foundation = Foundation.found(data, CONFIG)
        self.front = Door(TELNET, TellPid(CONFIG), listen("127.0.0.1", 0, "--port"))
        self.back = Door(CONTROL, TellPid(CONFIG), listen_at(data / "control.sock"), 16, data / "c")
        self.selector = selectors.DefaultSelector()
        self.acceptor = Acceptor(CONFIG, [self.front, self.back], self.foundation, self.selector, lambda: None)
        self.acceptor.open()
        self.rates = self.acceptor.admission.rates
        self._callers: list[socket.socket] = []
        self._others = children()

    def call(self, door: Door, source: str = "127.0.0.1") -> socket.socket:
        caller = socket.socket(door.sockets[0].family)
        self._callers.append(caller)
        caller.settimeout(10.0)
        if door.is_public:
            caller.bind((source, 0))
        caller.connect(door.sockets[0].getsockname())
        return caller

    def serve(self) -> None:
        """Run one round of the listener's loop."""
        self.acceptor.serve(key for key, _ in self.selector.select(0))

    def served(self, source: str) -> int:
        """Let those on whose turn it is; return how many from an address have a process."""
        self.acceptor.resume()
        return self.acceptor.admission.connections.of(source)

    def close(self) -> None:
        for caller in self._callers:
            caller.close()
        self.acceptor.close()
        self.selector.close()
        self.foundation.demolish()
        self.foundation.segment.close()
        for child in children() - self._others:
            os.waitpid(child, 0)


@pytest.fixture
def acceptor(tmp_path: Path) -> Iterator[Town]:
    town = Town(tmp_path / "data")
    yield town
    town.close()


def heard(caller: socket.socket) -> bytes:
    with caller.makefile("rb") as lines:
        return lines.readline()


def test_the_sysop_is_served_while_callers_wait(acceptor: Town) -> None:
    for _ in range(round(2 * CALLS_AT_ONCE)):
        acceptor.rates.forked(time.monotonic())
    acceptor.call(acceptor.front)
    acceptor.serve()
    assert acceptor.acceptor.resumes_in > 1.0, "callers have to wait"
    late, sysop = acceptor.call(acceptor.front, "127.0.0.2"), acceptor.call(acceptor.back)
    acceptor.serve()
    assert heard(sysop)
    late.settimeout(0.0)
    with pytest.raises(BlockingIOError):
        late.recv(1)


def test_the_sysop_is_served_first(acceptor: Town) -> None:
    callers = [acceptor.call(acceptor.front, f"127.0.1.{number + 1}") for number in range(5)]
    sysop = acceptor.call(acceptor.back)
    wait_until(lambda: len(acceptor.selector.select(0)) == 2, "both doors to be ready")
    acceptor.serve()
    first = int(heard(sysop))
    assert all(behind(first, int(heard(caller))) < PIDS // 2 for caller in callers)


def test_who_speaks_in_the_round_in_which_they_have_to_go_for_others_is_gone(acceptor: Town) -> None:
    acceptor.acceptor.vestibule = Vestibule(1)
    goes = acceptor.call(acceptor.front, SPEAKS_FIRST)
    acceptor.serve()
    goes.sendall(b"hel")
    comes = acceptor.call(acceptor.front, SPEAKS_FIRST)
    wait_until(lambda: len(acceptor.selector.select(0)) == 2, "the door and who waits to be ready")
    acceptor.serve()
    assert heard(goes) == b""
    comes.sendall(b"hello\n")
    wait_until(lambda: bool(acceptor.selector.select(0)), "the words")
    acceptor.serve()
    assert heard(comes)


def test_who_calls_by_a_proxy_and_names_nobody_is_counted_at_the_fork(acceptor: Town) -> None:
    before = time.monotonic()  # a moment at which nothing was refilled since
    callers = [acceptor.call(acceptor.front, PROXY) for _ in range(5)]
    acceptor.serve()
    assert all(heard(caller) for caller in callers)
    assert calls_left(acceptor.rates, before) < calls_left(RateLimits(before), before)


def test_who_must_speak_first_gets_a_process_when_they_have(acceptor: Town) -> None:
    callers = [acceptor.call(acceptor.front, SPEAKS_FIRST) for _ in range(3)]
    acceptor.serve()
    connections = acceptor.acceptor.admission.connections
    assert connections.of(SPEAKS_FIRST) == 0
    for caller in callers:
        caller.sendall(b"hello")
    acceptor.serve()
    assert connections.of(SPEAKS_FIRST) == 0
    assert acceptor.acceptor.resumes_in < 1.0, "it is looked again, not waited for"
    callers[0].sendall(b"\n")
    wait_until(lambda: acceptor.served(SPEAKS_FIRST) == 1, "the next look")
    assert heard(callers[0])
    callers[1].close()
    wait_until(lambda: acceptor.served(SPEAKS_FIRST) == len(list(acceptor.acceptor.vestibule)), "the end of one")


def test_those_who_speak_at_once_are_served_at_the_pace_of_calls(acceptor: Town) -> None:
    callers = [acceptor.call(acceptor.front, SPEAKS_FIRST) for _ in range(3)]
    acceptor.serve()
    while acceptor.rates.pause_seconds(time.monotonic()) < 0.5:
        acceptor.rates.forked(time.monotonic())
    for caller in callers:
        caller.sendall(b"\n")
    acceptor.call(acceptor.front)
    wait_until(lambda: len(acceptor.selector.select(0)) == 4, "all to be ready")
    acceptor.serve()
    assert acceptor.acceptor.admission.connections.of(SPEAKS_FIRST) == 0
    wait_until(lambda: acceptor.served(SPEAKS_FIRST) == len(callers), "the end of the pause")


def calls_left(rates: RateLimits, now: float) -> int:
    """Take all calls that may come at a moment, and return how many these are."""
    taken = 0
    while rates.pause_seconds(now) == 0:
        rates.forked(now)
        taken += 1
    return taken


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 50, before[1]))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for one in taken:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("source", ["127.0.0.1", PROXY])
def test_a_call_is_taken_back_from_a_stopped_spare_though_no_descriptor_is_left(acceptor: Town, source: str) -> None:
    others = children()
    acceptor.acceptor.refill()
    (spare,) = children() - others
    os.kill(spare, signal.SIGSTOP)
    os.waitpid(spare, os.WUNTRACED)
    caller = acceptor.call(acceptor.front, source)
    acceptor.serve()
    with no_descriptor_left():
        assert acceptor.acceptor.take_back(spare, is_stopped=True)
    if source == PROXY:  # its call is two descriptors: without its question it is served by nobody
        assert caller.recv(16) == b""
    else:
        assert int(caller.recv(16)) != spare


def test_after_a_pause_all_doors_are_open(acceptor: Town) -> None:
    while acceptor.rates.pause_seconds(time.monotonic()) == 0:
        acceptor.rates.forked(time.monotonic())
    acceptor.call(acceptor.front)
    acceptor.serve()
    late = acceptor.call(acceptor.front, "127.0.0.2")

    def is_served() -> bool:
        acceptor.acceptor.resume()
        acceptor.serve()
        return acceptor.acceptor.resumes_in == float("inf") or bool(acceptor.selector.get_map())

    wait_until(is_served, "the end of the pause")
    wait_until(
        lambda: is_served() and acceptor.acceptor.admission.connections.of("127.0.0.2") == 1, "the late caller's turn"
    )
    assert heard(late)


def test_a_banned_caller_takes_nothing_of_what_others_may_call(acceptor: Town) -> None:
    (acceptor.foundation.data / "banned.json").write_text(json.dumps({"127.66.6.6": None}))
    acceptor.acceptor.admission.read_bans()
    banned = [acceptor.call(acceptor.front, "127.66.6.6") for _ in range(50)]
    banned[0].close()  # a caller who has hung up is banned all the same
    acceptor.serve()
    assert b"not taken by this BBS" in heard(banned[-1])
    assert acceptor.rates._all._left == CALLS_AT_ONCE
