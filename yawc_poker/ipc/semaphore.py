"""Mutexes between processes: System V semaphores with SEM_UNDO, 1 = free, 0 = held.

Owns every wait for a lock: its deadline, its repetition after a signal, the order in which locks may be taken, and what
happens to a holder that keeps one too long. The kernel gives the lock back when its holder dies, however it dies; that
is why these are not POSIX semaphores. Never sets a semaphore's value and never mixes operations with and without undo:
either would break the mutex for good.

Invariants: a lock is released by the process that acquired it; a process takes locks with rising level only; it never
takes one twice. A child starts with nothing held, whatever its parent holds.
"""

import ctypes
import errno
import os
import time
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType
from typing import Self

import sysv_ipc

from yawc_poker.ipc.layout import WORD_LIMIT, Block, Word
from yawc_poker.ipc.suspect import Suspect

PATIENCE = 10.0
"""Seconds one process may keep a lock, before it is taken to be stopped or mad, unless it waits itself."""
TIMEOUT = 30.0
"""Seconds a wait lasts when the caller names no other time; longer than `PATIENCE`, so that breaking can work."""

_SEM_UNDO = 0x1000

Wait = Callable[[sysv_ipc.Semaphore, float], bool]
"""Decrement within so many seconds: True done, False time is up; raises `InterruptedError` when a signal came."""


class Level(IntEnum):
    """The order of locks: whoever holds one may only take higher ones. Two tables at once are out of order too."""

    DIRECTORY = 1
    TABLE = 2
    BANK = 3
    BROADCAST = 4


class LockTimeout(Exception):
    """A lock was not to be had in time. `name` is the lock's, `holder` the pid that took it last (0: not known)."""

    def __init__(self, name: str, holder: int) -> None:
        super().__init__(f"lock {name} not free in time, held by process {holder}")
        self.name = name
        self.holder = holder


class LockSlow(LockTimeout):
    """A lock was not waited for any longer, because its holder itself waits, as for a slow disk."""


class LockGone(Exception):
    """There is no such semaphore (any more): the instance was destroyed, or lives in another IPC namespace."""


class KeyTaken(Exception):
    """Somebody has a semaphore under this key already."""


class LockOrderError(AssertionError):
    """This program is wrong: locks taken out of order or twice, or released without being held."""


def wait_by_extension(semaphore: sysv_ipc.Semaphore, seconds: float) -> bool:
    """Wait with sysv_ipc itself (a `Wait`); needs one built with semtimedop."""
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
    # time_t is a long wherever Linux has 64 bits
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


_libc = ctypes.CDLL(None, use_errno=True)


def wait_by_ctypes(semaphore: sysv_ipc.Semaphore, seconds: float) -> bool:
    """Wait with libc's semtimedop on the same semaphore (a `Wait`); for sysv_ipc wheels that were built without it."""
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
"""What this process holds, in the order taken. SEM_UNDO is not inherited, so a child holds nothing."""
os.register_at_fork(after_in_child=_held.clear)


class LockWatch:
    """What this process does about locks that others keep: one for many locks, none of which is touched to change it.

    `on_wait(mutex, True)` is called before a wait and `on_wait(mutex, False)` after it, in vain or not, so that others
    can see who only waits; never for a lock that is free, nor for one that is not waited for (a timeout of 0).
    `on_work(True)` and `on_work(False)` tell the same of the time under a lock whose holder may wait for a disk.
    `on_stuck(pid)` is asked after every `patience` seconds in which one process kept the lock; it may rid us of that
    process (SEM_UNDO then frees the lock) and says whether it did; it takes no lock itself. Either way a wait goes on
    to its deadline.
    `waits(pid)` says whether a holder waits itself. For one that does, a wait asks `on_slow()` after `slow` seconds
    whether to go on; where it says no, the wait ends with `LockSlow`.

    Patience counts running time: a spell of waiting counts as what was asked for, however long it took, and the time
    between two looks in passing (`Mutex.watch_over`) as `stride` at most. Where all processes stand still for a while,
    nobody has been kept waiting.
    """

    __slots__ = ("on_slow", "on_stuck", "on_wait", "on_work", "patience", "slow", "stride", "suspects", "waits")

    def __init__(self, on_stuck: Callable[[int], bool] | None = None, patience: float = PATIENCE) -> None:
        self.on_stuck = on_stuck
        self.on_wait: Callable[[Mutex, bool], None] | None = None
        self.on_work: Callable[[bool], None] | None = None
        self.waits: Callable[[int], bool] = lambda pid: False
        self.on_slow: Callable[[], bool] = lambda: True
        self.set_patience(patience, patience / 2)
        self.suspects: dict[int, Suspect] = {}
        """By the lock's key, what was found taken last."""

    def set_patience(self, patience: float, stride: float) -> None:
        """Bear a holder for so long, and look in passing so often; both in seconds."""
        self.patience = patience
        self.slow = patience / 5
        self.stride = min(stride, patience / 2)


