"""Identities of processes: the calling process's own, whether another is alive, and a signal to exactly that process.

A pid alone is not an identity, because the kernel reuses it. Pid and start time are, to the precision of a clock tick;
the random token in the directory covers the rest. The start time is the raw tick count since boot from
`/proc/<pid>/stat`, never psutil's `create_time`: that is computed from the boot time, which moves with the wall clock,
so two processes (or one process, before and after a clock change) may disagree about the same start. It also costs
three times as much.

Process 1 belongs to the system and must not be signalled, but in a container it may be our listener. It is accepted
only if its command line says so, and then identified by its start time like all others.

Invariants: nothing here ever signals pid 0 or a negative pid (groups, everybody), nor process 1 unless it is our
listener; a zombie counts as dead.
"""

import ctypes
import os
import select
import signal
import time
from pathlib import Path
from typing import Final, NamedTuple

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_LISTENER = (b"yawc-telnetd", b"telnetd")
"""Names in a listener's command line: the command, or the module (`python -m telnetd`)."""
_EXEC_SECONDS = 0.1
"""Longest wait for the command line of a process that becomes another program."""
_LOOK_SECONDS = 0.001
_PR_SET_PDEATHSIG: Final = 1
"""From linux/prctl.h."""


class Identity(NamedTuple):
    """A process: its pid and its start time in clock ticks since boot."""

    pid: int
    start: int


REMOTE: Final = Identity(0, 0)
"""Stands for every process of another host. It is never alive here, and never signalled."""


def me() -> Identity:
    """Return the identity of the calling process; never cached, because it changes in a forked child."""
    pid = os.getpid()
    look = _stat(pid)
    if look is None:
        raise RuntimeError("this process cannot see itself in /proc; is /proc mounted?")
    return Identity(pid, look[1])


def may_be_ours(pid: int) -> bool:
    """Return whether a process with this pid may be one of ours: process 1 only if it is a listener."""
    return pid > 1 or (pid == 1 and _is_listener())


def _is_listener() -> bool:
    """Return whether process 1 was started as a listener; it still was if it has become another program since.

    While it becomes another program, as in an upgrade, the kernel shows no command line for a moment.
    """
    until = time.monotonic() + _EXEC_SECONDS
    try:
        while not (line := Path("/proc/1/cmdline").read_bytes()) and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
    except OSError:
        return False
    return any(word.rpartition(b"/")[2] in _LISTENER for word in line.split(b"\0"))


def find(pid: int) -> Identity | None:
    """Return the identity of the live process with this pid; None if there is none, or it cannot be one of ours."""
    look = _stat(pid) if may_be_ours(pid) else None
    return None if look is None or look[0] in b"ZX" else Identity(pid, look[1])


def is_alive(identity: Identity) -> bool:
    """Return whether exactly this process is running or stopped; a zombie or a later process with its pid is not."""
    return find(identity.pid) == identity


def is_stopped(identity: Identity) -> bool:
    """Return whether exactly this process is stopped (SIGSTOP, a debugger)."""
    return activity(identity).stopped


class Activity(NamedTuple):
    """The state of a process at this moment."""

    stopped: bool = False
    """By SIGSTOP or a debugger."""
    blocked: bool = False
    """Inside the kernel, which waits for a disk or the like; not even SIGKILL takes effect there."""
    seconds: float = 0.0
    """Processor time used so far."""


def activity(identity: Identity) -> Activity:
    """Return the state of exactly this process; an empty one if it is dead."""
    look = _stat(identity.pid) if may_be_ours(identity.pid) else None
    if look is None or look[1] != identity.start:
        return Activity()
    return Activity(look[0] in b"Tt", look[0] in b"D", look[2] / _TICKS_PER_SECOND)


def has_mapped(identity: Identity, segment: str) -> bool:
    """Return whether exactly this process has mapped a POSIX segment (name with slash); False if not permitted."""
    if not may_be_ours(identity.pid):
        return False
    try:
        maps = Path(f"/proc/{identity.pid}/maps").read_text(errors="replace")
    except OSError:
        return False
    mapped = any(line.endswith(f"/dev/shm{segment}") for line in maps.splitlines())
    return mapped and is_alive(identity)


