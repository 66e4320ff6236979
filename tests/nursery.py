"""Programs that are forked from a process that has loaded them already: to load one takes longer than most tests.

`python -m tests.nursery MODULE` loads a program and waits. For each message it forks a process that takes the program's
arguments and the two descriptors that come with them, and is from then on what `python -m MODULE` would be.
`make soak` starts every program by itself, and so do tests that look at a start, at memory or at descriptors (the
fixture `afresh`).
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Protocol

from yawc_poker.session.prefork.allocator import environment_without_cache

LOADED = {"telnetd": ("telnetd.cli", "yawc_poker.session.run"), "yawc_poker.sysop": ()}
"""What each program loads later than at its first line."""
SECONDS = 60.0


# --- the process that forks -------------------------------------------------------------------------------------------


def serve(module: str, asked: socket.socket) -> int | None:
    """Fork for each message until the other side is gone. In a process that was forked, return its exit code."""
    program: Callable[[], int] = import_module(f"{module}.__main__").main
    for name in LOADED[module]:
        import_module(name)
    if module == "telnetd":
        load: Callable[[], None] = import_module("yawc_poker.session.run").load
        load()
    gc.collect()
    gc.freeze()  # what is forked need not look at all that again
    heard, wakes = os.pipe()
    os.set_blocking(wakes, False)
    os.set_blocking(heard, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wakes)
    while True:
        ready, _, _ = select.select([asked.fileno(), heard], [], [])
        if heard in ready:
            os.read(heard, 4096)
            _bury(asked)
        if asked.fileno() not in ready:
            continue
        message, passed, _, _ = socket.recv_fds(asked, 1 << 16, 2)
        if not message:
            return None
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (heard, wakes):
                os.close(one)
            asked.close()
            return _become(module, program, json.loads(message), passed)
        for one in passed:
            os.close(one)
        asked.send(f"{pid} began".encode())


def _bury(asked: socket.socket) -> None:
    """Tell of all children that have ended."""
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            asked.send(f"{found[0]} {os.waitstatus_to_exitcode(found[1])}".encode())
    except ChildProcessError:
        pass


def _become(module: str, program: Callable[[], int], arguments: Sequence[str], passed: Sequence[int]) -> int:
    """Be the program from now on, in a session of its own."""
    os.setsid()
    for number, one in enumerate(passed, 1):
        os.dup2(one, number)
        os.close(one)
    sys.argv[:] = [f"{module}/__main__.py", *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", module, *arguments]
    return program()


# --- the tests' side --------------------------------------------------------------------------------------------------


class Process(Protocol):
    """What tests ask of a program that runs, whether it was started or forked."""

    @property
    def pid(self) -> int: ...
    @property
    def stdout(self) -> IO[str] | None: ...
    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def kill(self) -> None: ...


class Nursery:
    """A process that has loaded a program, and those that it forked."""

    def __init__(self, module: str) -> None:
        self.environment = _environment()
        self._ended: dict[int, int] = {}
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.nursery", module, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=environment_without_cache(_environment()),
                cwd=Path(__file__).parents[1],
                start_new_session=True,
            )
        atexit.register(self.close)

    def close(self) -> None:
        """End it; what it forked goes on."""
        self._socket.close()
        self._process.wait(SECONDS)

    def fork(self, arguments: Sequence[str], stdout: int, stderr: int) -> int:
        """Run the program with these arguments and descriptors, and return its pid."""
        socket.send_fds(self._socket, [json.dumps(list(arguments)).encode()], [stdout, stderr])
        while (pid := self._hear()) is None:
            pass
        return pid

    def exit_code(self, pid: int, seconds: float) -> int | None:
        """Wait until it has ended, at most so long, and return its exit code; None: it runs."""
        until = time.monotonic() + seconds
        while pid not in self._ended and select.select([self._socket], [], [], max(0.0, until - time.monotonic()))[0]:
            self._hear()
        return self._ended.get(pid)

    def _hear(self) -> int | None:
        """Take a message; return the pid that it tells of if that has begun."""
        words = self._socket.recv(100).decode().split()
        assert words, "the nursery is gone"
        pid, what = int(words[0]), words[1]
        if what == "began":
            return pid
        self._ended[pid] = int(what)
        return None


class Forked:
    """A program that was forked."""

    def __init__(self, nursery: Nursery, arguments: Sequence[str], stderr: int) -> None:
        """Its standard output is a pipe to `stdout`."""
        self._nursery = nursery
        reads, writes = os.pipe()
        self.pid = nursery.fork(arguments, writes, stderr)
        os.close(writes)
        self.stdout: IO[str] | None = os.fdopen(reads)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return its exit code; None: it runs."""
        if self.returncode is None:
            self.returncode = self._nursery.exit_code(self.pid, 0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, and return its exit code. Raise `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self.returncode = self._nursery.exit_code(self.pid, SECONDS if timeout is None else timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(["nursery"], timeout or SECONDS)
        return self.returncode

    def send_signal(self, sig: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        """Send SIGKILL, unless it has ended."""
        self.send_signal(signal.SIGKILL)


_nurseries: dict[tuple[int, str], Nursery] = {}
"""By the process that asks, and by module: what a test forks makes its own."""


def nursery(module: str, *more: str) -> Nursery | None:
    """Return the nursery of a program; None: there is none for it, or it would have another environment."""
    if module not in LOADED or more:
        return None
    key = os.getpid(), module
    if key not in _nurseries:
        _nurseries[key] = Nursery(module)
    found = _nurseries[key]
    return found if found.environment == _environment() else None


def _environment() -> dict[str, str]:
    """Return the environment but for what pytest changes with each test."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def run(module: str, arguments: Sequence[str], *, is_forked: bool) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and return what it said, like `subprocess.run`."""
    command = [sys.executable, "-m", module, *arguments]
    found = nursery(module) if is_forked else None
    if found is None:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        pid = found.fork(arguments, out.fileno(), err.fileno())
        code = found.exit_code(pid, SECONDS)
        assert code is not None, f"{command} does not end"
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[2])) as mine:
        sys.exit(serve(sys.argv[1], mine))
