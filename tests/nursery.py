"""Programs that are forked from a process that has loaded them already: to load one takes longer than most tests.

`python -m tests.nursery` loads the listener and `yawcctl` and waits. For each message it forks a process that takes a
program's arguments, environment and the descriptors that come with them, and is from then on what `python -m MODULE`
would be, but that its passwords cost next to nothing, and that it takes nothing apart when it ends. `make soak` starts
every program by itself, and so do tests that look at a start, at memory or at descriptors (the fixture `afresh`).
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
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import IO, Final, NoReturn, Protocol

from argon2 import PasswordHasher

from yawc_poker.casino.users import passwords
from yawc_poker.session.prefork.allocator import environment_without_cache
from yawc_poker.sysop.__main__ import parser

PROGRAMS: Final = ("telnetd", "yawc_poker.sysop")
SECONDS: Final = 60.0
OWN_PID: Final = "$$"
"""The value of a variable that is to be the process's own pid."""
_LONGEST: Final = 1 << 16
"""Bytes of a message."""
_EARLY: Final = ("PYTHON", "LANG", "LC_", "LD_", "GLIBC_")
"""How the variables begin that decide what a process is before it is any program."""


# --- the process that forks -------------------------------------------------------------------------------------------


def serve(asked: socket.socket) -> None:
    """Fork for each message until the other side is gone."""
    programs = {name: _loaded(name) for name in PROGRAMS}
    load: Callable[[], None] = import_module("yawc_poker.session.run").load
    load()
    parser()
    passwords._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)  # others take 20 ms and 19 MB each
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
        message, passed, _, _ = socket.recv_fds(asked, _LONGEST, 16)
        if not message:
            return
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (heard, wakes):
                os.close(one)
            asked.close()
            module, arguments, environment = json.loads(message)
            _become(module, programs[module], arguments, environment, passed)
        for one in passed:
            os.close(one)
        asked.send(f"{pid} began".encode())


def _loaded(name: str) -> Callable[[], int]:
    """Load all modules of a program, and of its package, that can be loaded here; return what runs it."""
    package = name.partition(".")[0]
    for found in walk_packages(import_module(package).__path__, f"{package}."):
        with suppress(ImportError):  # of what not everybody has
            import_module(found.name)
    program: Callable[[], int] = import_module(f"{name}.__main__").main
    return program


def _bury(asked: socket.socket) -> None:
    """Tell of all children that have ended."""
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            asked.send(f"{found[0]} {os.waitstatus_to_exitcode(found[1])}".encode())
    except ChildProcessError:
        pass


def _become(
    module: str,
    program: Callable[[], int],
    arguments: Sequence[str],
    environment: Mapping[str, str],
    passed: Sequence[int],
) -> NoReturn:
    """Be the program from now on, in a session of its own."""
    os.setsid()
    for number, one in enumerate(passed, 1):
        os.dup2(one, number)
        os.close(one)
    kept = _early(os.environ)
    os.environ.clear()
    for name, value in {**environment, **kept}.items():
        os.environ[name] = str(os.getpid()) if value == OWN_PID else value
    time.tzset()
    sys.argv[:] = [f"{module}/__main__.py", *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", module, *arguments]
    code = 1
    try:
        code = program()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


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
    """A process that has loaded the programs, and those that it forked."""

    def __init__(self) -> None:
        self.early = _early(os.environ)
        self._ended: dict[int, int] = {}
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.nursery", str(theirs.fileno())],
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

    def fork(
        self, module: str, arguments: Sequence[str], descriptors: Sequence[int], environment: Mapping[str, str]
    ) -> int:
        """Run a program with these descriptors, from standard output on; return its pid.

        `environment` is what is added to this process's own.
        """
        message = json.dumps([module, list(arguments), {**_environment(), **environment}]).encode()
        assert len(message) < _LONGEST
        socket.send_fds(self._socket, [message], descriptors)
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

    def __init__(
        self,
        nursery: Nursery,
        module: str,
        arguments: Sequence[str],
        stderr: int,
        stdout: int = subprocess.PIPE,
        further: Sequence[int] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`further` are descriptors that become those from 3 on; `environment` is what is added to this process's."""
        self._nursery = nursery
        reads, writes = os.pipe() if stdout == subprocess.PIPE else (None, stdout)
        self.pid = nursery.fork(module, arguments, [writes, stderr, *further], environment or {})
        self.stdout: IO[str] | None = None
        if reads is not None:
            os.close(writes)
            self.stdout = os.fdopen(reads)
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


_nurseries: dict[int, Nursery] = {}
"""By the process that asks: what a test forks makes its own."""


def nursery(module: str, *more: str) -> Nursery | None:
    """Return the nursery of a program; None: there is none for it, or it would be another process from the start."""
    if module not in PROGRAMS or more:
        return None
    found = _nurseries.get(os.getpid())
    if found is None:
        found = _nurseries[os.getpid()] = Nursery()
    return found if found.early == _early(os.environ) else None


def _environment() -> dict[str, str]:
    """Return the environment but for what pytest changes with each test."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def _early(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_EARLY)}


def run(module: str, arguments: Sequence[str], *, is_forked: bool) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and return what it said, like `subprocess.run`."""
    command = [sys.executable, "-m", module, *arguments]
    found = nursery(module) if is_forked else None
    if found is None:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        pid = found.fork(module, arguments, [out.fileno(), err.fileno()], {})
        code = found.exit_code(pid, SECONDS)
        assert code is not None, f"{command} does not end"
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as mine:
        serve(mine)
