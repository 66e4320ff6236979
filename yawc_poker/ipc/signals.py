"""Signals as wake-ups: they say "look again" and carry no data.

Owns how this process receives signals: they stay blocked, and a signalfd is readable while one is pending. No handler
ever runs, so nothing is interrupted and no wait for a lock is cut short. The session's loop decides what a signal
means, after its selector has reported the descriptor. A wake-up through a handler and a pipe (`signal.set_wakeup_fd`)
would cost the kernel a microsecond more, and the five sessions of a table wait for each other.

Invariants: pending signals are read before anything is looked at, so a signal after the look wakes the next round.
Signals coalesce (a thousand sent, one seen), so they are never counted. They are blocked before other processes learn
our pid, because SIGUSR1 and SIGALRM kill an unprepared process. Children inherit the mask: a child that needs a signal
must unblock it. A thread started before the inbox would receive signals in its place, so there is no such thread; the
handlers are there to make a signal harmless in one.

Waking others: SIGUSR1 would kill a foreign process that has got the pid of a dead session. So wake-ups are sent to an
identity, never to a pid. `process.kill` costs a pidfd, a read of /proc and a signal; a `Waker` caches the pidfds and
pays for the signal only. `os.kill` after a check of the start time would be cheaper than the former, but the pid may be
reused between check and signal.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Collection
from types import FrameType

from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity

SESSION_SIGNALS = (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGWINCH)
"""The signals of a session: broadcasts, alarms, requests to end, the size of the terminal's window."""
JOB_SIGNALS = (signal.SIGTSTP, signal.SIGCONT)
"""Those of the shell to a process on its terminal."""
_MOST = 16
"""Signals read at a time: each is pending at most once, or twice if one was sent to the thread."""
_INFO_BYTES = 128
_NUMBER_AT = 0 if sys.byteorder == "little" else 3
"""Offset of the signal's number in a signalfd_siginfo: the low byte of a 32-bit word."""
_libc = ctypes.CDLL(None, use_errno=True)


class SignalInbox:
    """The signalfd of this process; one at a time. A forked child makes its own, since this one is its parent's."""

    def __init__(self, signals: Collection[int] = SESSION_SIGNALS) -> None:
        """Create the descriptor, then block `signals`; raise `OSError` if there is no free descriptor."""
        self._descriptor = _signalfd(signals)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        self._held = {number for number in signals if number not in before}
        self._previous = {number: signal.signal(number, _ignore) for number in signals}

    def fileno(self) -> int:
        """Return the descriptor, which is readable when a signal has come."""
        return self._descriptor

    def drain(self) -> set[int]:
        """Read the pending signals and return their numbers; an empty set if there are none."""
        try:
            return set(os.read(self._descriptor, _MOST * _INFO_BYTES)[_NUMBER_AT::_INFO_BYTES])
        except BlockingIOError:
            return set()

    def close(self) -> None:
        """Discard pending signals, and restore the previous handlers and mask."""
        while self._held and signal.sigtimedwait(self._held, 0):
            pass
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._held)
        os.close(self._descriptor)


def _signalfd(signals: Collection[int]) -> int:
    """Return a descriptor that is readable while one of these is pending; Python has no function for it."""
    mask = (ctypes.c_uint64 * 16)()  # a sigset_t of libc: 128 bytes
    for number in signals:
        mask[0] |= 1 << number - 1
    descriptor: int = _libc.signalfd(-1, mask, os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return descriptor


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing; never called while the signal is blocked."""


class Waker:
    """Wakes other sessions, through a cache of at most `limit` pidfds."""

    def __init__(self, limit: int = 64) -> None:
        self._pidfds = process.PidfdCache(limit)

    def wake(self, identity: Identity) -> bool:
        """Send SIGUSR1 to exactly this process; return False if it is gone (a zombie may count as woken)."""
        return self._pidfds.send(identity, signal.SIGUSR1)

    def close(self) -> None:
        """Close the pidfds."""
        self._pidfds.close()


def wake(identity: Identity) -> bool:
    """Send SIGUSR1 to exactly this process without a cache; return False if it is gone."""
    return process.kill(identity, signal.SIGUSR1)
