"""What the tests of the listener look at: its segment, its semaphores, its processes, and how it refuses to start."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller
from tests.kernel import semaphore_exists
from tests.nursery import run
from tests.processes import serving
from tests.thoroughness import SOAK
from yawc_poker.ipc.segment import Segment, segment_name


def shared_memory(data: Path) -> Path:
    return Path("/dev/shm") / segment_name(data).removeprefix("/")


def semaphores(data: Path) -> list[int]:
    """Keys of the semaphores that the segment's head names; all of them exist."""
    segment = Segment.attach(segment_name(data))
    keys = [lock.key for lock in segment.locks]
    segment.close()
    assert all(semaphore_exists(key) for key in keys)
    return keys


def records(data: Path) -> int:
    """Records that are taken in the directory."""
    segment = Segment.attach(segment_name(data))
    taken = sum(1 for record in segment.records if record.token)
    segment.close()
    return taken


def telnetd(*options: str | Path, module: Sequence[str] = ("telnetd",)) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", *module, *map(str, options)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def scraped(data: Path) -> str:
    """Return what the Unix socket for metrics answers."""
    answer = b""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.settimeout(DEADLINE)
        asked.connect(str(data / "metrics.sock"))
        with suppress(BrokenPipeError):  # refused before it was asked; the answer is there all the same
            asked.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        with suppress(ConnectionResetError):
            while more := asked.recv(65536):
                answer += more
    return answer.decode()


def refused(*options: str | Path, module: Sequence[str] = ("telnetd",)) -> str:
    """Start a daemon that must not start, and give the one line it says."""
    name, *before = module
    done = run(name, [*before, *map(str, options)], is_forked=not SOAK)
    assert done.stdout == ""
    assert done.returncode > 0
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("yawc-telnetd: ")
    return done.stderr


@contextmanager
def opened(*options: str | Path) -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """A daemon, and the host and port it announces."""
    with telnetd(*options) as daemon:
        assert daemon.stdout is not None
        found = re.fullmatch(r"listening on (\S+):(\d+)\n", daemon.stdout.readline())
        assert found
        try:
            yield daemon, found[1], int(found[2])
        finally:
            daemon.send_signal(signal.SIGTERM)
            out, err = daemon.communicate(timeout=DEADLINE)
        assert (daemon.returncode, out) == (0, ""), err


def greeted(host: str, port: int) -> bool:
    """Somebody who calls there is asked for his name."""
    seen = b""
    with socket.create_connection((host, port), timeout=DEADLINE) as connection:
        while b"Name:" not in seen:
            data = connection.recv(4096)
            if not data:
                return False
            seen += data
    return True


def kill_all(*towns: Bbs) -> None:
    """SIGKILL to the listeners and to every session at one moment, so that nobody can tidy up after another."""
    listeners = [psutil.Process(bbs.process.pid) for bbs in towns]
    for one in listeners:
        one.suspend()
    sessions = [child for listener in listeners for child in listener.children(recursive=True)]
    for one in sessions:
        one.suspend()
    for one in (*listeners, *sessions):
        one.kill()
    _, dying = psutil.wait_procs(sessions, DEADLINE)  # who starts before that takes over what they leave
    assert not dying
    for bbs in towns:
        bbs.close()


def kill_listener(bbs: Bbs) -> list[psutil.Process]:
    """SIGKILL to the listener alone; gives the sessions it leaves."""
    listener = psutil.Process(bbs.process.pid)
    sessions = serving(listener.pid)
    listener.kill()
    bbs.close()
    return sessions


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it was reaped between these two looks
        return False


def owns(caller: Caller, cubes: int) -> None:
    caller.see(f"You own {cubes} CUBES.")
