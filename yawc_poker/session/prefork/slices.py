"""Who goes first when several processes want one processor: a caller who is logged in, before all others.

Linux 6.12 and later let a process that wakes preempt a running one at once if its time slice is shorter; otherwise the
running one keeps the processor for its slice of some milliseconds, whatever its priority. So a session has a long slice
until its caller has logged in, and a house player always has; then a session has a short one, unless its caller sends
more than a person types. So a storm of calls, a house player that thinks and the listener's own work do not delay the
keys of those who play. Everybody's share of the processors stays the same. Older kernels ignore it.
"""

import ctypes
import os
import platform
import struct
from contextlib import suppress

LONG_SLICE = 0.1
"""Seconds; the longest that Linux takes. An ordinary slice is some three milliseconds."""
SHORT_SLICE = 0.0005
"""Shorter than any ordinary one, on machines of one processor as well."""
LEAVING_NICE = 10
"""Priority of a process that serves nobody any more: what takes longest then is to give its memory back."""
_NUMBER = {"x86_64": 314, "aarch64": 274}.get(platform.machine())
"""Of the system call `sched_setattr`, for which there is no function in the C library."""
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
"""Size, policy, flags, nice value, priority, slice in nanoseconds, deadline, period."""
_syscall = getattr(ctypes.CDLL(None), "syscall", None)


def let_others_first() -> None:
    """Let every other process that wakes preempt this one at once."""
    _set_slice(LONG_SLICE)


def go_as_usual() -> None:
    """Take the slice of an ordinary process again."""
    _set_slice(0.0)


def go_first() -> None:
    """Preempt every other process at once but those that do the same."""
    _set_slice(SHORT_SLICE)


def let_others_pass() -> None:
    """Lower the priority: nobody waits for the rest of this process, and hundreds may end at once."""
    let_others_first()
    with suppress(OSError):  # a service may not be allowed to
        os.nice(LEAVING_NICE)


def _set_slice(seconds: float) -> None:
    """Set the calling process's slice; 0: the usual one. Where that is not possible, nothing changes."""
    if _syscall is None or _NUMBER is None:
        return
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    _syscall(_NUMBER, 0, _ATTRIBUTES.pack(_ATTRIBUTES.size, os.SCHED_OTHER, 0, nice, 0, round(seconds * 1e9), 0, 0), 0)
