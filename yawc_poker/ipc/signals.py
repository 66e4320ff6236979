"""Signals as a bell: they say "look again" and carry nothing.

Owns what this process hears by: its signals are held back (blocked) for good, and a signalfd is readable when one is
pending. No handler ever runs: nothing is interrupted, no wait for a lock is cut short. What a signal means is decided
by the session's loop, after its selector saw the descriptor. To be woken through a handler and a pipe, as
`signal.set_wakeup_fd` would have it, takes the kernel a microsecond more, and five at a table wait for each other.

Invariants: pending signals are taken before anything is looked at, so that one after the look wakes the next round;
signals coalesce (a thousand sent, one seen), so nobody counts them; they are held back before others learn our pid, for
SIGUSR1 and SIGALRM kill a process that is not prepared. The mask goes down to children: who forks one that shall heed
a signal lets it in there. A thread from before the bell would take signals away from it, so there is none; that they
would do no harm there is what a handler is left for.

Ringing others: a foreign process that has inherited a dead session's pid would be killed by SIGUSR1, so a bell is rung
at an identity, never at a pid. `process.kill` costs a pidfd, a look into /proc and a signal; a `Waker` keeps the
pidfds of those it rang and pays for the signal only. Bare `os.kill` after a look at the start time would be cheaper
than the former, but between look and signal the pid may pass on.
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
"""What a session listens to: broadcasts, alarms, the end asked for by others, the terminal's window."""
_MOST = 16
"""Signals taken at a time: each is pending once, or twice where one was sent to the very thread."""
_INFO_BYTES = 128
_NUMBER_AT = 0 if sys.byteorder == "little" else 3
"""Where its number lies in what the kernel tells of a signal: the low byte of a word of four."""
_libc = ctypes.CDLL(None, use_errno=True)


class SignalInbox:
    """This process's bell; one at a time. A forked child makes its own: this one would tell it of its own signals."""

    def __init__(self, signals: Collection[int] = SESSION_SIGNALS) -> None:
        """Make the descriptor, then hold `signals` back. Raises `OSError` where there is no descriptor to be had."""
        self._descriptor = _signalfd(signals)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        self._held = {number for number in signals if number not in before}
        self._previous = {number: signal.signal(number, _ignore) for number in signals}

    def fileno(self) -> int:
        """Give the descriptor that is readable when a signal has come."""
        return self._descriptor

    def drain(self) -> set[int]:
        """Take the signals that have come and give their numbers; an empty set if none did."""
        try:
            return set(os.read(self._descriptor, _MOST * _INFO_BYTES)[_NUMBER_AT::_INFO_BYTES])
        except BlockingIOError:
            return set()

    def close(self) -> None:
        """Forget what has come since the last look, and put the previous handlers and mask back."""
        while self._held and signal.sigtimedwait(self._held, 0):
            pass
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._held)
        os.close(self._descriptor)


def _signalfd(signals: Collection[int]) -> int:
    """Make a descriptor that is readable while one of these is pending; Python has no name for it."""
    mask = (ctypes.c_uint64 * 16)()  # a sigset_t of libc: 128 bytes
    for number in signals:
        mask[0] |= 1 << number - 1
    descriptor: int = _libc.signalfd(-1, mask, os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return descriptor


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing; while the signal is held back nobody calls this."""


class Waker:
    """Rings other sessions, and remembers a pidfd of each of the last `limit` it met."""

    def __init__(self, limit: int = 64) -> None:
        self._pidfds = process.PidfdCache(limit)

    def wake(self, identity: Identity) -> bool:
        """Send SIGUSR1 to this very process; False if it is gone (a zombie may still count as rung, to no effect)."""
        return self._pidfds.send(identity, signal.SIGUSR1)

    def close(self) -> None:
        """Close the pidfds."""
        self._pidfds.close()


def wake(identity: Identity) -> bool:
    """Send SIGUSR1 to this very process, once, remembering nothing; False if it is gone."""
    return process.kill(identity, signal.SIGUSR1)
