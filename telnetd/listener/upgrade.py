"""Another program in the same process: the check beforehand, and what is handed over by `exec`.

SIGUSR2 has the listener start the program anew, beside itself, with the command line it was started with and
`--check`. Only if that finds that it could start does the listener become that program. The process stays the same, so
its children stay its children, its lock on the data directory stays held, and its listening sockets stay open. Until
the new program is ready, which takes as long as a start, a stand-in accepts: a fork of the old one, which ends as soon
as the other end of its pipe is closed, by the new program or by its death.

What the new program must know stands in a memory file whose descriptor is in the environment, `YAWC_HANDOVER=PID:FD`.
Fields that it does not know are left out, those that it misses have defaults: either side may be the older one.
"""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from typing import NoReturn

import msgspec

log = logging.getLogger(__name__)

VARIABLE = "YAWC_HANDOVER"
CHECK = "--check"


class HandoverError(Exception):
    """What was handed over cannot be used; `str()` is one line."""


class Child(msgspec.Struct, frozen=True):
    """A process that the listener forked and has not reaped."""

    pid: int
    door: str
    address: str = ""


class StandIn(msgspec.Struct, frozen=True):
    """The process that accepts meanwhile, a child; `pipe` is the descriptor to close when it is to end."""

    pid: int
    pipe: int


class Handover(msgspec.Struct, frozen=True):
    """What goes from program to program."""

    lock: int
    """The descriptor that holds the data directory's lock. It must never be closed, nor a copy of it: either would
    free the lock (fcntl(2))."""
    doors: Mapping[str, Sequence[int]] = {}
    """The descriptors of the listening sockets."""
    files: Sequence[str] = ()
    """The doors whose Unix socket's file is to be removed at the end."""
    children: Sequence[Child] = ()
    stand_in: StandIn | None = None

    @property
    def descriptors(self) -> list[int]:
        """Everything that must stay open."""
        pipe = [self.stand_in.pipe] if self.stand_in else []
        return [self.lock, *pipe, *(one for door in self.doors.values() for one in door)]


class Upgrade:
    """The program to come: it tries itself out in a process of its own; then it is its turn."""

    def __init__(self) -> None:
        self.is_ready = False
        """The check has found that it could start; `become` it."""
        self._pid = 0
        self._output = -1

    def begin(self) -> None:
        """Start the check; one that is at it still is put away."""
        self.cancel()
        try:
            self._output = os.memfd_create("yawc-check")
            to_file = [(os.POSIX_SPAWN_DUP2, self._output, number) for number in (1, 2)]
            command = [*_command(), CHECK]
            self._pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=to_file, setsigmask=())
        except OSError as error:
            self.close()
            log.error("upgrade: the new program cannot be tried out: %s", error.strerror)

    def ended(self, pid: int, status: int) -> None:
        """Take the end of a child; if it is the check's, its verdict counts."""
        if not pid or pid != self._pid:
            return
        with os.fdopen(os.dup(self._output), "rb") as file:
            file.seek(0)
            lines = file.read(1 << 20).decode("utf-8", "replace").strip().splitlines()
        self.close()
        self.is_ready = status == 0
        if not self.is_ready:
            said = lines[-1] if lines else f"it ended with {os.waitstatus_to_exitcode(status)}"
            log.error("upgrade refused, this program serves on: %s", said)

    def cancel(self) -> None:
        """End a check that is at it still."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)  # not reaped yet, so the pid is still its own
            self.close()

    def close(self) -> None:
        """Close what is open for the check, as a forked child must."""
        if self._output >= 0:
            os.close(self._output)
        self._pid, self._output = 0, -1


def run_check(seconds: float = 60.0) -> tuple[int, str]:
    """Run the check and wait for it; gives its exit code, and its last line: the verdict. Raises `OSError`."""
    try:
        done = subprocess.run([*_command(), CHECK], capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return 1, f"the check took longer than {seconds:g} seconds"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, lines[-1] if lines else f"it ended with {done.returncode}"


def become(handover: Handover) -> NoReturn:
    """Become the program that is installed now; raises `OSError`, and then nothing has changed.

    Block the signals that matter before: what comes from then on is pending for the new program.
    """
    memory = os.memfd_create("yawc-handover")
    kept = [memory, *handover.descriptors]
    try:
        os.write(memory, msgspec.json.encode(handover))
        for descriptor in kept:
            os.set_inheritable(descriptor, True)
        os.execve(sys.executable, _command(), {**os.environ, VARIABLE: f"{os.getpid()}:{memory}"})
    finally:
        for descriptor in kept:
            os.set_inheritable(descriptor, False)
        os.close(memory)


def handed_over(environ: MutableMapping[str, str]) -> Handover | None:
    """Take what the program before this one left; None where there was none. Raises `HandoverError`.

    The variable is removed, and no descriptor is inherited further.
    """
    pid, _, memory = environ.pop(VARIABLE, "").partition(":")
    if pid != str(os.getpid()):
        return None
    try:
        with os.fdopen(int(memory), "rb") as file:
            file.seek(0)
            handover = msgspec.json.decode(file.read(), type=Handover)
        for descriptor in handover.descriptors:
            os.set_inheritable(descriptor, False)
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise HandoverError(f"what was handed over in {VARIABLE} cannot be used: {error}") from None
    return handover


def _command() -> list[str]:
    """Give the command line of this process, the interpreter's own options as well."""
    return [sys.executable, *sys.orig_argv[1:]]
