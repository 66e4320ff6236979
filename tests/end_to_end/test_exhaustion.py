"""What runs out or is taken away while people play: a clear word, no CUBES lost, and all goes on when it is back."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller, yawcctl
from tests.end_to_end.daemons import scraped
from tests.processes import serving, spares
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("afresh")

NO_BANK = "; nothing"
"""The bank cannot be reached, or is slow: somebody else waits for it."""
TROUBLE = "The BBS has a problem and must end this session; your CUBES are safe."
TURNED_AWAY = "Sorry, this BBS cannot take your call at the moment."

_HOLDER = """
import sqlite3, sys
held = [sqlite3.connect(path, isolation_level=None) for path in sys.argv[1:]]
for database in held:
    database.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""

_PARTING = """
import os, socket
from telnetd.doors.telnet import TelnetLine
from yawc_poker.session.run import serve
from yawc_poker.transport import SocketTransport
ours, theirs = socket.socketpair()
theirs.shutdown(socket.SHUT_WR)
print(os.nice(0), serve(TelnetLine(SocketTransport(ours), "somewhere"), lambda: 1 / 0).name, os.nice(0))
"""
"""A session whose caller has hung up, and its priority before and after."""

_BARE = """
import resource, socket
from telnetd.doors.telnet import TelnetLine
from yawc_poker.session.run import serve
from yawc_poker.transport import SocketTransport
ours, theirs = socket.socketpair()
theirs.settimeout(0)
line = TelnetLine(SocketTransport(ours), "somewhere")
theirs.shutdown(socket.SHUT_WR)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
code = serve(line, lambda: 1 / 0)
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print(theirs.recv(4096).decode("latin-1"), code.name)
"""
"""A session that begins without a descriptor to be had, and what its caller reads."""

_DRY = """
import resource, socket
from telnetd.doors.telnet import TelnetLine
from yawc_poker.session.run import serve
from yawc_poker.transport import SocketTransport
taken = []
def take_all():
    resource.setrlimit(resource.RLIMIT_AS, (1, hard))
    for size in (1 << power for power in range(20, 3, -1)):
        try:
            while True:
                taken.append(bytes(size))
        except MemoryError:
            pass
    raise MemoryError
ours, theirs = socket.socketpair()
theirs.settimeout(0)
line = TelnetLine(SocketTransport(ours), "somewhere")
theirs.shutdown(socket.SHUT_WR)
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
code = serve(line, take_all)
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
print(theirs.recv(4096).decode("latin-1"), code.name)
"""
"""A session that has taken all memory there is, and what its caller reads."""


def _begin(master: Caller, *others: Caller) -> None:
    """Start a game of two or more; a stake costs 10 CUBES."""
    master.send("s")
    for caller in (master, *others):
        caller.until("Round:", "1")


def _refused(caller: Caller) -> None:
    """He tries to start a game, is told that it cannot be, and has paid nothing."""
    caller.send("s")
    caller.see(NO_BANK)
    caller.until("Pot:", "NO GAME")
    caller.owns(100)


def _waits_for_the_bank(master: Caller, *others: Caller) -> None:
    """A game is started that only the bank can deal; nobody has paid anything."""
    master.send("s")
    for caller in (master, *others):
        caller.hear("the game begins as soon as it can")
        caller.owns(100)


def _is_dealt(*callers: Caller) -> None:
    """It is dealt without a key."""
    for caller in callers:
        caller.until("Round:", "1")
        caller.owns(90)


def _try_to_register(bbs: Bbs, name: str) -> Caller:
    """Somebody new, up to the password that is to be kept."""
    caller = bbs.call()
    caller.see("Name:")
    caller.line(name)
    caller.see("(y/n)")
    caller.send("y")
    caller.see("Password:")
    caller.line("secret-1")
    caller.see("Repeat the password:")
    caller.line("secret-1")
    return caller


def _told_and_ended(caller: Caller) -> None:
    caller.see(TROUBLE)
    caller.ended()


