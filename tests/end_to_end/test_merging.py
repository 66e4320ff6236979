"""`[telnet] merge_memory`: the kernel may merge equal pages of sessions; the log says what is missing for it.

Whether a process may be merged stands in `VmFlags` of its mappings: `mg`.
"""

import ctypes
import os
import signal
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs
from tests.waiting import wait_until
from yawc_poker.session.prefork.ksm import SWITCH, merge

pytestmark = pytest.mark.usefixtures("afresh")

MERGING = FAST.replace("[telnet]", "[telnet]\nmerge_memory = true")
PR_GET_MEMORY_MERGE = 68
KNOWN = ctypes.CDLL(None).prctl(PR_GET_MEMORY_MERGE, 0, 0, 0, 0) >= 0
"""This kernel can merge a whole process."""


def may_be_merged(pid: int) -> bool:
    flags = [line for line in Path(f"/proc/{pid}/smaps").read_text().splitlines() if line.startswith("VmFlags:")]
    return any("mg" in line.split() for line in flags)


def test_sessions_are_merged_only_if_the_sysop_wants_it_and_a_reload_changes_that(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        bbs.call().register("Anna")
        assert not may_be_merged(bbs.session("Anna").pid)
        (tmp_path / "data.toml").write_text(MERGING)
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "configuration read again" in bbs.log.read_text(), "the reload")
        bbs.call().register("Bert")
        assert may_be_merged(bbs.session("Bert").pid) == KNOWN
        (tmp_path / "data.toml").write_text(FAST)
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: bbs.log.read_text().count("configuration read again") == 2, "the other reload")
        bbs.call().register("Carl")
        assert not may_be_merged(bbs.session("Carl").pid)


def test_from_the_start_every_session_may_be_merged_and_the_log_tells_what_is_missing(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", MERGING) as bbs:
        bbs.call().register("Anna")
        assert may_be_merged(bbs.session("Anna").pid) == KNOWN
        is_on = SWITCH.exists() and SWITCH.read_text().strip() == "1"
        assert ("telnet.merge_memory: " in bbs.log.read_text()) == (not KNOWN or not is_on)


def test_an_upgrade_takes_back_what_the_program_before_it_was_allowed(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", MERGING) as bbs:
        bbs.call().register("Anna")
        assert may_be_merged(bbs.session("Anna").pid) == KNOWN
        (tmp_path / "data.toml").write_text(FAST)
        bbs.process.send_signal(signal.SIGUSR2)
        wait_until(lambda: "upgrade: this is version" in bbs.log.read_text(), "the upgrade")
        bbs.call().register("Bert")
        assert not may_be_merged(bbs.session("Bert").pid)


def test_to_be_merged_no_longer_can_always_be_asked_for() -> None:
    assert merge(False) == KNOWN
    assert not may_be_merged(os.getpid())
