"""Machines that lack something: the listener says what, in a line, and leaves nothing behind."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from yawc_poker.ipc.segment import NoSegment, Segment, segment_name

LISTENER = f"exec {sys.executable} -m telnetd --port 0 --data"


@pytest.fixture
def disk() -> Iterator[Path]:
    """A folder on a disk, not in memory, which is what is missing."""
    with TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("lacks", "told"),
    [
        ("mount -t tmpfs none /proc", "this process cannot see itself in /proc; is /proc mounted?"),
        ("mount -t tmpfs -o ro none /dev/shm", "in /dev/shm: Read-only file system"),
        ("mount -t tmpfs -o ro none /dev", "there is no /dev/shm for shared memory"),
        ("ulimit -n 12", "only 12 files may be open (ulimit -n); it takes 64 at least"),
    ],
    ids=["no proc", "shm for reading", "no shm", "few files"],
)
def test_what_is_missing_is_named_and_nothing_stays(disk: Path, lacks: str, told: str) -> None:
    data = disk / "data"
    command = ["unshare", "--mount", "sh", "-c", f"{lacks} && {LISTENER} {data}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if "unshare:" in run.stderr:
        pytest.skip("wants root")
    last = run.stderr.splitlines()[-1]
    assert last.startswith("yawc-telnetd: ")
    assert told in last
    assert "Traceback" not in run.stderr
    assert run.returncode == 69
    with pytest.raises(NoSegment):
        Segment.attach(segment_name(data))
