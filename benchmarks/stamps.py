"""Records of receivers in other processes: the number they have read, when, and how many commands that were.

Owns an anonymous shared mapping of three words per receiver. A receiver writes the time first and the number last, so
each number has its time. All clocks are the machine's monotonic clock, in nanoseconds.
"""

import mmap
import time

DEADLINE = 20.0
POLL = 0.0002
"""Seconds between polls: a poster that spins would take a core from the measured processes."""
_WORDS = 3


class Lost(Exception):
    """A receiver did not record a number in time."""


class Stamps:
    """The records of some receivers; created before they are forked."""

    def __init__(self, receivers: int) -> None:
        self._memory = mmap.mmap(-1, 8 * _WORDS * receivers)
        self._words = memoryview(self._memory).cast("Q")
        self.receivers = receivers

    def note(self, receiver: int, number: int, commands: int = 1) -> None:
        """Record, as a receiver, that everything up to this number is read, and the commands since the last record."""
        now = time.monotonic_ns()
        at = _WORDS * receiver
        self._words[at + 1] = now
        self._words[at + 2] += commands
        self._words[at] = number

    def here(self, receiver: int) -> None:
        """Record, as a receiver, that it listens."""
        self._words[_WORDS * receiver + 1] = 1

    @property
    def all_here(self) -> bool:
        """Whether all listen."""
        return all(self._words.tolist()[1::_WORDS])

    @property
    def commands(self) -> list[int]:
        """Return the number of commands that each has read."""
        return self._words.tolist()[2::_WORDS]

    def wait_for_all(self) -> None:
        """Wait until all listen; raise `Lost`."""
        deadline = time.monotonic() + DEADLINE
        while not self.all_here:
            if time.monotonic() > deadline:
                raise Lost("not all receivers came")
            time.sleep(POLL)

    def wait(self, number: int) -> int:
        """Wait until all have recorded this number or more; return the last one's time. Raises `Lost`."""
        deadline = time.monotonic() + DEADLINE
        while (behind := self._behind(number)) and time.monotonic() < deadline:
            time.sleep(POLL)
        if behind:
            raise Lost(f"{behind} of {self.receivers} receivers did not read number {number}")
        return max(self._words.tolist()[1::_WORDS])

    def _behind(self, number: int) -> int:
        return sum(read < number for read in self._words.tolist()[0::_WORDS])