def _in_vain(bbs: Bbs, *arguments: str) -> str:
    """Run a command of the sysop's that cannot be done, and give the one line that it says."""
    done = yawcctl(bbs.data, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr.strip()


# --- disk -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    place = tmp_path / "data"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system may be mounted here")
    yield place
    command = ["umount", str(place)]
    wait_until(lambda: subprocess.run(command, capture_output=True, check=False).returncode == 0, "who still uses it")


def _fill(place: Path) -> Path:
    """Write until there is no room for another byte, not even in the journals, which else have some from before."""
    for journal in place.glob("*-journal"):
        os.truncate(journal, 0)
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return filler
    raise AssertionError("the disk does not fill up")


def test_a_full_disk(small_disk: Path) -> None:
    with Bbs(small_disk) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.hear("Bert sits down")
        _begin(anna, bert)
        filler = _fill(small_disk)
        anna.bet("5")
        anna.see(NO_BANK)
        anna.until("Pot:", "20 CUBES")
        anna.owns(90)
        _told_and_ended(_try_to_register(bbs, "Carl"))
        anna.hang_up()  # that decides the game, and nobody can be paid
        wait_until(lambda: "cannot be paid out yet" in bbs.log.read_text(), "a payout in vain")
        bert.owns(90)
        filler.unlink()
        bert.hear("wins 20 CUBES")
        bert.owns(110)
        bert.until("Turn:", "NO GAME")
        bbs.call().log_in("Anna").see("You own 90 CUBES.")
        _try_to_register(bbs, "Carl").see("You own 100 CUBES.")
        bbs.is_sound()


def test_a_game_that_begins_on_a_full_disk_is_dealt_once_there_is_room(small_disk: Path) -> None:
    with Bbs(small_disk) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.hear("Bert sits down")
        filler = _fill(small_disk)
        _waits_for_the_bank(anna, bert)
        filler.unlink()
        _is_dealt(anna, bert)
        bbs.is_sound()


# --- databases --------------------------------------------------------------------------------------------------------


@contextmanager
def _read_only(data: Path) -> Iterator[None]:
    """Nobody may write to the databases, nor make a file beside them."""
    modes = {path: path.stat().st_mode for path in (*data.glob("*.sqlite*"), data)}
    try:
        for path, mode in modes.items():
            path.chmod(mode & 0o555)
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def _without_privileges() -> list[str]:
    """Return what a daemon is run under so that permissions of files hold for root, too."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv")
    return ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]


def test_read_only_databases(tmp_path: Path) -> None:
    bbs = Bbs(tmp_path / "data")
    bbs.under = _without_privileges()
    with bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.hear("Bert sits down")
        carl = bbs.call().register("Carl")
        with _read_only(bbs.data):
            _waits_for_the_bank(anna, bert)
            _told_and_ended(_try_to_register(bbs, "Dora"))
            carl.send("x")
            carl.see("To:")
            carl.line("Anna")
            carl.see("Message:")
            carl.line("hello")
            carl.see("That cannot be done at the moment")
        _is_dealt(anna, bert)
        _try_to_register(bbs, "Dora").see("You own 100 CUBES.")
        bbs.is_sound()


@contextmanager
def _held(*databases: Path) -> Iterator[None]:
    """Another program has these to itself."""
    command = [sys.executable, "-c", _HOLDER, *map(str, databases)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "held\n"
            yield
        finally:
            holder.communicate()


def test_databases_locked_by_another_program(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.hear("Bert sits down")
    carl = bbs.call()
    carl.see("Name:")
    with _held(bbs.data / "bank.sqlite", bbs.data / "users.sqlite"):
        carl.line("Carl")
        _refused(anna)
        _told_and_ended(carl)
    _begin(anna, bert)
    anna.owns(90)
    bbs.call().register("Carl").see("You own 100 CUBES.")


# --- processes --------------------------------------------------------------------------------------------------------


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group that can bound the number of its processes."""
    for root in (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup")):
        made = root / f"yawc-test-{uuid4().hex}"
        try:
            made.mkdir()
        except OSError:
            continue
        if (made / "pids.max").exists():
            break
        made.rmdir()
    else:
        pytest.skip("no control group for processes can be made here")
    yield made
    wait_until(lambda: not (made / "cgroup.procs").read_text(), "the end of all processes of the group")
    made.rmdir()


def test_no_processes(group: Path, tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("[telnet]\n", "[telnet]\nspares = 0\n")) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.hear("Bert sits down")
        carl = bbs.call()
        carl.see("Name:")
        listener = psutil.Process(bbs.process.pid)
        everybody = [listener, *listener.children()]
        for one in everybody:
            (group / "cgroup.procs").write_text(str(one.pid))
        (group / "pids.max").write_text(str(len(everybody)))
        late = bbs.call()
        late.see(TURNED_AWAY)
        late.ended()
        assert _in_vain(bbs, "status") == "yawcctl: the BBS cannot answer: no process: Resource temporarily unavailable"
        (group / "pids.max").write_text(str(len(everybody) + 1))
        another = bbs.call()
        another.see(TURNED_AWAY)
        another.ended()
        assert json.loads(bbs.yawcctl("status", "--json"))["callers"], "one process is the sysop's"
        (group / "pids.max").write_text(str(len(everybody)))
        assert "503 Service Unavailable" in scraped(bbs.data)
        _begin(anna, bert)
        carl.register("Carl")  # his password's hash is made without a process of its own
        assert "no process for an errand" in bbs.log.read_text()
        (group / "pids.max").write_text("max")
        bbs.call().log_in("Carl")
        bbs.is_sound()


def test_the_last_process_is_the_sysops_and_no_spare(group: Path, tmp_path: Path) -> None:
    most = 20
    with Bbs(tmp_path / "data") as bbs:
        for one in [psutil.Process(bbs.process.pid), *spares(bbs.process.pid)]:
            (group / "cgroup.procs").write_text(str(one.pid))
        (group / "pids.max").write_text(str(most))
        for _ in range(most - 2):  # the listener, and the process that is left
            bbs.call().see("Name:")
        bbs.call().see(TURNED_AWAY)
        assert int((group / "pids.current").read_text()) == most - 1
        assert json.loads(bbs.yawcctl("status", "--json"))["callers"] == 0
        (group / "pids.max").write_text("max")
        spares(bbs.process.pid)


# --- descriptors ------------------------------------------------------------------------------------------------------


@contextmanager
def _bounded(process: psutil.Process, kind: int, soft: int) -> Iterator[None]:
    """Bound a resource of a living process."""
    before = process.rlimit(kind)
    process.rlimit(kind, (soft, before[1]))
    try:
        yield
    finally:
        process.rlimit(kind, before)


def _first_free(process: psutil.Process) -> int:
    used = {int(name) for name in os.listdir(f"/proc/{process.pid}/fd")}
    return min(set(range(len(used) + 1)) - used)


def _is_answered(caller: Caller) -> bool:
    return TURNED_AWAY in caller.text or "Name:" in caller.text


def test_the_listener_without_descriptors(bbs: Bbs) -> None:
    listener = psutil.Process(bbs.process.pid)
    with _bounded(listener, resource.RLIMIT_NOFILE, _first_free(listener)):
        for _ in range(3):
            late = bbs.call()  # a spare that takes one frees its channel's descriptors
            late.wait(partial(_is_answered, late), "an answer")
            assert "listener" in bbs.yawcctl("status")
    bbs.call().register("Anna")


def test_a_new_session_without_descriptors() -> None:
    done = subprocess.run([sys.executable, "-c", _BARE], capture_output=True, text=True, check=True, timeout=DEADLINE)
    assert TROUBLE in done.stdout
    assert "UNAVAILABLE" in done.stdout


def test_a_session_that_has_left_lets_others_pass() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PARTING], capture_output=True, text=True, check=True, timeout=DEADLINE
    )
    own = os.nice(0)
    assert done.stdout.split() == [str(own), "BUG", str(own + 10)]


