"""Processes, told apart for certain: who am I, does he still live, send him a signal and nobody else.

A pid alone is no identity: the kernel hands it out again. Pid and start time are, down to one clock tick; the random
token in the directory covers the rest. The start time is the raw tick count since boot from `/proc/<pid>/stat`, never
psutil's `create_time`: that one is reckoned from the boot time, which moves with the wall clock, so that two processes
(or one process, before and after a clock change) may disagree about the same start, and it costs three times as much.

Process 1 is the system's own, which nobody here may signal, but in a container it may be our listener: it counts where
its command line says so, and then by its start time as everybody else does.

Invariants: nothing here ever signals pid 0 or a negative pid (groups, everybody), nor another process 1 than our
listener; a zombie is dead.
"""

import os
import select
import signal
from pathlib import Path
from typing import NamedTuple

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_LISTENER = (b"yawc-telnetd", b"telnetd")
"""What a listener's command line has in it: the command, or the module (`python -m telnetd`)."""


class Identity(NamedTuple):
    """A process: its pid and its start time in clock ticks since boot."""

    pid: int
    start: int


def me() -> Identity:
    """Give the identity of the calling process; read anew every time, for it changes in a forked child."""
    pid = os.getpid()
    look = _stat(pid)
    if look is None:
        raise RuntimeError("this process cannot see itself in /proc; is /proc mounted?")
    return Identity(pid, look[1])


def may_be_ours(pid: int) -> bool:
    """Return whether a process of this number may be one of ours: process 1 only where it is a listener."""
    return pid > 1 or (pid == 1 and _is_listener())


def _is_listener() -> bool:
    """Return whether process 1 was started as a listener; one that becomes another program still was."""
    try:
        words = Path("/proc/1/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(word.rpartition(b"/")[2] in _LISTENER for word in words)


def find(pid: int) -> Identity | None:
    """Give the identity of whatever lives under a pid now; None for no process of ours, for nobody and for a zombie."""
    look = _stat(pid) if may_be_ours(pid) else None
    return None if look is None or look[0] in b"ZX" else Identity(pid, look[1])


def is_alive(identity: Identity) -> bool:
    """Say whether this very process still runs (or is stopped); a zombie and a successor under its pid do not count."""
    return find(identity.pid) == identity


def is_stopped(identity: Identity) -> bool:
    """Say whether this very process is stopped (SIGSTOP, a debugger)."""
    return activity(identity).stopped


class Activity(NamedTuple):
    """What a process does at this moment."""

    stopped: bool = False
    """By SIGSTOP or a debugger."""
    blocked: bool = False
    """Inside the kernel, which waits for a disk or the like; not even SIGKILL is heard there."""
    seconds: float = 0.0
    """Processor time it has used so far."""


def activity(identity: Identity) -> Activity:
    """Return what this very process does; nothing, if it is dead."""
    look = _stat(identity.pid) if may_be_ours(identity.pid) else None
    if look is None or look[1] != identity.start:
        return Activity()
    return Activity(look[0] in b"Tt", look[0] in b"D", look[2] / _TICKS_PER_SECOND)


def has_mapped(identity: Identity, segment: str) -> bool:
    """Say whether this very process has a POSIX segment (its name with the slash) in its memory; no, if not allowed."""
    if not may_be_ours(identity.pid):
        return False
    try:
        maps = Path(f"/proc/{identity.pid}/maps").read_text(errors="replace")
    except OSError:
        return False
    mapped = any(line.endswith(f"/dev/shm{segment}") for line in maps.splitlines())
    return mapped and is_alive(identity)


def kill(identity: Identity, number: int) -> bool:
    """Send a signal to this very process; False if it is dead, another's, or none of ours.

    Race-free: the pidfd is opened first and the start time compared after. Whoever bore this identity before and bears
    it still was there when the pidfd was opened, so the pidfd is his.
    """
    descriptor = open_pidfd(identity)
    if descriptor is None:
        return False
    try:
        return send(descriptor, number)
    finally:
        os.close(descriptor)


def kill_and_wait(identity: Identity, seconds: float) -> bool:
    """Kill this very process and wait until it is dead, so many seconds at most; return whether it is.

    The kernel gives back a killed process's locks a moment before its death is to be seen.
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


def open_pidfd(identity: Identity) -> int | None:
    """Open a descriptor that stands for this very process for ever; None if it is dead. The caller closes it."""
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
    """A pidfd of each of the last `limit` processes that one had to do with again and again.

    To ask or to signal by one takes a microsecond, the kernel's text about a process, to find out that it is the same
    one still, ten times that: everybody at a table rings everybody else, and looks after him at each tick.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pidfds: dict[Identity, int] = {}
        self.poller = select.poll()
        """Has something to tell as soon as one of those processes has ended."""

    def send(self, identity: Identity, number: int) -> bool:
        """Send a signal to this very process; False if it is gone (a zombie may still count as reached, to no effect).

        Raises `OSError` where there is no descriptor to be had.
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
        """Say what `is_alive` says. Raises `OSError` where there is no descriptor to be had."""
        pidfd = self._get(identity)
        if pidfd is None:
            return False
        if all(ended != pidfd for ended, _ in self.poller.poll(0)):
            return True
        self._drop(identity)
        return False

    def prune(self) -> None:
        """Let go of those that have ended."""
        for ended, _ in self.poller.poll(0):
            for identity in [one for one, pidfd in self._pidfds.items() if pidfd == ended]:
                self._drop(identity)

    def close(self) -> None:
        """Close them."""
        for identity in tuple(self._pidfds):
            self._drop(identity)

    def _get(self, identity: Identity) -> int | None:
        pidfd = self._pidfds.pop(identity, None)
        if pidfd is not None:
            self._pidfds[identity] = pidfd  # behind all others: the one that was not asked for longest is dropped first
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
    """Send a signal through a pidfd; False if its process is gone or belongs to another user."""
    try:
        signal.pidfd_send_signal(pidfd, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _stat(pid: int) -> tuple[int, int, int] | None:
    """Read (state letter, start ticks, ticks of processor time), None if there is no such process.

    Only "no such process" counts as absence: taking, say, a lack of descriptors for a death would purge the living.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            line = file.read(1024)
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name is in brackets and may itself hold brackets and blanks: count from the last one.
    fields = line.rpartition(b")")[2].split()
    return fields[0][0], int(fields[19]), int(fields[11]) + int(fields[12])
