"""Signals as a bell: they say "look again" and carry nothing.

Owns this process's wakeup descriptor and its handlers. A handler does nothing but note its own number: it never draws,
locks, reads or writes shared memory, raises or exits. What a signal means is decided by the session's loop, after its
selector saw the pipe.

Invariants: the pipe is drained before anything is looked at, so that a signal after the look wakes the next round;
signals coalesce (a thousand sent, one seen), so nobody counts them; the handlers stand before others learn our pid, for
SIGUSR1 and SIGALRM kill a process that has none.

Ringing others: a foreign process that has inherited a dead session's pid would be killed by SIGUSR1, so a bell is rung
at an identity, never at a pid. `process.kill` costs a pidfd, a look into /proc and a signal; a `Ringer` keeps the
pidfds of those it rang and pays for the signal only. Bare `os.kill` after a look at the start time would be cheaper
than the former, but between look and signal the pid may pass on.
"""

import os
import signal
from collections.abc import Collection
from types import FrameType

from yawc_poker.ipc import process
from yawc_poker.ipc.process import Identity

SESSION_SIGNALS = (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGWINCH)
"""What a session listens to: broadcasts, alarms, the end asked for by others, the terminal's window."""
_MOST = 512
"""Signals taken out of the pipe at a time."""


class Bell:
    """This process's bell; one at a time. A forked child makes its own: until then it would wake its parent."""

    def __init__(self, signals: Collection[int] = SESSION_SIGNALS) -> None:
        """Make the pipe, then install handlers for `signals`."""
        self._reading, self._writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._came: set[int] = set()
        self._previous_fd = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        self._previous = {number: signal.signal(number, self._note) for number in signals}

    def fileno(self) -> int:
        """Give the descriptor that is readable when a signal has come."""
        return self._reading

    def drain(self) -> set[int]:
        """Empty the pipe and give the numbers of the signals that came; an empty set if none did.

        The numbers are in the pipe; only when that ran full (65536 signals undrained) are the handlers' notes needed.
        A number may come once more with the next drain, which does no harm: it says "look". Less than was asked for is
        all there was.
        """
        found, self._came = self._came, set()
        try:
            while True:
                data = os.read(self._reading, _MOST)
                found.update(data)
                if len(data) < _MOST:
                    return found
        except BlockingIOError:
            return found

    def close(self) -> None:
        """Put the previous handlers and wakeup descriptor back and close the pipe."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._previous_fd)
        os.close(self._reading)
        os.close(self._writing)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came.add(number)


class Ringer:
    """Rings other sessions, and remembers a pidfd of each of the last `limit` it met."""

    def __init__(self, limit: int = 64) -> None:
        self._pidfds = process.Pidfds(limit)

    def ring(self, identity: Identity) -> bool:
        """Send SIGUSR1 to this very process; False if it is gone (a zombie may still count as rung, to no effect)."""
        return self._pidfds.send(identity, signal.SIGUSR1)

    def close(self) -> None:
        """Close the pidfds."""
        self._pidfds.close()


def ring(identity: Identity) -> bool:
    """Send SIGUSR1 to this very process, once, remembering nothing; False if it is gone."""
    return process.kill(identity, signal.SIGUSR1)