def test_a_session_without_descriptors(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.hear("Bert sits down")
    with _bounded(bbs.session("Anna"), resource.RLIMIT_NOFILE, 3):
        _refused(anna)
        bert.send(".")
        bert.send("hello there\r")
        anna.hear("hello there")
        bbs.session("Bert").send_signal(signal.SIGKILL)
        carl = bbs.call().register("Carl").sit()
        anna.hear("Carl sits down")
    _begin(anna, carl)
    carl.owns(90)


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_session_without_memory(bbs: Bbs) -> None:
    bbs.call().register("Anna")
    bbs.everybody_out()
    anna = bbs.call()
    anna.see("Name:")
    anna.line("Anna")
    anna.see("Password:")
    (session,) = serving(bbs.process.pid)
    # Enough for words, too little for looking at a password.
    session.rlimit(resource.RLIMIT_AS, (session.memory_info().vms + (4 << 20), resource.RLIM_INFINITY))
    anna.line("secret-1")
    _told_and_ended(anna)
    assert "login failed" not in bbs.log.read_text()
    assert "ended by a bug" not in bbs.log.read_text()
    bbs.call().log_in("Anna")


def test_a_session_at_its_last_byte() -> None:
    done = subprocess.run([sys.executable, "-c", _DRY], capture_output=True, text=True, check=True, timeout=DEADLINE)
    assert TROUBLE in done.stdout
    assert "UNAVAILABLE" in done.stdout
    assert "session of somewhere ended: MemoryError()" in done.stderr


def test_a_player_without_memory(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.hear("Bert sits down")
    _begin(anna, bert)
    with _bounded(bbs.session("Anna"), resource.RLIMIT_AS, 1):
        anna.bet("5")
        anna.wait(lambda: TROUBLE in anna.text or any("Anna bets 5" in one for one in anna.messages), "an answer")
    anna.hang_up()
    bert.until("Turn:", "NO GAME")
    bert.hear("wins")
    bert.owns(110, 115)
