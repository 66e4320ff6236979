"""Who is killed when memory runs out: what the unit gives the listener, its sessions give up."""

import shutil
import subprocess
from pathlib import Path

import pytest

from telnetd.listener.systemd import reset_oom_score
from tests.end_to_end.bbs import Bbs
from tests.processes import serving

pytestmark = pytest.mark.usefixtures("afresh")


@pytest.mark.parametrize(("before", "after"), [("-500\n", "0"), ("0\n", "0\n"), ("300\n", "300\n")])
def test_protection_is_given_up_and_nothing_else(tmp_path: Path, before: str, after: str) -> None:
    score = tmp_path / "oom_score_adj"
    score.write_text(before)
    reset_oom_score(score)
    assert score.read_text() == after


def test_where_the_system_has_no_such_thing(tmp_path: Path) -> None:
    reset_oom_score(tmp_path / "none")


def test_the_listener_is_protected_and_its_sessions_are_not(tmp_path: Path) -> None:
    protected = ["choom", "--adjust=-500", "--"]
    if (
        shutil.which("choom") is None
        or subprocess.run([*protected, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no process may be protected here")
    bbs = Bbs(tmp_path / "data")
    bbs.under = protected
    with bbs:
        bbs.call().register("Anna")
        assert Path(f"/proc/{bbs.process.pid}/oom_score_adj").read_text() == "-500\n"
        for session in serving(bbs.process.pid):
            assert Path(f"/proc/{session.pid}/oom_score_adj").read_text() == "0\n"
