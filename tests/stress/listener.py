"""The listener as a process: started, killed, restarted on the same port and data, and stopped at the end.

The driver is the reaper of a killed listener's sessions: they become the driver's children, so none is missed in the
count at the end.
"""

import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import psutil

from tests.certificates import make_certificate
from tests.disk import CC, Disk
from tests.end_to_end.door_program import lay_out
from tests.end_to_end.tls import section
from tests.ports import free_ports
from tests.stress.figures import Figures
from tests.stress.view import View
from yawc_poker.ipc.segment import Segment, SegmentError, segment_name

_PR_SET_CHILD_SUBREAPER = 36
END_SECONDS = 60.0
LAST = 10.0
"""Seconds within which whoever has nothing more to do ends, on a busy machine."""
PATIENCE = 3.0
"""Seconds that a process may keep a lock without waiting itself: as long as the longest stop of a session."""

CONFIG = """
[bbs]
name = "Testville"
start_cubes = {start_cubes}
cubes_per_hour = 0
hold_seconds = 3
[telnet]
registrations_per_hour = 0
max_sessions = {sessions}
max_per_address = {sessions}
[web]
resume_seconds = 3
[poker]
tables = {tables}
turn_seconds = {turn}
master_seconds = {master}
reveal_seconds = 4  # who is stopped and does not reveal holds a table up for less than one may stand
pause_seconds = 0.2
[maumau]
tables = {maumau}
turn_seconds = {turn}
master_seconds = {master}
reveal_seconds = 4  # who is stopped and does not reveal holds a table up for less than one may stand
pause_seconds = 0.2
rounds = 1
max_clients = 1000
[doppelkopf]
tables = {doppelkopf}
turn_seconds = {turn}
master_seconds = {master}
reveal_seconds = 4  # who is stopped and does not reveal holds a table up for less than one may stand
pause_seconds = 0.2
rounds = 2
[offiziersskat]
tables = {offiziersskat}
turn_seconds = {turn}
master_seconds = {master}
reveal_seconds = 4  # who is stopped and does not reveal holds a table up for less than one may stand
pause_seconds = 0.2
[house]
pace = [0.05, 0.5]
[exchange]
hour_seconds = 2
[engine]
tick_seconds = {tick}
duty_seconds = {duty}
patience_seconds = {patience}
"""


def prepare_driver() -> None:
    """Adopt orphans, and raise the limit of descriptors for the listener, which needs one per caller."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Listener:
    """`telnetd` on a data directory of its own, under `folder`."""

    def __init__(self, folder: Path, config: str, figures: Figures) -> None:
        self.data = folder / "data"
        self.log = folder / "telnetd.log"
        self._config = folder / "yawc.toml"
        self.tls_port, self.wire_port, self.web_port, self.rlogin_port = self._ports()
        self.files = None if shutil.which("openssl") is None else make_certificate(folder)
        told = config + ("" if self.files is None else section(self.tls_port, self.files))
        if find_spec("telnetd.extras.rlogin") is not None:
            told += f'[rlogin]\nport = {self.rlogin_port}\nfrom_hosts = ["127.0.0.1"]\n'
        self._config.write_text(told)
        can_call = find_spec("yawc_poker.extras.ssh_door") is not None and shutil.which("socat") is not None
        self.door = lay_out(folder / "door") if can_call else None
        """The program that sshd runs for a caller; None where it was taken off, or nobody can give it a terminal."""
        self._figures = figures
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.disk = None if CC is None else Disk(folder)
        """The slow disk of its databases; None without a C compiler."""
        self.is_dead = False
        """Whether it was killed, and none was started in its place yet."""
        self.is_away = False
        """Whether it was killed, or all of its host was killed, stopped or cut off, and is not back."""
        self._view: View | None = None

    def _ports(self) -> Sequence[int]:
        """Return ports for telnet in TLS, Mau-Mau's wire, browsers and rlogin."""
        return free_ports(4)

    def start(self) -> None:
        """Start it for the first time; wait until callers can connect."""
        self._spawn()
        assert self.process is not None
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
        if found is None:
            raise RuntimeError(f"the listener says {line!r}: {self.log.read_text()}")
        self.port = int(found[1])

    def start_again(self) -> None:
        """Start a new one in place of a killed one, without waiting."""
        self._close()
        self._spawn()

    def signal(self, number: int) -> None:
        """Send it a signal, if it runs."""
        if self.process is not None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Kill it, and wait until it is gone: then its lock on the data directory is free."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.is_dead = True

    @property
    def view(self) -> View | None:
        """Its shared memory as it is now; None where there is none at the moment."""
        if self._view is None or self._view.segment.is_orphaned:
            self._view = None
            with suppress(SegmentError):
                self._view = View(Segment.attach(segment_name(self.data)))
        return self._view

    @property
    def hears(self) -> bool:
        """Whether the listener started last is so far that a signal does not end it."""
        view = None if self.is_away else self.view
        serving = None if view is None else view.segment.head.listener
        return self.process is not None and serving is not None and serving.pid == self.process.pid

    def look_after(self) -> None:
        """Reap orphans; restart a listener that ended without having been told to."""
        self.reap()
        if self.process is not None and self.process.poll() is not None:
            held = ", ".join(self._holders()) or "nobody any more"
            self._figures.driver.append(
                f"a listener ended by itself with {self.process.returncode}; its ports are held by {held}"
            )
            self.start_again()

    def _holders(self) -> list[str]:
        """Return the processes that listen where this listener is to: whose they are, and how they are."""
        found = []
        for one in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                ports = {at.laddr.port for at in one.net_connections("tcp") if at.status == psutil.CONN_LISTEN}
                if ports & {self.port, self.wire_port, self.web_port, self.tls_port}:
                    found.append(
                        f"{one.pid} ({one.name()}, {one.status()}, {time.time() - one.create_time():.1f} s old)"
                    )
        return found

    def reap(self) -> None:
        """Reap adopted sessions; the listener's own exit code is left to `subprocess`."""
        while (found := ended_child()) is not None:
            if self.process is not None and found == self.process.pid:
                return
            os.waitpid(found, os.WNOHANG)

    def stop(self) -> int | None:
        """Send SIGTERM; return the exit code, None for a listener that had to be killed."""
        if self.process is None:
            return None
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        finally:
            self._close()

    def left_over(self) -> list[str]:
        """Return the processes that are still alive after some seconds in which they may end."""
        until = time.monotonic() + LAST
        while True:
            self.reap()
            left = [one for one in psutil.Process().children(recursive=True) if _lives(one)]
            if not left or time.monotonic() > until:
                break
            time.sleep(0.02)
        names = [f"process {one.pid} ({one.status()})" for one in left]
        for one in left:
            one.kill()
        return names

    def _spawn(self) -> None:
        self.is_dead = False
        self.spawned = time.monotonic()
        command = (
            f"-m telnetd --config {self._config} --data {self.data} --host 127.0.0.1 --port {self.port}"
            f" --wire-port {self.wire_port} --web-port {self.web_port}"
        )
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, *command.split()],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | ({} if self.disk is None else self.disk.environment),
            )

    def _close(self) -> None:
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()


def ended_child() -> int | None:
    """Return a child that has ended and waits to be reaped."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if found is None else found.si_pid


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
