"""What the kernel keeps, for tests that look whether something was left behind, or how much memory a process takes."""

from pathlib import Path

import sysv_ipc


def semaphore_exists(key: int) -> bool:
    """Return whether there is a System V semaphore under a key."""
    try:
        sysv_ipc.Semaphore(key)
    except sysv_ipc.ExistentialError:
        return False
    return True


def memory(pid: int, kind: str) -> int:
    """Return the bytes of one kind in a process's whole memory, such as `Pss` or `Private_Dirty`."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) * 1024
    raise ProcessLookupError(pid)


def time_slice(pid: int) -> float | None:
    """Return the seconds of a process's slice of a processor; None: the kernel does not tell."""
    try:
        lines = Path(f"/proc/{pid}/sched").read_text().splitlines()
    except FileNotFoundError:
        return None
    return next((int(line.split(":")[1]) / 1e9 for line in lines if line.startswith("se.slice")), None)
