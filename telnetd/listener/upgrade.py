"""Upgrade to another version in the same process: the check beforehand, and the handover through `exec`.

On SIGUSR2 the listener starts the installed program as a child, with its own command line and `--check`. Only if that
reports that it could start does the listener become that program. The process stays the same, so its children stay its
children, its lock on the data directory stays held, and its listening sockets stay open. Until the new program is
ready, which takes as long as a start, a stand-in accepts: a fork of the old one, which ends as soon as the other end of
its pipe is closed, by the new program or by its death.

The handover is in a memory file whose descriptor is in the environment, `YAWC_HANDOVER=PID:FD`. Unknown fields are
ignored and missing ones have defaults: either side may be the older one.
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
    """The handover cannot be used; `str()` is one line."""


class Child(msgspec.Struct, frozen=True):
    """A process that the listener forked and has not reaped."""

    pid: int
    door: str
    address: str = ""


class StandIn(msgspec.Struct, frozen=True):
    """The child that accepts meanwhile; it ends when the descriptor `pipe` is closed."""

    pid: int
    pipe: int


class Handover(msgspec.Struct, frozen=True):
    """The data handed over from program to program."""

    lock: int
    """The descriptor that holds the data directory's lock. Neither it nor a copy may ever be closed: that would
    release the lock (fcntl(2))."""
    doors: Mapping[str, Sequence[int]] = {}
    """The descriptors of the listening sockets."""
    files: Sequence[str] = ()
    """The doors whose Unix socket files must be removed at the end."""
    children: Sequence[Child] = ()
    familiar: Sequence[str] = ()
    """The networks where somebody was logged in lately."""
    stand_in: StandIn | None = None

    @property
    def descriptors(self) -> list[int]:
        """All descriptors that must stay open."""
        pipe = [self.stand_in.pipe] if self.stand_in else []
        return [self.lock, *pipe, *(one for door in self.doors.values() for one in door)]


class Upgrade:
    """The check of the new program, in a child process."""

    def __init__(self) -> None:
        self.is_ready = False
        """The check has succeeded: `become` the new program."""
        self._pid = 0
        self._output = -1

    def begin(self) -> None:
        """Start the check; cancel one that is still running."""
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
        """Handle the end of a child; if it was the check, read its result."""
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
        """Kill a check that is still running."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)  # not reaped yet, so the pid is still its own
            self.close()

    def close(self) -> None:
        """Close the check's output file; forked children do this, too."""
        if self._output >= 0:
            os.close(self._output)
        self._pid, self._output = 0, -1


def run_check(seconds: float = 60.0) -> tuple[int, str]:
    """Run the check and return its exit code and its last line, the result; raise `OSError`."""
    try:
        done = subprocess.run([*_command(), CHECK], capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return 1, f"the check took longer than {seconds:g} seconds"
    lines = (done.stdout if done.returncode == 0 else done.stdout + done.stderr).strip().splitlines()
    return done.returncode, lines[-1] if lines else f"it ended with {done.returncode}"


def become(handover: Handover) -> NoReturn:
    """Become the program that is installed now; raise `OSError`, with nothing changed.

    The caller has blocked the listener's signals; those that come now stay pending for the new program.
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
    """Return the handover of the former program, None if there was none; raise `HandoverError`.

    The variable is removed, and the descriptors become non-inheritable.
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
    """Return the command line of this process, with the interpreter's own options."""
    return [sys.executable, *sys.orig_argv[1:]]