def kill(identity: Identity, number: int) -> bool:
    """Send a signal to exactly this process; return False if it is dead, another user's, or cannot be one of ours.

    Race-free: the pidfd is opened first and the start time compared afterwards. A process that still has this identity
    then had it when the pidfd was opened, so the pidfd refers to it.
    """
    descriptor = open_pidfd(identity)
    if descriptor is None:
        return False
    try:
        return send(descriptor, number)
    finally:
        os.close(descriptor)


def kill_and_wait(identity: Identity, seconds: float) -> bool:
    """Kill exactly this process and wait for its death, for at most `seconds`; return whether it is dead.

    The kernel releases the locks of a killed process a moment before its death can be observed.
    """
    descriptor = open_pidfd(identity)
    if descriptor is None:
        return True
    try:
        send(descriptor, signal.SIGKILL)
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        return bool(poller.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def die_with(parent: int) -> None:
    """Let the kernel kill the calling process when its parent dies, which had this pid at the fork.

    So nothing that it has inherited stays open after its parent, and it does nothing beside its parent's successor.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def open_pidfd(identity: Identity) -> int | None:
    """Return a pidfd, which refers to exactly this process for ever; None if it is dead. The caller closes it."""
    if not may_be_ours(identity.pid):
        return None
    try:
        descriptor = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        return None
    if is_alive(identity):
        return descriptor
    os.close(descriptor)
    return None


class PidfdCache:
    """An LRU cache of at most `limit` pidfds.

    A check or a signal by pidfd takes a microsecond; parsing `/proc` to identify the process takes ten. All sessions at
    a table signal each other, and check each other at each tick.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pidfds: dict[Identity, int] = {}
        self.poller = select.poll()
        """Ready as soon as one of those processes has ended."""

    def send(self, identity: Identity, number: int) -> bool:
        """Send a signal to exactly this process; return False if it is gone (a zombie may count as reached).

        Raise `OSError` if there is no free descriptor.
        """
        pidfd = self._pidfds.get(identity) or self._get(identity)
        if pidfd is None:
            return False
        try:
            signal.pidfd_send_signal(pidfd, number)
        except (ProcessLookupError, PermissionError):
            self._drop(identity)
            return False
        return True

    def is_alive(self, identity: Identity) -> bool:
        """Return what the function `is_alive` returns; raise `OSError` if there is no free descriptor."""
        pidfd = self._get(identity)
        if pidfd is None:
            return False
        if all(ended != pidfd for ended, _ in self.poller.poll(0)):
            return True
        self._drop(identity)
        return False

    def prune(self) -> None:
        """Drop the pidfds of processes that have ended."""
        for ended, _ in self.poller.poll(0):
            for identity in [one for one, pidfd in self._pidfds.items() if pidfd == ended]:
                self._drop(identity)

    def close(self) -> None:
        """Close all pidfds."""
        for identity in tuple(self._pidfds):
            self._drop(identity)

    def _get(self, identity: Identity) -> int | None:
        pidfd = self._pidfds.pop(identity, None)
        if pidfd is not None:
            self._pidfds[identity] = pidfd  # to the end: the least recently used one is dropped first
        else:
            pidfd = open_pidfd(identity)
            if pidfd is None:
                return None
            if len(self._pidfds) >= self._limit:
                self._drop(next(iter(self._pidfds)))
            self._pidfds[identity] = pidfd
            self.poller.register(pidfd, select.POLLIN)  # readable once the process has ended, a zombie too
        return pidfd

    def _drop(self, identity: Identity) -> None:
        pidfd = self._pidfds.pop(identity)
        self.poller.unregister(pidfd)
        os.close(pidfd)


def send(pidfd: int, number: int) -> bool:
    """Send a signal through a pidfd; return False if its process is gone or belongs to another user."""
    try:
        signal.pidfd_send_signal(pidfd, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _stat(pid: int) -> tuple[int, int, int] | None:
    """Return (state letter, start ticks, ticks of processor time), None if there is no such process.

    Only "no such process" counts as absence: taking, say, a lack of descriptors for a death would purge live sessions.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            line = file.read(1024)
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name is in parentheses and may itself contain parentheses and blanks: count from the last one.
    fields = line.rpartition(b")")[2].split()
    return fields[0][0], int(fields[19]), int(fields[11]) + int(fields[12])
