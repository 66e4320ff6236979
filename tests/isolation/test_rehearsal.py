"""The rehearsal before the first fork: it plays an evening to its end in every language, and leaves nothing."""

import ctypes
import gc
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from telnetd.doors.telnet import OPENING, TelnetLine
from telnetd.extras.web.service import WebService
from telnetd.listener.first_call import FirstCall, loop_codes
from tests.isolation.processes import exit_code, fork
from tests.isolation.stores import bank_in_file
from yawc_poker.bbs import rehearsal
from yawc_poker.bbs.rehearsal import MEMORY, Side, Stage
from yawc_poker.casino.bank.history import Asked
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.config import Config
from yawc_poker.ipc.segment import NoSegment, Segment, segment_name
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.endings import Exit
from yawc_poker.words import LANGUAGES

NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of unshare(2): a network of one's own, whose loopback address does not work yet."""
TELNET = Side(TelnetLine, OPENING)

LEFT = """
import json, os, signal, sys
from telnetd.doors.telnet import TelnetService
from telnetd.listener.first_call import FirstCall, loop_codes
from telnetd.signals import block_signals
from telnetd.extras.web.service import WebService
from tests.kernel import time_slice
from yawc_poker.bbs.rehearsal import rehearse
from yawc_poker.config import Config
from yawc_poker.session.prefork.slices import go_as_usual
from yawc_poker.session.run import load

def state():
    names = [name for name in os.listdir("/dev/shm") if f"rehearsal-{os.getpid()}" in name]
    handlers = [str(signal.getsignal(number)) for number in (signal.SIGALRM, signal.SIGUSR1, signal.SIGTERM)]
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        children = file.read()
    return names, len(os.listdir("/proc/self/fd")), signal.pthread_sigmask(signal.SIG_BLOCK, ()), handlers, children

block_signals()
load()
go_as_usual()
usual = time_slice(os.getpid())
os.kill(os.getpid(), signal.SIGTERM)
sides = [TelnetService(Config()).side, WebService(Config()).side]
rehearse(sides, FirstCall(Config()))
before = state()
rehearse(sides, FirstCall(Config()), loop_codes())
assert state() == before, (before, state())
assert time_slice(os.getpid()) == usual, "the listener is as any other program"
assert signal.SIGTERM in signal.sigpending(), "a signal to the listener was lost"
"""


def games_played(stage: Stage) -> list[str]:
    """Return the kinds of the games whose end the bank knows; its books must be sound."""
    bank = bank_in_file(stage.foundation.data / BANK_FILE, stage.foundation.segment.bank_lock)
    kinds = [game.kind for game in bank.games(Asked(limit=100))]
    assert bank.audit() == []
    bank.close()
    return kinds


def test_an_evening_is_played_to_its_end_in_every_language() -> None:
    def work() -> None:
        with Stage.opened() as stage:
            for _ in LANGUAGES:
                for call in stage.evening(TELNET):
                    assert call() is Exit.OK
            kinds = games_played(stage)
        assert {kind: kinds.count(kind) >= len(LANGUAGES) for kind in kinds} == {game.kind: True for game in GAMES}

    assert exit_code(fork(work)) == 0


def test_a_short_call_by_a_page_is_played_to_its_end_in_every_language() -> None:
    def work() -> None:
        side = WebService(Config()).side
        assert side is not None
        with Stage.opened() as stage:
            for _ in LANGUAGES:
                assert stage.short_call(side)() is Exit.OK
            assert games_played(stage) == [GAMES[0].kind] * len(LANGUAGES)

    assert exit_code(fork(work)) == 0


def test_it_leaves_nothing_and_takes_no_signal_of_the_listeners() -> None:
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_killed_one_left_is_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not by one of another test that runs at the moment."""
    monkeypatch.setattr(rehearsal, "MEMORY", tmp_path)

    def killed() -> None:
        with Stage.opened():
            os.kill(os.getpid(), signal.SIGKILL)

    pid = fork(killed)
    assert exit_code(pid) == -signal.SIGKILL
    (left,) = tmp_path.glob("yawc-rehearsal-*")
    segment = segment_name(left)

    def next_one() -> None:
        with Stage.opened():
            assert not left.exists()
            with pytest.raises(NoSegment):
                Segment.attach(segment)

    assert exit_code(fork(next_one)) == 0


def test_one_that_goes_on_is_not_swept_away_from_another_pid_namespace() -> None:
    """As two containers that share /dev/shm: a process number of the one says nothing in the other."""
    ready, told = os.pipe()

    def goes_on() -> None:
        with Stage.opened():
            os.write(told, b"1")
            signal.pause()

    pid = fork(goes_on)
    try:
        assert os.read(ready, 1) == b"1"
        (folder,) = MEMORY.glob(f"yawc-rehearsal-{pid}-*")
        program = "from yawc_poker.bbs.rehearsal import Stage\nwith Stage.opened(): pass"
        command = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if "unshare:" in done.stderr:
            pytest.skip("no namespace of processes: it wants root, and a root folder that is a mount point")
        assert (done.returncode, done.stderr) == (0, "")
        assert folder.exists()
        Segment.attach(segment_name(folder)).close()
    finally:
        os.kill(pid, signal.SIGKILL)
        exit_code(pid)
        os.close(ready)
        os.close(told)


def warnings_of_a_rehearsal(caplog: pytest.LogCaptureFixture, *, packs: bool = False) -> list[str]:
    with caplog.at_level("WARNING"):
        rehearsal.rehearse([TELNET], FirstCall(Config()), loop_codes() if packs else None)
    return caplog.messages


def test_without_room_for_it_the_bbs_opens_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        (warning,) = warnings_of_a_rehearsal(caplog)
        assert "so sessions take more memory" in warning
        assert list(MEMORY.glob(f"yawc-rehearsal-{os.getpid()}-*")) == []

    assert exit_code(fork(work)) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may leave the network")
def test_where_there_is_no_loopback_address_evenings_are_rehearsed(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        assert ctypes.CDLL(None).unshare(NEW_NETWORK) == 0
        gc.collect()  # what the process inherited as garbage may hold descriptors, which are closed at any moment
        before = len(os.listdir("/proc/self/fd"))
        assert warnings_of_a_rehearsal(caplog, packs=True) == []
        assert len(os.listdir("/proc/self/fd")) == before

    assert exit_code(fork(work)) == 0


def test_a_bug_in_the_rehearsal_is_logged_and_the_bbs_opens(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def work() -> None:
        monkeypatch.setattr(rehearsal.Stage, "evening", None)
        (warning,) = warnings_of_a_rehearsal(caplog)
        assert "bug: TypeError" in warning

    assert exit_code(fork(work)) == 0


def test_a_script_that_fails_at_its_end_leaves_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would kill the listener when it ends."""

    def broken(evening: rehearsal.Evening) -> Iterator[bytes]:
        try:
            yield from (bytes([key]) for key in b"/quit\r")
            yield b"never typed"
        finally:
            raise RuntimeError("at its end")

    def work() -> None:
        monkeypatch.setattr(rehearsal.Evening, "first_call", broken)
        rehearsal.rehearse([TELNET], FirstCall(Config()))
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.SIGALRM not in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    assert exit_code(fork(work)) == 0
