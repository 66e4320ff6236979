"""Mutexes between processes: System V semaphores with SEM_UNDO, 1 = free, 0 = held.

Owns every wait for a lock: its deadline, its retry after a signal, the order in which locks may be taken, and how a
holder that keeps one too long is noticed. The kernel releases the lock when its holder dies for any reason; that is why
these are not POSIX semaphores. Never sets a semaphore's value and never mixes operations with and without undo: either
would break the mutex for good. Never judges a holder: that is `casino.instance.lock_holders`.

Invariants: a lock is released by the process that acquired it; a process takes locks in rising order of level; it never
takes one twice. A forked child holds no locks.
"""

import ctypes
import errno
import os
import time
from collections.abc import Callable
from enum import IntEnum
from typing import Self

import msgspec
import sysv_ipc

from yawc_poker.ipc.layout import WORD_LIMIT, Block, Word

PATIENCE = 10.0
"""Seconds a process may keep a lock before it is taken to be stopped or looping, unless it is itself waiting."""
TIMEOUT = 30.0
"""Default timeout of a wait in seconds; longer than `PATIENCE`, so that a stuck holder can be killed meanwhile."""

_SEM_UNDO = 0x1000
Wait = Callable[[sysv_ipc.Semaphore, float], bool]
"""Decrement within the given seconds; return False on timeout. Raises `InterruptedError` when a signal came."""


class LockLevel(IntEnum):
    """The order of locks: the holder of one may only take higher ones. Two tables at once are out of order too."""

    DIRECTORY = 1
    TABLE = 2
    BANK = 3
    BROADCAST = 4


class LockTimeout(Exception):
    """A lock was not free in time. `name` is the lock's, `holder` the pid that took it last (0: not known)."""

    def __init__(self, name: str, holder: int) -> None:
        super().__init__(f"lock {name} not free in time, held by process {holder}")
        self.name = name
        self.holder = holder


class LockSlow(LockTimeout):
    """A wait was given up because the holder is itself waiting, perhaps for a slow disk."""


class LockGone(Exception):
    """The semaphore does not exist (any more): the instance was destroyed, or is in another IPC namespace."""


class KeyTaken(Exception):
    """A semaphore with this key exists."""


class LockOrderError(AssertionError):
    """A bug in this program: locks taken out of order or twice, or released without being held."""


def wait_by_extension(semaphore: sysv_ipc.Semaphore, seconds: float) -> bool:
    """Wait with sysv_ipc (a `Wait`), which must have been built with semtimedop."""
    try:
        semaphore.acquire(seconds)
    except sysv_ipc.BusyError:
        return False
    except sysv_ipc.ExistentialError:
        raise
    except sysv_ipc.Error as error:
        if "Signaled" in str(error):
            raise InterruptedError from None
        raise
    return True


class _Operation(ctypes.Structure):
    _fields_ = (("number", ctypes.c_ushort), ("change", ctypes.c_short), ("flags", ctypes.c_short))


class _Timespec(ctypes.Structure):
    # time_t is a long on 64-bit Linux
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


_libc = ctypes.CDLL(None, use_errno=True)


def wait_by_ctypes(semaphore: sysv_ipc.Semaphore, seconds: float) -> bool:
    """Wait with libc's semtimedop on the same semaphore (a `Wait`), for sysv_ipc wheels built without it."""
    operation = _Operation(0, -1, _SEM_UNDO)
    timeout = _Timespec(int(seconds), int(seconds % 1 * 1e9))
    result: int = _libc.semtimedop(semaphore.id, ctypes.byref(operation), ctypes.c_size_t(1), ctypes.byref(timeout))
    if result == 0:
        return True
    code = ctypes.get_errno()
    if code == errno.EAGAIN:
        return False
    if code == errno.EINTR:
        raise InterruptedError
    if code in (errno.EIDRM, errno.EINVAL):
        raise sysv_ipc.ExistentialError("the semaphore was removed")
    raise OSError(code, os.strerror(code))


best_wait: Wait = wait_by_extension if sysv_ipc.SEMAPHORE_TIMEOUT_SUPPORTED else wait_by_ctypes

_held: list["Mutex"] = []
"""Locks held by this process, in the order taken. SEM_UNDO is not inherited, so a child holds none."""
os.register_at_fork(after_in_child=_held.clear)


