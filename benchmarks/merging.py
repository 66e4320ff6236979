"""The kernel's same-page merging, switched on for as long as it takes to merge what there is, and off again.

Needs root, and a kernel that has it; where either is missing nothing is merged, and what should be measured is not.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KSM = Path("/sys/kernel/mm/ksm")
HURRY = {"advisor_mode": "none", "pages_to_scan": "20000", "sleep_millisecs": "5"}
"""So many pages at a time, that one need not wait: in use, the kernel takes minutes for it and a share of a core."""
SCANS = 3
"""Full rounds: one to see what stays as it is, one to merge, and the one that was under way at the beginning."""
PATIENCE = 120.0


class Unmerged(Exception):
    """The kernel did not get round in time."""


@contextmanager
def merged(wait: Callable[[float], None]) -> Iterator[float | None]:
    """Merge all that may be; gives the processor seconds of the kernel's thread, None: it cannot be done here.

    `wait` lets so many seconds pass. Afterwards each process has its own pages again. Raises `Unmerged`.
    """
    before = _settings()
    if before is None:
        yield None
        return
    worked = _worked()
    try:
        for name, value in HURRY.items():
            (KSM / name).write_text(value)
        rounds = _full_scans() + SCANS
        (KSM / "run").write_text("1")
        deadline = time.monotonic() + PATIENCE
        while _full_scans() < rounds:
            if time.monotonic() > deadline:
                raise Unmerged(f"{SCANS} rounds took more than {PATIENCE:.0f} s")
            wait(0.5)
        (KSM / "run").write_text("0")
        yield _worked() - worked
    finally:
        (KSM / "run").write_text("2")
        for name, value in before.items():
            (KSM / name).write_text(value)


def _settings() -> dict[str, str] | None:
    """Give what stands in the switches, the chosen one of a list of names; None where they cannot be turned."""
    try:
        found = {name: (KSM / name).read_text().strip() for name in (*HURRY, "run")}
        (KSM / "run").write_text(found["run"])
    except OSError:
        return None
    return {name: value.partition("[")[2].partition("]")[0] or value for name, value in found.items()}


def _full_scans() -> int:
    return int((KSM / "full_scans").read_text())


def _worked() -> float:
    """Give the processor seconds of the thread that merges."""
    for stat in Path("/proc").glob("[0-9]*/comm"):
        try:
            if stat.read_text().strip() == "ksmd":
                return int((stat.parent / "schedstat").read_text().split()[0]) / 1e9
        except OSError:
            continue
    return 0.0
