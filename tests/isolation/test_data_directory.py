"""What the listener wants of its data directory, and of the names that it takes in the system."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from yawc_poker.bbs.lifecycle import Foundation, FoundingError, examine
from yawc_poker.bbs.recovery import host_with
from yawc_poker.casino.instance.databases import BANK_FILE, CONFIG_FILE, USERS_FILE, Databases
from yawc_poker.casino.instance.instance import BANNED_FILE
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.config import TelnetSettings
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.games import DEFAULTS

CONFIG = replace(DEFAULTS, telnet=TelnetSettings(max_sessions=3))
STRANGER = 12345
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    return data


@contextmanager
def founded(data: Path) -> Iterator[Foundation]:
    foundation = Foundation.found(data, CONFIG)
    try:
        yield foundation
    finally:
        foundation.demolish()
        foundation.segment.close()


def refused(data: Path) -> str:
    """Return why a listener does not start, which `--check` says as well; it leaves no segment."""
    with pytest.raises(FoundingError) as start:
        Foundation.found(data, CONFIG)
    with pytest.raises(FoundingError) as check:
        examine(data, CONFIG)
    assert str(start.value) == str(check.value)
    assert not memory(data).exists()
    return str(start.value)


def memory(data: Path) -> Path:
    return Path("/dev/shm") / segment_name(data).removeprefix("/")


# --- what others may write --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702])
def test_a_directory_that_others_may_write_to_is_refused(data: Path, mode: int) -> None:
    data.chmod(mode)
    assert f"(mode {mode:o}): chmod go-w {data}" in refused(data)
    assert not list(data.iterdir())


def test_a_directory_that_it_makes_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with founded(tmp_path / "new"):
            assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)


@pytest.mark.parametrize("planted", [f"{CONFIG_FILE}.new", f"{BANNED_FILE}.new", CONFIG_FILE, BANNED_FILE])
def test_planted_links_are_not_followed(data: Path, tmp_path: Path, planted: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (data / planted).symlink_to(victim)
    with founded(data) as foundation:
        foundation.publish(CONFIG)
        foundation.instance(CONFIG).bans.publish()
        for file in (CONFIG_FILE, BANNED_FILE):
            assert not (data / file).is_symlink()
            assert (data / file).stat().st_mode & 0o777 == 0o600
    assert victim.read_text() == "precious"


def test_a_lock_file_that_is_a_link_is_refused(data: Path, tmp_path: Path) -> None:
    (data / "listener.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(FoundingError, match="symbolic links"):
        Foundation.found(data, CONFIG)
    assert not (tmp_path / "victim").exists()


def test_what_the_killed_left_half_written_is_swept_away(data: Path) -> None:
    (data / f"{CONFIG_FILE}.x1y2z3.new").write_text("{")
    with founded(data):
        assert not list(data.glob("*.new"))


# --- databases --------------------------------------------------------------------------------------------------------


def with_accounts(data: Path) -> None:
    """Leave the databases of a BBS where Anna owns CUBES."""
    with founded(data) as foundation:
        instance = foundation.instance(CONFIG)
        instance.bank.welcome(instance.accounts.enrol("Anna", "no hash", "en").id, 100)
        instance.bank.close()
        instance.accounts.close()


@pytest.mark.parametrize(("gone", "left"), [(BANK_FILE, USERS_FILE), (USERS_FILE, BANK_FILE)])
def test_a_database_that_is_gone_is_not_made_anew(data: Path, gone: str, left: str) -> None:
    with_accounts(data)
    (data / gone).unlink()
    said = refused(data)
    assert f"{gone} is missing, and {left} has" in said
    assert "yawcctl restore" in said
    assert not (data / gone).exists()
    (data / left).rename(data / "aside")  # as the line says
    with founded(data):
        assert (data / gone).exists()


def test_a_database_that_cannot_be_opened_may_have_something_to_lose(tmp_path: Path) -> None:
    """SQLite opens no path of more than 512 bytes, nor what it may not read."""
    deep = tmp_path.joinpath(*["d" * 200] * 3)
    deep.mkdir(parents=True)
    (deep / BANK_FILE).write_bytes(b"books")
    with pytest.raises(StoreError, match=f"{USERS_FILE} is missing, and {BANK_FILE} has"):
        Databases(deep).examine()


@pytest.mark.parametrize("gone", [BANK_FILE, USERS_FILE])
def test_a_database_that_holds_nobody_misses_no_other(data: Path, gone: str) -> None:
    with founded(data):
        pass
    (data / gone).unlink()  # as after a kill between the making of one and the other
    with founded(data):
        assert (data / gone).exists()


def test_a_running_bbs_makes_no_empty_database_in_place_of_its_own(data: Path) -> None:
    with_accounts(data)
    with founded(data) as foundation:
        (data / BANK_FILE).unlink()
        (data / USERS_FILE).unlink()
        instance = foundation.instance(CONFIG)
        for ask in (lambda: instance.bank.balance(1), lambda: instance.accounts.find("Anna")):
            _fails(ask)
        assert not (data / BANK_FILE).exists()
        assert not (data / USERS_FILE).exists()


def _fails(ask: Callable[[], object]) -> None:
    with pytest.raises(StoreError, match="there is no such file"):
        ask()


@pytest.mark.parametrize("look", [Databases.examine, lambda found: host_with(found).examine(CONFIG)])
def test_files_that_cannot_be_looked_for_refuse_the_start_by_a_sentence(
    data: Path, look: Callable[[Databases], None]
) -> None:
    """Whatever `stat` says, such as EIO of a disk that fails."""
    with pytest.raises(StoreError, match="File name too long"):
        look(Databases(data / ("x" * 300)))


# --- names in the system ----------------------------------------------------------------------------------------------


def _file(at: Path) -> None:
    at.write_text("squat")
    at.chmod(0o666)


@as_root
@pytest.mark.parametrize("squat", [_file, lambda at: at.symlink_to("/etc/passwd"), Path.mkdir, os.mkfifo])
def test_a_stranger_cannot_take_the_segments_name(data: Path, squat: Callable[[Path], None]) -> None:
    names = []
    try:
        for _ in range(2):  # the second name is not known beforehand, but anybody sees it while the BBS runs
            names.append(memory(data))
            squat(memory(data))
            os.chown(memory(data), STRANGER, -1, follow_symlinks=False)
            assert examine(data, CONFIG) == "no BBS runs here"
            with founded(data) as foundation:
                assert segment_name(data) == foundation.segment.name
                assert memory(data) not in names
                Segment.attach(segment_name(data)).close()
        assert len(set(names)) == 2
    finally:
        for name in names:
            name.rmdir() if not name.is_symlink() and name.is_dir() else name.unlink()


@as_root
def test_a_segment_of_whose_directory_this_is_is_left_alone(data: Path) -> None:
    """It may be a BBS in which people play, and this a start by the wrong user."""
    os.chown(data, STRANGER, -1)
    memory(data).write_text("")
    try:
        os.chown(memory(data), STRANGER, -1)
        with pytest.raises(FoundingError, match=rf"belongs to user {STRANGER}.* remove {memory(data)}"):
            Foundation.found(data, CONFIG)
        assert not (data / "segment.name").exists()
    finally:
        memory(data).unlink()


def test_used_up_semaphores_are_told_as_such(data: Path) -> None:
    few = 'echo "250 32000 32 2" > /proc/sys/kernel/sem && exec "$@"'
    apart = ["unshare", "--ipc", "sh", "-c", few, "sh"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no IPC namespace may be made here")
    daemon = [sys.executable, "-m", "telnetd", "--data", str(data), "--host", "127.0.0.1", "--port", "0"]
    done = subprocess.run([*apart, *daemon], capture_output=True, text=True, check=False)
    assert done.returncode == 69
    assert done.stderr.startswith("yawc-telnetd: cannot make a semaphore for lock broadcast: No space left on device")
    assert "room for 2 sets of them (sysctl kernel.sem" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not memory(data).exists()