def make_semaphore(key: int, name: str) -> None:
    """Make a new semaphore, free, for the lock of this name; raise `KeyTaken`.

    The kernel makes it first and fills it after: tell others the key when this has returned, not before.
    """
    try:
        sysv_ipc.Semaphore(key, sysv_ipc.IPC_CREX, mode=0o600, initial_value=1)
    except sysv_ipc.ExistentialError:
        raise KeyTaken(f"lock {name}: key {key:#x} is in use") from None


class Mutex(Block):
    """One lock between processes; `with mutex:` waits at most `TIMEOUT` seconds, as its `LockWatch` says."""

    taken = Word(0)
    """How often the lock has been taken; written by its holder only."""

    def __init__(
        self,
        key: int,
        name: str,
        words: memoryview,
        base: int,
        *,
        level: int,
        watch: LockWatch | None = None,
        wait: Wait = best_wait,
    ) -> None:
        """Open the semaphore that `make_semaphore` made; raise `LockGone`.

        `words[base]` is a 64-bit word that all users of the lock share. Without a watch the lock has one of its own.
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
        self._wait = wait

    @property
    def holder(self) -> int:
        """The pid that took or gave back the lock last; while the lock is held, its holder's. For messages."""
        return self._semaphore.last_pid

    @property
    def is_held(self) -> bool:
        """Whether anybody holds the lock at this moment. For messages and tests, never for decisions."""
        return self._semaphore.value == 0

    @property
    def held_for(self) -> int | None:
        """Whole seconds since the lock was taken, by the kernel's clock; None: free, or removed. For looking only.

        They are too few where a process that once had the lock has ended meanwhile: the kernel counts that, too.
        """
        try:
            return max(0, int(time.time()) - self._semaphore.o_time) if self._semaphore.value == 0 else None
        except sysv_ipc.ExistentialError:
            return None

    def acquire(self, timeout: float = TIMEOUT) -> None:
        """Take the lock; raises `LockTimeout`, `LockGone`, and `LockOrderError` before anything has happened."""
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
        if self.level == Level.BANK and self.watch.on_work is not None:
            self.watch.on_work(True)

    def release(self) -> None:
        """Give the lock back; raises `LockOrderError` where this process does not hold it."""
        if self not in _held:
            raise LockOrderError(f"lock {self.name} released but not held")
        _held.remove(self)
        if self.level == Level.BANK and self.watch.on_work is not None:
            self.watch.on_work(False)
        try:
            self._semaphore.release()
        except sysv_ipc.ExistentialError:
            raise LockGone(f"lock {self.name} was removed") from None

    def watch_over(self) -> None:
        """Look at the lock in passing, as at every tick: a holder that stands still is found though nobody waits."""
        try:
            if self._semaphore.value == 0:
                now = time.monotonic()
                before = self.watch.suspects.get(self.key)
                stride = self.watch.stride
                self._suspect(now, min(now - before.looked, stride) if before else 0.0, stride / 10)
        except sysv_ipc.ExistentialError:
            pass

    def remove(self) -> None:
        """Remove the semaphore from the system; whoever waits gets `LockGone`."""
        try:
            self._semaphore.remove()
        except sysv_ipc.ExistentialError:
            pass

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _check_order(self) -> None:
        for other in _held:
            if other.key == self.key:
                raise LockOrderError(f"lock {self.name} taken twice")
            if other.level >= self.level:
                raise LockOrderError(f"lock {self.name} taken while holding {other.name}")

    def _wait_visibly(self, timeout: float) -> None:
        on_wait = self.watch.on_wait
        if on_wait is None:
            self._wait_for_holder(timeout)
            return
        on_wait(self, True)
        try:
            self._wait_for_holder(timeout)
        finally:
            on_wait(self, False)

    def _wait_for_holder(self, timeout: float) -> None:
        """Wait in short spells and keep an eye on the holder; only one that stays the same is ever asked about.

        A long queue makes a long wait too, but then `last_pid` changes from spell to spell and nobody is blamed. A
        spell ends at the time asked for, or later where this process did not run; then the holder may not have run
        either.
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
        """Note that the lock is taken, so much longer if by the same acquisition; ask about one that lasts.

        Ticks come a moment early or late; by `slack` they need not wait for the next one.
        """
        watch, pid, taken = self.watch, self._semaphore.last_pid, self.taken
        suspect = watch.suspects.get(self.key)
        if suspect is None or suspect.pid != pid or suspect.taken != taken:
            suspect = watch.suspects[self.key] = Suspect(pid, taken, now, watch.patience)
            return suspect
        suspect.looked = now
        suspect.kept += seconds
        if suspect.kept >= suspect.next_question - slack:
            suspect.next_question = suspect.kept + watch.patience
            if watch.on_stuck is not None:
                watch.on_stuck(pid)
        return suspect

    def _try(self, seconds: float) -> bool:
        """Wait so long; signals do not shorten it. What they mean is seen to by the loop, later."""
        deadline = time.monotonic() + seconds if seconds else 0.0
        while True:
            try:
                return self._wait(self._semaphore, seconds)
            except InterruptedError:
                seconds = max(deadline - time.monotonic(), 0.0)


def held() -> tuple[str, ...]:
    """Name the locks this process holds, in the order taken."""
    return tuple(mutex.name for mutex in _held)
