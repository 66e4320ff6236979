"""Equal memory pages of many sessions stored once, by the kernel's same-page merging (KSM), if the sysop wants it.

The pages that a session shares with the listener are copied one by one, mostly because a reference count changed; the
next session makes the same changes. The kernel finds such equal pages and keeps one copy until it is written to. This
module allows merging for this process and all that it forks later; the machine's setting decides whether KSM runs.
"""

import ctypes
import logging
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

SWITCH: Final = Path("/sys/kernel/mm/ksm/run")
"""`1`: KSM is running."""
_PR_SET_MEMORY_MERGE: Final = 67
"""From linux/prctl.h, since Linux 6.4."""


def merge(wanted: bool) -> bool:
    """Allow or forbid merging for this process and those it forks later; return whether the kernel accepted.

    A missing prerequisite is logged.
    """
    said_yes = bool(ctypes.CDLL(None).prctl(_PR_SET_MEMORY_MERGE, int(wanted), 0, 0, 0) == 0)
    if wanted and not said_yes:
        log.warning("telnet.merge_memory: this kernel cannot merge pages of a process; Linux 6.4 can")
    elif wanted and not _is_on():
        log.warning("telnet.merge_memory: the kernel does not merge pages; %s must be 1", SWITCH)
    return said_yes


def _is_on() -> bool:
    try:
        return SWITCH.read_text().strip() == "1"
    except OSError:
        return False
