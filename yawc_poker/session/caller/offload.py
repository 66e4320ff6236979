"""Offloaded work: a child process does what takes long while the session's loop goes on.

Made for passwords: checking one takes 20 ms of a processor that others play on, and 19 MB. So the child lowers its
priority (nice), and of all such children of a BBS only as many work at once as there are processors. The others queue
for locks on a file, which the kernel releases however they end. Owns that child from fork to wait. The child touches no
database, no segment and no line; its answer comes back through a pipe.
"""

import fcntl
import logging
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from yawc_poker.ipc.events import Event, Ready
from yawc_poker.session.loop.loop import Loop

log = logging.getLogger(__name__)

NICE = 5
NICE_LONG = 2 * NICE
"""Lower in priority than other work apart: what takes a processor for long, so that nobody who plays waits for it."""
FEWEST_SLOTS = 2
_CHUNK = 65536
_QUIET = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGALRM, signal.SIGWINCH)
"""Signals that a session listens to; its child has their default actions."""


def run_apart(
    work: Callable[[], bytes],
    queue: Path,
    loop: Loop,
    meanwhile: Callable[[Event], None],
    *,
    nice: int = NICE,
    keys: bool = False,
) -> bytes:
    """Do `work` in a child and return its answer, which is never empty; `meanwhile` gets every event.

    Keys wait until then, unless `keys` says otherwise; whatever `meanwhile` raises ends the work. Where no process can
    be forked, or the child is lost, the work is done here.
    """
    try:
        errand = Errand(work, queue, nice)
    except OSError as error:
        log.warning("no process for an errand: %s", error.strerror)
        return work()
    try:
        with loop.watching(errand.fileno()):
            while True:
                event = loop.next(keys=keys)
                meanwhile(event)
                if isinstance(event, Ready) and (answer := errand.take()) is not None:
                    return answer
    except ErrandFailed as error:
        log.warning("%s", error)
        return work()
    finally:
        errand.close()


class ErrandFailed(Exception):
    """The child ended without an answer."""


class Errand:
    """One piece of work under way. Raise `OSError` where no process can be forked."""

    def __init__(self, work: Callable[[], bytes], queue: Path, nice: int) -> None:
        """Begin; `queue` is the file whose locks limit the children, and `nice` lowers their priority."""
        self._reading, writing = os.pipe2(os.O_CLOEXEC)
        self._found = b""
        try:
            self._pid = _fork()
        except OSError:
            os.close(self._reading)
            os.close(writing)
            raise
        if self._pid == 0:
            _run(work, queue, nice, writing)
        os.close(writing)
        os.set_blocking(self._reading, False)

    def fileno(self) -> int:
        """Return the descriptor that is readable when there is news."""
        return self._reading

    def take(self) -> bytes | None:
        """Read without waiting; return the answer once it is complete, else None.

        Raise `ErrandFailed`.
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
    """Fork with the session's signals blocked, as its inbox keeps them; the child takes their default actions."""
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


def _run(work: Callable[[], bytes], queue: Path, nice: int, writing: int) -> None:
    """Do the child's work; never return. An answer is never empty, so that an empty one means none."""
    code = 1
    try:
        # If the session were killed, the descriptors that this child inherited would keep the caller's connection open.
        os.closerange(3, writing)
        os.closerange(writing + 1, os.sysconf("SC_OPEN_MAX"))
        _wait_for_slot(queue, nice)
        os.write(writing, work())
        code = 0
    finally:
        os._exit(code)


def _wait_for_slot(queue: Path, nice: int) -> None:
    """Lower the priority, and wait until fewer children than processors work; the process's end frees the slot."""
    with suppress(OSError):  # a service may not be allowed to
        os.nice(nice)
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
