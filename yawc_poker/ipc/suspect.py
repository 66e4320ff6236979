"""One acquisition of a lock that others wait for: whose, since when, and for how long it was seen to last.

Owns how two acquisitions are told apart. Takes no lock, and never judges a holder: that is `casino.holders`.
"""

from yawc_poker.ipc import process


class Suspect:
    """One acquisition of a lock that was found taken, and for how long this process has watched it.

    That is told by the pid and the kernel's second of the last operation. A lock given back and taken again by one
    process within a second passes for one acquisition; that costs it a second of patience at most. The kernel counts
    the end of any process that once had the lock as an operation, too: of a holder that is stopped at two looks in a
    row, that second says nothing.
    """

    __slots__ = ("kept", "looked", "next_question", "pid", "stopped", "taken")

    def __init__(self, pid: int, taken: float, now: float, patience: float) -> None:
        self.pid = pid
        self.taken = taken
        self.stopped = False
        """It was stopped when the second was found changed last."""
        self.kept = 0.0
        """Seconds of this process's own running time."""
        self.looked = now
        self.next_question = patience
        """Asked about the holder next when `kept` comes to this."""

    def stands_still(self, taken: float) -> bool:
        """Return whether the holder was stopped before and is so now; it holds on, whatever the kernel's second is."""
        self.taken = taken
        return self.stopped and is_stopped(self.pid)


def is_stopped(pid: int) -> bool:
    """Return whether the process under a pid is stopped."""
    who = process.find(pid)
    return who is not None and process.is_stopped(who)
