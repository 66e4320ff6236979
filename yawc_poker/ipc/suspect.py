"""One acquisition of a lock that others wait for: whose, and for how long it was seen to last.

Owns how two acquisitions are told apart. Takes no lock, and never judges a holder: that is
`casino.instance.lock_holders`.
"""


class Suspect:
    """One acquisition of a lock that was found taken, and for how long this process has watched it.

    An acquisition is told by the pid of the last operation and by how often the lock has been taken. The kernel's
    second of the last operation would not do: the end of any process that once had the lock changes it.
    """

    __slots__ = ("kept", "looked", "next_question", "pid", "taken")

    def __init__(self, pid: int, taken: int, now: float, patience: float) -> None:
        self.pid = pid
        self.taken = taken
        self.kept = 0.0
        """Seconds of this process's own running time."""
        self.looked = now
        self.next_question = patience
        """Asked about the holder next when `kept` comes to this."""
