"""An errand: work that takes long, done by a child process while the session's loop goes on.

Made for passwords: to look at one takes 20 ms and 19 MB of a processor that others play on. So the child is nice to
them, and of all errands of a BBS only as many work at once as there are processors; the others queue at a file that the
kernel locks and, however they end, unlocks. Owns that child from birth to burial. The child touches no database, no
segment, no line; what it found out comes back through a pipe.
"""

import fcntl
import logging
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from yawc_poker.session.loop.events import Event, Ready
from yawc_poker.session.loop.loop import Loop

log = logging.getLogger(__name__)

NICE = 5
FEWEST_SLOTS = 2
_CHUNK = 65536
_QUIET = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGALRM, signal.SIGWINCH)
"""Signals that a session listens to; its child has no ears but for the default."""


def run_apart(work: Callable[[], bytes], queue: Path, loop: Loop, meanwhile: Callable[[Event], None]) -> bytes:
    """Have a child do `work` and give its answer, which is never empty; `meanwhile` gets every event but keys.

    Where there is no process to be had, or it is lost, it is done here.
    """
    try:
        errand = Errand(work, queue)
    except OSError as error:
        log.warning("no process for an errand: %s", error.strerror)
        return work()
    try:
        with loop.watching(errand.fileno()):
            while True:
                event = loop.next(keys=False)
                meanwhile(event)
                if isinstance(event, Ready) and (answer := errand.take()) is not None:
                    return answer
    except ErrandFailed as error:
        log.warning("%s", error)
        return work()
    finally:
        errand.close()


class ErrandFailed(Exception):
    """The child did not come back with an answer."""


class Errand:
    """One piece of work under way. Raises `OSError` where there is no process to be had."""

    def __init__(self, work: Callable[[], bytes], queue: Path) -> None:
        """Begin; `queue` is the file that errands queue at."""
        self._reading, writing = os.pipe2(os.O_CLOEXEC)
        self._found = b""
        try:
            self._pid = _fork()
        except OSError:
            os.close(self._reading)
            os.close(writing)
            raise
        if self._pid == 0:
            _run(work, queue, writing)
        os.close(writing)
        os.set_blocking(self._reading, False)

    def fileno(self) -> int:
        """Give the descriptor that is readable when there is news."""
        return self._reading

    def take(self) -> bytes | None:
        """Take what has come, without waiting; None: more is to come.

        Raises `ErrandFailed`.
        """
        try:
            data = os.read(self._reading, _CHUNK)
        except BlockingIOError:
            return None
        self._found += data
        if data:
            return None
        if not self._found:
            raise ErrandFailed(f"process {self._pid} ended without an answer")
        return self._found

    def close(self) -> None:
        """End it, done or not."""
        os.close(self._reading)
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)  # not reaped yet, so the pid is still its own
        os.waitpid(self._pid, 0)


def _fork() -> int:
    """Fork with the session's signals held back, as they are while it has a bell; the child heeds them as any does."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*_QUIET, signal.SIGUSR1))
    try:
        pid = os.fork()
        if pid == 0:
            for number in _QUIET:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
            before -= set(_QUIET)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pid


def _run(work: Callable[[], bytes], queue: Path, writing: int) -> None:
    """Be the child; never returns. An answer is never empty, so that none is told from silence."""
    code = 1
    try:
        # What the session holds open is its own: were it killed, its caller would hang on to a line that this keeps.
        os.closerange(3, writing)
        os.closerange(writing + 1, os.sysconf("SC_OPEN_MAX"))
        _wait_for_slot(queue)
        os.write(writing, work())
        code = 0
    finally:
        os._exit(code)


def _wait_for_slot(queue: Path) -> None:
    """Be nice, and wait until fewer errands than processors are under way; this process's end gives the slot back."""
    with suppress(OSError):  # a service may be forbidden to be nice
        os.nice(NICE)
    with suppress(OSError):  # no room for a file: then without a queue
        file = os.open(queue, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        slots = range(max(FEWEST_SLOTS, len(os.sched_getaffinity(0))))
        if not any(_try_lock(file, slot) for slot in slots):
            fcntl.lockf(file, fcntl.LOCK_EX, 1, random.choice(slots))


def _try_lock(file: int, slot: int) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
    except BlockingIOError:
        return False
    return True
