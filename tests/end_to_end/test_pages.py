"""How much memory a session makes its own, stage by stage: counted in pages, which no busy machine changes.

A session shares what the listener loaded until it writes to it. What it writes first at a stage is copied there.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import Bbs, Caller
from tests.end_to_end.browser import Tab
from tests.end_to_end.test_poker import play_to_showdown
from tests.kernel import memory
from tests.ports import free_port
from tests.waiting import wait_until
from yawc_poker.session.prefork.immortal import obstacle

pytestmark = pytest.mark.usefixtures("afresh")

CONFIG = """
[bbs]
name = "Testville"
[telnet]
registrations_per_hour = 0
[poker]
pause_seconds = 0
"""
"""With the usual clocks: a tick of five seconds is no part of a stage that takes a moment."""
STAGES = ("name prompt", "main prompt", "seated", "after a game", "after chat")
COUNTED, KNOWN, NEWER = "3.11", "3.12, 3.13", "3.14, 3.15"
LIMITS = {
    COUNTED: (5.8, 8.9, 11.2, 12.5, 12.5),
    KNOWN: (1.15, 1.85, 2.6, 3.1, 3.1),
    NEWER: (1.4, 2.0, 2.8, 3.8, 3.8),
}
"""In MB of 10^6 bytes at each stage, a tenth above what was measured, by the versions of CPython."""
LIMITS_BY_BROWSER = {
    COUNTED: (6.9, 10.2, 12.7, 13.9, 13.9),
    KNOWN: (1.45, 2.15, 2.9, 3.4, 3.4),
    NEWER: (1.75, 2.4, 3.3, 4.25, 4.25),
}
"""The same by a browser."""
WITHOUT_HUGE_PAGES = """
import ctypes, os, sys
ctypes.CDLL(None).prctl({disable}, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a command without huge pages, of which the first byte counts as two megabytes."""
PR_SET_THP_DISABLE = 41
BYSTANDERS = 4
"""Callers who share with the measured one what neither writes to; what the listener alone shares, it may write to."""


def test_a_session_makes_few_pages_its_own(tmp_path: Path) -> None:
    check(Bbs(tmp_path / "data", CONFIG), Bbs.call, LIMITS)


def test_neither_does_a_session_by_browser(tmp_path: Path) -> None:
    check(Bbs(tmp_path / "data", CONFIG, web_port=free_port()), lambda bbs: Tab(bbs.web_port), LIMITS_BY_BROWSER)


def check(bbs: Bbs, call: Callable[[Bbs], Caller], limits_by_version: Mapping[str, Sequence[float]]) -> None:
    """Count the pages of a session by a door."""
    version = COUNTED if obstacle() else KNOWN if sys.version_info < (3, 14) else NEWER
    limits = dict(zip(STAGES, limits_by_version[version], strict=True))
    bbs.under = [sys.executable, "-c", WITHOUT_HUGE_PAGES.format(disable=PR_SET_THP_DISABLE)]
    with bbs, ExitStack() as callers:
        for _ in range(BYSTANDERS):
            callers.enter_context(call(bbs)).see("Name:")
        measured = course(bbs, lambda: callers.enter_context(call(bbs)))
    assert measured.keys() == limits.keys()
    assert all(measured[stage] <= limits[stage] * 1e6 for stage in limits), measured


def course(bbs: Bbs, call: Callable[[], Caller]) -> dict[str, int]:
    """Make Anna log in, sit down, play a game and chat; return her session's own bytes at each stage."""
    bert = bbs.call().register("Bert").sit()
    others = children(bbs)
    anna = call()
    anna.see("Name:")
    (session,) = children(bbs) - others
    measured = {"name prompt": own(session)}
    anna.register("Anna")
    measured["main prompt"] = own(session)
    anna.sit()
    measured["seated"] = own(session)
    bert.send("s")
    play_to_showdown(bert, anna)
    anna.hear("wins 44 CUBES")
    anna.until("Pot:", "NO GAME")
    measured["after a game"] = own(session)
    anna.send(".Hello Bert\r")
    bert.hear("Hello Bert")
    bert.send(".Hello Anna\r")
    anna.hear("Hello Anna")
    measured["after chat"] = own(session)
    return measured


def children(bbs: Bbs) -> set[psutil.Process]:
    """Return the listener's processes."""
    return set(psutil.Process(bbs.process.pid).children())


def own(session: psutil.Process) -> int:
    """Return the bytes that a session has made its own, once it waits."""
    wait_until(lambda: session.status() == psutil.STATUS_SLEEPING, "a session at rest")
    return memory(session.pid, "Private_Dirty")
