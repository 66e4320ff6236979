"""The listener replaced by another program, in place: who is inside plays on, who calls meanwhile waits."""

import fcntl
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

import telnetd
import yawc_poker
from telnetd.listener.spares import NAME
from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, TelnetCaller, connected
from tests.end_to_end.daemons import greeted, owns, records, refused, semaphores, shared_memory
from tests.end_to_end.manager import Manager
from tests.end_to_end.test_daemon import SLOW
from tests.end_to_end.test_metrics import scrape
from tests.kernel import semaphore_exists
from tests.nursery import run
from tests.processes import serving
from tests.thoroughness import SOAK
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.ipc.layout import LAYOUT_VERSION, Layout
from yawc_poker.ipc.segment import Segment, segment_name

TAKES_OVER = "upgrade: the new program takes over"
DONE = "upgrade: this is version"
REFUSED = "upgrade refused, this program serves on"
UPGRADES = 3 if SOAK else 1
"""One after the other."""


def upgrade(bbs: Bbs, until: str = DONE) -> None:
    """Ask for an upgrade and wait until the log says so."""
    before = bbs.log.read_text().count(until)
    bbs.process.send_signal(signal.SIGUSR2)
    wait_until(lambda: bbs.log.read_text().count(until) > before, until)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program, which a test may change while it runs."""
    folder = tmp_path / "program"
    for package in (telnetd, yawc_poker):
        assert package.__file__
        shutil.copytree(Path(package.__file__).parent, folder / package.__name__)
    return folder


def change(program: Path, module: str, old: str, new: str) -> None:
    text = (program / module).read_text()
    assert old in text
    (program / module).write_text(text.replace(old, new))


def children(bbs: Bbs) -> set[int]:
    return {child.pid for child in serving(bbs.process.pid)}


# --- who is inside ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("afresh")
def test_people_play_on_and_new_ones_come_in(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        anna.bet("5")
        bert.until("Pot:", "25 CUBES")
        listener = psutil.Process(bbs.process.pid)
        pid, sessions, keys, descriptors = bbs.process.pid, children(bbs), semaphores(bbs.data), listener.num_fds()
        upgrade(bbs)
        wait_until(lambda: children(bbs) == sessions, "the end of the stand-in")
        assert semaphores(bbs.data) == keys
        bert.bet("5")
        anna.until("Pot:", "30 CUBES")
        carl = bbs.call().register("Carl").sit()
        bert.hear("Carl sits down")
        assert listener.is_running()
        assert listener.pid == bbs.process.pid == pid
        assert listener.num_fds() == descriptors
        assert bbs.stop() == 0
        for caller in (anna, bert, carl):
            caller.see("The BBS is closing down.")
            caller.ended()
        bbs.close()
        assert not shared_memory(bbs.data).exists()
        assert not any(semaphore_exists(key) for key in keys)
        assert "was killed" not in bbs.log.read_text()
        bbs.is_sound()
        bbs.start()
        owns(bbs.call().log_in("Anna"), 100)


def test_the_new_program_is_the_one_that_is_installed_now(tmp_path: Path, program: Path) -> None:
    change(program, "yawc_poker/config.py", '"Global Village"', '"Old Village"')
    with Bbs(tmp_path / "data", FAST.replace('name = "Testville"', ""), program) as bbs:
        before = bbs.call()
        before.see("Old Village", "Name:")
        change(program, "yawc_poker/config.py", '"Old Village"', '"Newer Village"')
        bbs.call().see("Old Village", "Name:")
        upgrade(bbs)
        bbs.call().see("Newer Village", "Name:")
        before.line("Anna")
        before.see("Anna", "(y/n)")


def test_the_sysops_doors_stay_open_and_their_files_go_at_the_end(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        file, keys = bbs.data / "metrics.sock", semaphores(bbs.data)
        before = file.stat().st_ino
        upgrade(bbs)
        upgrade(bbs)
        assert file.stat().st_ino == before
        assert semaphores(bbs.data) == keys, "nobody was in, and the segment stays"
        bbs.call().register("Anna")
        assert scrape(bbs)("yawc_upgrades_total") == 2
        assert bbs.stop() == 0
        assert not file.exists()


def test_one_upgrade_after_the_other(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    for _ in range(UPGRADES + 1):
        upgrade(bbs)
    anna.press("w")
    anna.see("1 user online.")
    bbs.call().register("Bert")
    segment = Segment.attach(segment_name(bbs.data))
    try:
        assert segment.head.listening_since >= segment.head.created
    finally:
        segment.close()


def test_asked_twice_at_once_it_upgrades_once_or_twice_and_serves(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    bbs.process.send_signal(signal.SIGUSR2)
    wait_until(lambda: len(children(bbs)) == 2, "the check")
    upgrade(bbs)
    anna.press("w")
    anna.see("1 user online.")
    assert "refused" not in bbs.log.read_text()
    wait_until(lambda: len(children(bbs)) == 1, "the end of the checks")


def test_whose_session_dies_during_the_upgrade_is_buried_at_once(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", SLOW) as bbs:
        _, bert = bbs.seat("Anna", "Bert")
        session = bbs.session("Anna")
        upgrade(bbs, TAKES_OVER)
        session.kill()
        bert.hear("Anna was removed")
        wait_until(lambda: records(bbs.data) == 1, "the record of the dead")
        wait_until(lambda: len(children(bbs)) == 1, "its process, which somebody must reap")


def test_limits_count_those_from_before_once(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("max_per_address = 200", "max_per_address = 2")) as bbs:
        anna, bert = (bbs.call().register(name) for name in ("Anna", "Bert"))
        upgrade(bbs)
        refused_one = bbs.call()
        refused_one.see("too many calls from your address")
        refused_one.ended()
        bert.hang_up()
        wait_until(lambda: greeted("127.0.0.1", bbs.port), "a free line")
        anna.press("w")
        anna.see("1 user online.")


def test_an_adopted_session_is_watched_by_the_new_program_too(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", SLOW) as bbs:
        _, bert = bbs.seat("Anna", "Bert")
        bbs.process.kill()
        bbs.close()
        bbs.start()
        upgrade(bbs)
        bbs.session("Anna").kill()
        bert.hear("Anna was removed")


# --- who calls meanwhile ----------------------------------------------------------------------------------------------


def test_whoever_calls_during_an_upgrade_is_served(bbs: Bbs) -> None:
    bbs.process.send_signal(signal.SIGUSR2)
    served = 0
    while DONE not in bbs.log.read_text():
        assert greeted("127.0.0.1", bbs.port)
        served += 1
    assert served > 1
    wait_until(lambda: not children(bbs) and records(bbs.data) == 0, "the end of all sessions")


def test_who_was_let_in_by_the_stand_in_is_watched_and_counted(tmp_path: Path) -> None:
    few = SLOW.replace("max_per_address = 200", "max_per_address = 2")
    with Bbs(tmp_path / "data", few) as bbs:
        anna = bbs.call().register("Anna").sit()
        upgrade(bbs, TAKES_OVER)
        bbs.process.send_signal(signal.SIGSTOP)
        bert = bbs.call().register("Bert").sit()
        bbs.process.send_signal(signal.SIGCONT)
        wait_until(lambda: DONE in bbs.log.read_text(), "the upgrade")
        (by_stand_in,) = {bbs.session("Bert").pid} - children(bbs)
        wait_until(lambda: len(children(bbs)) == 1, "the end of the stand-in")
        bbs.call().see("too many calls from your address")
        psutil.Process(by_stand_in).kill()
        anna.hear("Bert was removed")
        bert.ended()
        wait_until(lambda: greeted("127.0.0.1", bbs.port), "a free line")


def test_the_stand_in_ends_before_a_house_player_who_came_in_at_the_end_of_it(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("players = 0", "")) as bbs:
        anna = bbs.call().register("Anna").sit()
        upgrade(bbs, TAKES_OVER)
        anna.send("++")  # nobody hears of that before the new program does
        anna.hear("* sits down")
        wait_until(lambda: len(children(bbs)) == 2, "the end of the stand-in")


def test_the_stand_in_ends_with_a_listener_that_dies_on_the_way(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna = bbs.call().register("Anna")
        session = bbs.session("Anna")
        upgrade(bbs, TAKES_OVER)
        listener = psutil.Process(bbs.process.pid)
        listener.suspend()
        others = [child for child in listener.children() if child != session and child.name().encode() != NAME]
        listener.kill()
        bbs.close()
        assert len(others) == 1
        assert not psutil.wait_procs(others, DEADLINE)[1]
        bbs.start()
        anna.press("w")
        anna.see("1 user online.")


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("telnetd/listener/first_call.py", "        with self._said:\n"),
        ("yawc_poker/bbs/recovery.py", "            host.examine(config)\n"),
    ],
)
def test_a_fork_of_a_listener_that_does_not_serve_yet_dies_with_it(
    tmp_path: Path, program: Path, module: str, line: str
) -> None:
    """It would keep the ports, and the stand-in, which keeps them, too."""
    indent = " " * (len(line) - len(line.lstrip()))
    stop = f"{indent}import sys; '--check' in sys.argv or os.kill(os.getpid(), {int(signal.SIGSTOP)})\n"
    configuration = tmp_path / "data.toml"
    with Bbs(tmp_path / "data", FAST, program) as bbs:
        configuration.write_text(FAST.replace("rehearse = false\n", ""))  # what the new program does before it serves
        change(program, module, line, stop + line)
        upgrade(bbs, TAKES_OVER)
        wait_until(lambda: bool(stopped(bbs)), "a fork that is stopped")
        left = stopped(bbs)
        bbs.process.kill()
        bbs.close()
        assert not psutil.wait_procs(left, DEADLINE)[1]
        change(program, module, stop, "")
        configuration.write_text(FAST)
        bbs.start()
        bbs.call().see("Name:")


def stopped(bbs: Bbs) -> list[psutil.Process]:
    found = []
    for child in psutil.Process(bbs.process.pid).children():
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            if child.status() == psutil.STATUS_STOPPED:
                found.append(child)
    return found


# --- what must not be lost --------------------------------------------------------------------------------------------


@contextmanager
def thief(lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that tries to get a file's lock all the time; ends with 1 as soon as it has it.

    One that waits for it is woken too late for a lock that is free for a few microseconds.
    """
    script = f"""
import fcntl
file = open({str(lock)!r}, "ab")
print("ready", flush=True)
while True:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        continue
    raise SystemExit(1)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield process
        finally:
            process.kill()


def test_the_data_directory_stays_locked_all_the_time(bbs: Bbs) -> None:
    with thief(bbs.data / "listener.lock") as process:
        for _ in range(UPGRADES):
            upgrade(bbs)
        assert process.poll() is None, "for a moment the lock was free"
    assert "another listener serves it" in refused("--data", bbs.data, "--host", "127.0.0.1", "--port", "0")


def test_a_session_holds_no_lock_of_the_listeners_after_it(tmp_path: Path) -> None:
    """The lock is gone with the listener, also where a session outlives an upgraded one."""
    with Bbs(tmp_path / "data") as bbs:
        anna = bbs.call().register("Anna")
        upgrade(bbs)
        bert = bbs.call().register("Bert")
        bbs.process.kill()
        bbs.close()
        with (bbs.data / "listener.lock").open("ab") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        bbs.start()
        for caller in (anna, bert):
            caller.press("w")
            caller.see("2 users online.")


def test_told_to_end_in_the_middle_of_it_the_bbs_closes_in_good_order(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna = bbs.call().register("Anna")
        upgrade(bbs, TAKES_OVER)
        assert bbs.stop() == 0
        anna.see("The BBS is closing down.")
        anna.ended()
        assert not shared_memory(bbs.data).exists()


def test_told_to_upgrade_and_to_end_at_once_it_ends(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        bbs.process.send_signal(signal.SIGUSR2)
        assert bbs.stop() == 0
        assert not shared_memory(bbs.data).exists()


def test_an_upgrade_asked_of_the_whole_group_ends_nobody(bbs: Bbs) -> None:
    anna = bbs.call()
    anna.see("Name:")
    os.killpg(bbs.process.pid, signal.SIGUSR2)
    wait_until(lambda: DONE in bbs.log.read_text(), "the upgrade")
    anna.register("Anna")


def test_a_new_door_that_cannot_be_opened_stays_shut_and_the_others_are_open(tmp_path: Path, program: Path) -> None:
    with Bbs(tmp_path / "data", FAST, program) as bbs:
        anna = bbs.call().register("Anna")
        change(program, "yawc_poker/doors.py", "telnetd.doors.tls:TlsService", "telnetd.doors.telnet:TelnetService")
        old = "at_port(config.tls)"
        change(program, "yawc_poker/doors.py", old, f"At('127.0.0.1', {bbs.port})")
        upgrade(bbs)
        assert "upgrade: a door stays shut: cannot listen on 127.0.0.1" in bbs.log.read_text()
        anna.press("w")
        anna.see("1 user online.")
        bbs.call().register("Bert")


# --- refused ----------------------------------------------------------------------------------------------------------


def test_a_program_of_another_layout_is_refused_and_says_what_to_do(tmp_path: Path, program: Path) -> None:
    with Bbs(tmp_path / "data", FAST, program) as bbs:
        anna = bbs.call().register("Anna")
        change(program, "yawc_poker/ipc/layout.py", f"LAYOUT_VERSION: Final = {LAYOUT_VERSION}", "LAYOUT_VERSION = 99")
        upgrade(bbs, REFUSED)
        line = bbs.log.read_text().splitlines()[-1]
        assert f"layout {LAYOUT_VERSION}, this program works with 99" in line
        anna.press("w")
        anna.see("1 user online.")
        bbs.call().register("Bert")
        assert TAKES_OVER not in bbs.log.read_text()


def test_a_program_that_cannot_start_is_refused(tmp_path: Path, program: Path) -> None:
    with Bbs(tmp_path / "data", FAST, program) as bbs:
        change(program, "telnetd/listener/daemon.py", "class Listener:", "class Listener(")
        upgrade(bbs, REFUSED)
        assert "SyntaxError" in bbs.log.read_text()
        bbs.call().register("Anna")
        change(program, "telnetd/listener/daemon.py", "class Listener(", "class Listener:")
        upgrade(bbs)
        bbs.call().log_in("Anna")


def test_a_broken_configuration_refuses_the_upgrade(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        (tmp_path / "data.toml").write_text("[poker]\nante = -1\n")
        upgrade(bbs, REFUSED)
        assert "poker.ante" in bbs.log.read_text().splitlines()[-1]
        bbs.call().register("Anna")
        (tmp_path / "data.toml").write_text(FAST.replace("Testville", "Newtown"))
        upgrade(bbs)
        bbs.call().see("Newtown")


# --- under a manager --------------------------------------------------------------------------------------------------


def test_a_manager_hears_of_it_and_the_watchdog_is_fed_on(tmp_path: Path) -> None:
    manager = Manager(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with (
            manager.started([listening], "telnet", {"WATCHDOG_USEC": "400000"}) as daemon,
            TelnetCaller(connected(port)) as anna,
        ):
            manager.hear("READY=1")
            anna.register("Anna")
            daemon.send_signal(signal.SIGUSR2)
            manager.hear("RELOADING=1")
            manager.hear("READY=1")
            manager.hear_all("WATCHDOG=1", "STATUS=callers: 1")
            with TelnetCaller(connected(port)) as bert:
                bert.register("Bert")
            assert manager.log.read_text().count("listening on") == 1
    manager.close()


# --- the check by itself ----------------------------------------------------------------------------------------------


def check(*options: str | Path) -> tuple[int, str, str]:
    done = run("telnetd", ["--check", *map(str, options)], is_forked=not SOAK)
    return done.returncode, done.stdout, done.stderr


def test_check_of_a_place_where_no_bbs_runs_leaves_nothing(tmp_path: Path) -> None:
    code, out, err = check("--data", tmp_path / "data")
    assert (code, err) == (0, "")
    assert out.endswith("can start: the configuration is good, no BBS runs here\n")
    assert not (tmp_path / "data").exists()
    assert not shared_memory(tmp_path / "data").exists()


def test_check_beside_a_running_bbs(bbs: Bbs) -> None:
    before = records(bbs.data)
    code, out, _ = check(*bbs.options())
    assert code == 0
    assert out.endswith("the BBS that runs here has the same layout\n")
    assert records(bbs.data) == before
    bbs.call().register("Anna")


def test_check_of_a_bad_configuration(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[poker]\nante = -1\n")
    code, out, err = check("--config", tmp_path / "bad.toml", "--data", tmp_path)
    assert (code, out) == (78, "")
    assert err.count("\n") == 1
    assert "poker.ante" in err


def test_check_beside_sessions_that_write_databases_of_an_older_layout(bbs: Bbs) -> None:
    connection = sqlite3.connect(bbs.data / BANK_FILE, isolation_level=None)
    [layout] = connection.execute("PRAGMA user_version").fetchone()
    connection.execute(f"PRAGMA user_version = {layout - 1}")
    code, out, err = check(*bbs.options())
    connection.execute(f"PRAGMA user_version = {layout}")
    connection.close()
    assert (code, out) == (69, "")
    assert "has an older layout" in err
    assert err.count("\n") == 1


def test_check_beside_a_segment_of_another_layout(tmp_path: Path) -> None:
    segment = Segment.create(segment_name(tmp_path), Layout(sessions=4, tables=1))
    try:
        segment.head.version = 99
        code, out, err = check("--data", tmp_path)
        assert (code, out) == (69, "")
        assert "layout 99" in err
        assert err.count("\n") == 1
        assert not segment.is_orphaned
    finally:
        segment.close()
        Segment.destroy(segment_name(tmp_path))


def test_a_handover_that_is_none_is_refused(tmp_path: Path) -> None:
    launch = "import os, sys; os.environ['YAWC_HANDOVER'] = f'{os.getpid()}:0'; os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-m", "telnetd", "--data", str(tmp_path), "--host", "127.0.0.1", "--port", "0"]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", launch, *command], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 69
    assert "YAWC_HANDOVER cannot be used" in done.stderr
    assert time.monotonic() - began < DEADLINE
