"""Equal pages of many sessions kept once: the kernel's same-page merging (KSM), if the sysop wants it.

What a session shares with the listener becomes its own page by page, mostly because a reference was counted there; the
next session counts the same ones. The kernel finds such pages and keeps one of them, until somebody writes to it. Who
may be merged is said here, for this process and all it forks later; whether anybody merges is the machine's setting.
"""

import ctypes
import logging
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

SWITCH: Final = Path("/sys/kernel/mm/ksm/run")
"""`1`: the kernel merges."""
_PR_SET_MEMORY_MERGE: Final = 67
"""Of linux/prctl.h, since Linux 6.4."""


def merge(wanted: bool) -> bool:
    """Let the kernel merge this process and those it forks later, or no longer; whether it said yes.

    The log is told what is missing.
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
