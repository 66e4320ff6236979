"""Processes that wait for a call: killed, stopped, out of date. No caller may notice."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs
from tests.end_to_end.daemons import records
from tests.processes import is_spare, serving, spares
from tests.waiting import wait_until

WAYS = (signal.SIGKILL, signal.SIGSTOP)


@pytest.fixture(scope="module")
def bbs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bbs]:
    with Bbs(tmp_path_factory.mktemp("spares") / "data", FAST) as bbs:
        yield bbs


@contextmanager
def held(bbs: Bbs) -> Iterator[None]:
    """Keep the listener from acting: what happens meanwhile it finds all at once."""
    listener = psutil.Process(bbs.process.pid)
    listener.suspend()
    try:
        yield
    finally:
        listener.resume()


def test_a_caller_gets_one_and_another_takes_its_place(bbs: Bbs) -> None:
    before = spares(bbs.process.pid)
    assert not serving(bbs.process.pid)
    assert records(bbs.data) == 0
    caller = bbs.call().at("Name: ")
    (session,) = serving(bbs.process.pid)
    assert session in before
    assert not is_spare(session)
    assert records(bbs.data) == 1
    assert len(set(spares(bbs.process.pid)) & set(before)) == len(before) - 1
    caller.register("Anna").press("w")
    caller.see("1 user online.")
    bbs.everybody_out()


@pytest.mark.parametrize("number", WAYS)
def test_whoever_calls_while_they_are_lost_is_served(bbs: Bbs, number: int) -> None:
    for _ in range(5):
        for spare in spares(bbs.process.pid):
            spare.send_signal(number)
        bbs.call().see("Name:")
    bbs.everybody_out()
    bbs.is_sound()


@pytest.mark.parametrize("number", WAYS)
def test_a_call_that_one_was_given_goes_to_another(bbs: Bbs, number: int) -> None:
    """The listener gives the call before it looks who has ended or stands still."""
    for callers in (1, 2, 3):
        before = spares(bbs.process.pid)
        with held(bbs):
            for spare in before:
                spare.send_signal(number)
            calls = [bbs.call() for _ in range(callers)]
        for caller in calls:
            caller.at("Name: ").register(f"Nr{'abc'[callers - 1]}{'xyz'[calls.index(caller)]}{'ks'[number == WAYS[0]]}")
        assert not set(before) & set(serving(bbs.process.pid))
        assert len(serving(bbs.process.pid)) == callers
        bbs.everybody_out()
    assert "refused" not in bbs.log.read_text()


def test_a_session_that_was_one_may_be_stopped_and_goes_on(bbs: Bbs) -> None:
    caller = bbs.call().at("Name: ")
    (session,) = serving(bbs.process.pid)
    session.suspend()
    bbs.call().see("Name:")  # the listener has looked since
    session.resume()
    caller.register("Stopped")
    bbs.everybody_out()


def test_they_end_with_their_listener(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        anna = bbs.call().register("Anna")
        session = bbs.session("Anna")
        left = spares(bbs.process.pid)
        bbs.process.kill()
        bbs.close()
        assert not psutil.wait_procs(left, DEADLINE)[1]
        assert session.is_running()
        bbs.start()
        anna.press("w")
        anna.see("1 user online.")


def test_a_reload_replaces_them_whatever_state_they_are_in(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        before = spares(bbs.process.pid)
        before[0].suspend()
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "configuration read again" in bbs.log.read_text(), "the reload")
        wait_until(lambda: not any(map(is_spare, before)), "the end of the former ones")
        assert not set(spares(bbs.process.pid)) & set(before)
        bbs.call().see("Name:")


def test_there_may_be_none(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("[telnet]\n", "[telnet]\nspares = 0\n")) as bbs:
        anna = bbs.call().register("Anna")
        assert [one.pid for one in psutil.Process(bbs.process.pid).children()] == [bbs.session("Anna").pid]
        anna.press("w")
        anna.see("1 user online.")


def test_a_killed_one_leaves_no_descriptor(bbs: Bbs) -> None:
    spares(bbs.process.pid)
    descriptors = os.listdir(f"/proc/{bbs.process.pid}/fd")
    for _ in range(3):
        for spare in spares(bbs.process.pid):
            spare.kill()
        bbs.call().see("Name:")
        bbs.everybody_out()
    spares(bbs.process.pid)
    assert len(os.listdir(f"/proc/{bbs.process.pid}/fd")) == len(descriptors)