class Suspect(msgspec.Struct):
    """One acquisition of a lock that was found taken, and for how long this process has watched it.

    An acquisition is identified by the pid of the last operation and the number of times the lock has been taken. The
    kernel's time of the last operation would not do: it changes when any process that once had the lock ends.
    """

    pid: int
    taken: int
    looked: float
    next_question: float
    """`on_stuck` is called next when `kept` reaches this."""
    kept: float = 0.0
    """Seconds of this process's own running time."""
    used: float | None = None
    """Processor time in seconds, where `on_stuck` notes what the holder had used when it was first left alone."""


class LockWatch:
    """The policy of this process towards locks that others hold; one policy serves many locks.

    `on_wait(mutex, True)` is called before a wait and `on_wait(mutex, False)` after it, successful or not, so that
    others can see that this process is waiting. It is not called for a free lock, nor with a timeout of 0.
    `on_work(True)` and `on_work(False)` do the same around a lock whose holder may wait for a disk.
    `on_stuck(suspect)` is called after every `patience` seconds of one acquisition. It may kill the process that keeps
    the lock (SEM_UNDO then frees it), returns whether it did, and takes no lock. The wait goes on either way.
    `waits(pid)` returns whether a holder is itself waiting. If so, a wait calls `on_slow()` after `slow` seconds, and
    ends with `LockSlow` if that returns False.

    Patience counts running time: a spell of waiting counts as the time asked for, and the time between two checks in
    passing (`Mutex.check`) as at most `stride`. If all processes stand still for a while, no holder is blamed.
    """

    __slots__ = ("on_slow", "on_stuck", "on_wait", "on_work", "patience", "slow", "stride", "suspects", "waits")

    def __init__(self, on_stuck: Callable[[Suspect], bool] | None = None, patience: float = PATIENCE) -> None:
        self.on_stuck = on_stuck
        self.on_wait: Callable[[Mutex, bool], None] | None = None
        self.on_work: Callable[[bool], None] | None = None
        self.waits: Callable[[int], bool] = lambda pid: False
        self.on_slow: Callable[[], bool] = lambda: True
        self.set_patience(patience, patience / 2)
        self.suspects: dict[int, Suspect] = {}
        """The acquisition found last, by the lock's key."""

    def set_patience(self, patience: float, stride: float) -> None:
        """Set how long a holder is tolerated, and how often locks are checked in passing; both in seconds."""
        self.patience = patience
        self.slow = patience / 5
        self.stride = min(stride, patience / 2)


def make_semaphore(key: int, name: str) -> None:
    """Create a free semaphore for the lock of this name; raise `KeyTaken`.

    The kernel creates it first and sets its value afterwards: publish the key only after this has returned.
    """
    try:
        sysv_ipc.Semaphore(key, sysv_ipc.IPC_CREX, mode=0o600, initial_value=1)
    except sysv_ipc.ExistentialError:
        raise KeyTaken(f"lock {name}: key {key:#x} is in use") from None


