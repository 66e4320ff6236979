import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolation.sessions import Hall
from tests.kernel import semaphore_exists
from yawc_poker.casino.instance.instance import LOCK_FILE
from yawc_poker.ipc import process
from yawc_poker.ipc.layout import LAYOUT_VERSION, Layout
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.segment import NoSegment, Segment, segment_name
from yawc_poker.ipc.semaphore import LockGone


def yawcctl(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "yawc_poker.sysop", "--data", str(data), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def gone(segment: Segment) -> bool:
    return segment.is_orphaned


def refusal(data: Path, *arguments: str) -> str:
    done = yawcctl(data, "ipc", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    return done.stderr


@pytest.fixture
def left_behind(tmp_path: Path) -> Iterator[Segment]:
    """A segment whose listener is dead."""
    segment = Segment.create(segment_name(tmp_path), Layout(sessions=4, tables=2))
    segment.head.listener = Identity(2**22 + 1, 1)
    yield segment
    segment.close()
    try:
        Segment.destroy(segment.name)
    except NoSegment:
        pass


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall


def test_where_no_bbs_runs_there_is_nothing(tmp_path: Path) -> None:
    shown = yawcctl(tmp_path, "ipc")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "no BBS runs" in shown.stdout
    removed = yawcctl(tmp_path, "ipc", "--remove")
    assert (removed.returncode, removed.stderr) == (0, "")
    assert "nothing to remove" in removed.stdout


def test_a_living_bbs_is_shown(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    bert.kill()
    segment = hall.foundation.segment
    done = yawcctl(hall.data, "ipc")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line[:22].strip(): line[22:] for line in done.stdout.splitlines() if not line.startswith(" ")}
    assert lines["segment"] == segment.name
    assert lines["layout"] == f"{LAYOUT_VERSION}, {segment.layout.size} bytes"
    assert lines["boot id"] == segment.head.boot_id.hex()
    assert lines["listener"] == f"process {os.getpid()} (living)"
    assert lines["sessions"] == "1 living, 1 dead"
    assert f"process {anna.pid} (living), Anna, from test" in done.stdout
    assert f"process {bert.pid} (dead), Bert, from test" in done.stdout
    assert [line for line in lines if line.startswith("lock ")] == [
        "lock directory", "lock bank", "lock broadcast", "lock poker 1", "lock maumau 1"
    ]  # fmt: skip
    assert lines["ring posted"] == str(segment.head.posted)


def test_the_holder_of_a_lock_is_named(hall: Hall) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    anna.doomed("after bet", "bet", 5, by=signal.SIGSTOP)
    done = yawcctl(hall.data, "ipc", "--json")
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert {lock["name"]: lock["holder"] for lock in report["locks"]} == {
        "directory": None, "bank": None, "broadcast": None, "poker 1": anna.pid, "maumau 1": None
    }  # fmt: skip
    assert [one["pid"] for one in report["sessions"] if one["alive"]] == [
        person["pid"] for person in report["sessions"]
    ]
    assert (report["layout"], report["in_use"], report["listener"]["pid"]) == (LAYOUT_VERSION, True, os.getpid())


def test_a_living_listener_is_not_robbed_of_its_segment(hall: Hall) -> None:
    for arguments in (["--remove"], ["--remove", "--force"]):
        assert "in use by a listener" in refusal(hall.data, *arguments)
    assert not gone(hall.foundation.segment)


def test_living_sessions_are_not_robbed_of_their_segment(left_behind: Segment, tmp_path: Path) -> None:
    left_behind.records[2].claim(process.me(), 5, "test")
    for arguments in (["--remove"], ["--remove", "--force"]):
        assert "in use by 1 sessions" in refusal(tmp_path, *arguments)
    assert not gone(left_behind)
    assert all(semaphore_exists(lock.key) for lock in left_behind.locks)


def test_what_was_left_behind_is_told_and_removed(left_behind: Segment, tmp_path: Path) -> None:
    left_behind.records[2].claim(Identity(2**22 + 1, 1), 5, "test")
    shown = yawcctl(tmp_path, "ipc")
    assert shown.returncode == 1
    assert "left behind" in shown.stdout
    assert "0 living, 1 dead" in shown.stdout
    removed = yawcctl(tmp_path, "ipc", "--remove")
    assert (removed.returncode, removed.stderr) == (0, "")
    assert left_behind.name in removed.stdout
    assert gone(left_behind)
    assert not any(semaphore_exists(lock.key) for lock in left_behind.locks)


def test_a_killed_creators_half_segment_is_removed(left_behind: Segment, tmp_path: Path) -> None:
    left_behind.head.magic = 0
    shown = yawcctl(tmp_path, "ipc")
    assert shown.returncode == 1
    assert "only half there" in shown.stdout
    assert yawcctl(tmp_path, "ipc", "--remove").returncode == 0
    assert gone(left_behind)
    assert not any(semaphore_exists(lock.key) for lock in left_behind.locks)


@pytest.mark.parametrize("version", [1, LAYOUT_VERSION + 1])
def test_another_layout_is_removed_by_force_only(left_behind: Segment, tmp_path: Path, version: int) -> None:
    left_behind.head.version = version
    if version == 1:  # which ended with the tables
        os.truncate(Path("/dev/shm") / left_behind.name[1:], left_behind.layout.metrics_at)
    shown = yawcctl(tmp_path, "ipc")
    assert shown.returncode == 1
    assert f"layout {version}" in shown.stdout
    assert "yawcctl ipc --remove --force" in shown.stdout
    assert json.loads(yawcctl(tmp_path, "ipc", "--json").stdout)["problem"] in shown.stdout
    assert "--remove --force" in refusal(tmp_path, "--remove")
    assert not gone(left_behind)
    assert yawcctl(tmp_path, "ipc", "--remove", "--force").returncode == 0
    assert gone(left_behind)
    assert not any(semaphore_exists(lock.key) for lock in left_behind.locks)


def test_not_even_by_force_while_a_listener_of_that_layout_lives(left_behind: Segment, tmp_path: Path) -> None:
    left_behind.head.version = 7
    with (tmp_path / LOCK_FILE).open("ab") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        assert "in use by a listener" in refusal(tmp_path, "--remove", "--force")
    assert not gone(left_behind)


def test_a_segment_without_its_semaphores_is_removed_by_force_while_somebody_is_in_it(
    left_behind: Segment, tmp_path: Path
) -> None:
    left_behind.locks[0].remove()
    left_behind.records[0].claim(process.me(), 1, "test")
    assert f"processes {os.getpid()} are still in it" in refusal(tmp_path, "--remove")
    assert yawcctl(tmp_path, "ipc", "--remove", "--force").returncode == 0
    assert gone(left_behind)


def test_a_segment_without_its_semaphores_is_removed_if_nobody_lives_there(
    left_behind: Segment, tmp_path: Path
) -> None:
    left_behind.locks[0].remove()
    assert yawcctl(tmp_path, "ipc", "--remove").returncode == 0
    assert gone(left_behind)


def test_what_another_program_made_is_never_removed(left_behind: Segment, tmp_path: Path) -> None:
    left_behind.head.magic = 42
    assert "another program" in refusal(tmp_path, "--remove", "--force")
    assert not gone(left_behind)
    left_behind.head.magic = 0


def test_whoever_waits_for_a_lock_of_the_removed_is_told(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    lock = hall.foundation.segment.cells[0].lock
    lock.acquire()
    anna.order("say", "hello")
    hall.queue(1)
    Segment.destroy(hall.foundation.segment.name)
    with pytest.raises(LockGone):
        lock.release()
    assert anna.answer() == "LockGone"
    assert anna("leave") == "LockGone"
