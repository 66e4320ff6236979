"""How many house players think at once: as many as there are processors.

Owns the slots: locks on single bytes of a file in the data directory, which the kernel frees however their process
ends. Nobody waits for one here: a house player without a slot asks again, and hears signals meanwhile. So a slot is
never waited for while a lock is held, and no lock while a slot is.
"""

import fcntl
import logging
import os
from pathlib import Path

log = logging.getLogger(__name__)

FILE = "thinking.lock"
"""In the data directory."""


class ThinkSlots:
    """The slots, as one process sees them."""

    def __init__(self, file: Path) -> None:
        """Without room for the file every process thinks when it likes."""
        self._descriptor = -1
        self._slots = len(os.sched_getaffinity(0))
        try:
            self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            log.warning("house players think without taking turns: %s", error.strerror)

    def take(self) -> bool:
        """Take a slot; False: none is free."""
        return self._descriptor < 0 or any(map(self._take, range(self._slots)))

    def release(self) -> None:
        """Release the slot that was taken, if there is one."""
        if self._descriptor >= 0:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file, which gives back the slot, too."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _take(self, slot: int) -> bool:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
        except OSError:
            return False
        return True