class Mutex(Block):
    """One lock between processes; `with mutex:` waits at most `TIMEOUT` seconds, as its `LockWatch` says."""

    taken = Word(0)
    """How often the lock has been taken; written by the holder only."""

    def __init__(
        self,
        key: int,
        name: str,
        words: memoryview,
        base: int,
        *,
        level: int,
        watch: LockWatch | None = None,
    ) -> None:
        """Open the semaphore that `make_semaphore` created; raise `LockGone`.

        `words[base]` is a 64-bit word shared by all users of the lock. Without a watch the lock gets its own.
        """
        super().__init__(words, base)
        try:
            self._semaphore = sysv_ipc.Semaphore(key)
        except (sysv_ipc.ExistentialError, sysv_ipc.PermissionsError):
            raise LockGone(f"lock {name}: no semaphore of ours has key {key:#x}") from None
        self._semaphore.undo = True
        self.key = key
        self.name = name
        self.level = level
        self.watch = watch or LockWatch()
        self.wait = best_wait

    @property
    def holder(self) -> int:
        """The pid that took or released the lock last; while it is held, the holder's. For messages."""
        return self._semaphore.last_pid

    @property
    def is_held(self) -> bool:
        """Whether the lock is held at this moment. For messages and tests, never for decisions."""
        return self._semaphore.value == 0

    @property
    def held_for(self) -> int | None:
        """Whole seconds since the lock was taken, by the kernel's clock, or None if there is none. For display only.

        Too low if a process that once had the lock has ended since: the kernel counts that as an operation.
        """
        try:
            return max(0, int(time.time()) - self._semaphore.o_time) if self._semaphore.value == 0 else None
        except sysv_ipc.ExistentialError:
            return None

    def acquire(self, timeout: float = TIMEOUT) -> None:
        """Take the lock; raise `LockTimeout`, `LockGone`, or `LockOrderError` before anything has happened."""
        self._check_order()
        try:
            if not self._try(0.0):
                if timeout <= 0:
                    raise LockTimeout(self.name, self.holder)
                self._wait_visibly(timeout)
        except sysv_ipc.ExistentialError:
            raise LockGone(f"lock {self.name} was removed") from None
        self.taken = (self.taken + 1) & WORD_LIMIT
        _held.append(self)
        if self.level == LockLevel.BANK and self.watch.on_work is not None:
            self.watch.on_work(True)

    def release(self) -> None:
        """Release the lock; raise `LockOrderError` if this process does not hold it."""
        if self not in _held:
            raise LockOrderError(f"lock {self.name} released but not held")
        _held.remove(self)
        if self.level == LockLevel.BANK and self.watch.on_work is not None:
            self.watch.on_work(False)
        try:
            self._semaphore.release()
        except sysv_ipc.ExistentialError:
            raise LockGone(f"lock {self.name} was removed") from None

    def check(self) -> None:
        """Check the lock in passing, at every tick: so a stuck holder is found although nobody waits."""
        try:
            if self._semaphore.value == 0:
                now = time.monotonic()
                before = self.watch.suspects.get(self.key)
                stride = self.watch.stride
                self._suspect(now, min(now - before.looked, stride) if before else 0.0, stride / 10)
        except sysv_ipc.ExistentialError:
            pass

    def remove(self) -> None:
        """Remove the semaphore from the system; processes that wait for it get `LockGone`."""
        try:
            self._semaphore.remove()
        except sysv_ipc.ExistentialError:
            pass

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _check_order(self) -> None:
        for other in _held:
            if other.key == self.key:
                raise LockOrderError(f"lock {self.name} taken twice")
            if other.level >= self.level:
                raise LockOrderError(f"lock {self.name} taken while holding {other.name}")

    def _wait_visibly(self, timeout: float) -> None:
        on_wait = self.watch.on_wait or (lambda mutex, waits: None)
        on_wait(self, True)
        try:
            self._wait_for_holder(timeout)
        finally:
            on_wait(self, False)

    def _wait_for_holder(self, timeout: float) -> None:
        """Wait in short spells and watch the holder; `on_stuck` is called only for one that stays the same.

        In a long queue `last_pid` changes from spell to spell, and no holder is blamed. A spell ends when asked, or
        later if this process did not run; then the holder may not have run either.
        """
        watch, waited = self.watch, 0.0
        suspect = self._suspect(time.monotonic(), 0.0)
        while waited < timeout:
            if suspect.kept >= watch.slow and watch.waits(suspect.pid) and not watch.on_slow():
                raise LockSlow(self.name, suspect.pid)
            spell = min(timeout - waited, max(min(watch.patience / 10, watch.slow / 4), 0.001))
            if self._try(spell):
                return
            waited += spell
            suspect = self._suspect(time.monotonic(), spell)
        raise LockTimeout(self.name, self.holder)

    def _suspect(self, now: float, seconds: float, slack: float = 0.0) -> Suspect:
        """Record that the lock is taken, for `seconds` more if by the same acquisition; report one that lasts.

        Ticks come a moment early or late; `slack` seconds keep an early one from putting the report off to the next.
        """
        watch, pid, taken = self.watch, self._semaphore.last_pid, self.taken
        suspect = watch.suspects.get(self.key)
        if suspect is None or suspect.pid != pid or suspect.taken != taken:
            watch.suspects[self.key] = suspect = Suspect(pid, taken, now, watch.patience)
            return suspect
        suspect.looked = now
        suspect.kept += seconds
        if suspect.kept >= suspect.next_question - slack:
            suspect.next_question = suspect.kept + watch.patience
            if watch.on_stuck is not None:
                watch.on_stuck(suspect)
        return suspect

    def _try(self, seconds: float) -> bool:
        """Wait for up to `seconds`, however many signals come; the event loop handles them later."""
        deadline = time.monotonic() + seconds if seconds else 0.0
        while True:
            try:
                return self.wait(self._semaphore, seconds)
            except InterruptedError:
                seconds = max(deadline - time.monotonic(), 0.0)


def held() -> tuple[str, ...]:
    """Return the names of the locks this process holds, in the order taken."""
    return tuple(mutex.name for mutex in _held)
