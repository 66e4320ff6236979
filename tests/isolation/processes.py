"""Forked children and a lock between processes, for the tests of the databases."""

import fcntl
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

CHILD_SECONDS = 100
"""No child outlives this, whatever becomes of its test."""


class FileLock:
    """A mutex between processes, which the kernel frees when its holder dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: int | None = None

    def __enter__(self) -> None:
        self._held = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_EX)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._held is not None
        os.close(self._held)
        self._held = None


def fork(work: Callable[[], None]) -> int:
    """Run `work` in a child, which never returns: it ends with 0, or 1 where `work` raised. Returns its pid."""
    if pid := os.fork():
        return pid
    code = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(CHILD_SECONDS)
        work()
        code = 0
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(code)


def exit_code(pid: int) -> int:
    """Wait for a child; negative: the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
