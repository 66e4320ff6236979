"""How much memory a session makes its own, stage by stage: counted in pages, which no busy machine changes.

A session shares what the listener loaded until it writes to it. What it writes first at a stage is copied there.
"""

import sys
from pathlib import Path

import psutil

from tests.end_to_end.bbs import Bbs
from tests.end_to_end.test_poker import play_to_showdown
from tests.kernel import memory
from tests.waiting import wait_until
from yawc_poker.session.warmup.immortal import obstacle

CONFIG = """
[bbs]
name = "Testville"
[telnet]
registrations_per_hour = 0
[poker]
pause_seconds = 0
"""
"""With the usual clocks: a tick of five seconds is no part of a stage that takes a moment."""
LIMITS = (
    {"name prompt": 4.9, "main prompt": 7.7, "seated": 9.6, "after a game": 10.4, "after chat": 10.5}
    if obstacle()
    else {"name prompt": 1.5, "main prompt": 2.5, "seated": 3.0, "after a game": 3.4, "after chat": 3.45}
)
"""In MB of 10^6 bytes, a tenth above what was measured: with CPython 3.11, and with 3.12 and 3.13, which share more."""
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
    bbs = Bbs(tmp_path / "data", CONFIG)
    bbs.under = [sys.executable, "-c", WITHOUT_HUGE_PAGES.format(disable=PR_SET_THP_DISABLE)]
    with bbs:
        for _ in range(BYSTANDERS):
            bbs.call().see("Name:")
        measured = course(bbs)
    assert measured.keys() == LIMITS.keys()
    assert all(measured[stage] <= LIMITS[stage] * 1e6 for stage in LIMITS), measured


def course(bbs: Bbs) -> dict[str, int]:
    """Make Anna log in, sit down, play a game and chat; return her session's own bytes at each stage."""
    bert = bbs.call().register("Bert").sit()
    others = children(bbs)
    anna = bbs.call()
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
