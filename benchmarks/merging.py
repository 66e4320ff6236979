"""The kernel's same-page merging, switched on until all equal pages are merged, and off again.

Needs root and a kernel with KSM; without either nothing is merged, and the figure is missing.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KSM = Path("/sys/kernel/mm/ksm")
HURRY = {"advisor_mode": "none", "pages_to_scan": "20000", "sleep_millisecs": "5"}
"""Pages per scan, so many that the wait is short: in normal use the kernel takes minutes and a share of a core."""
SCANS = 3
"""Full scans: one to find stable pages, one to merge, and the one in progress at the beginning."""
PATIENCE = 600.0


class Unmerged(Exception):
    """The kernel did not finish its scans in time."""


@contextmanager
def merged(wait: Callable[[float], None]) -> Iterator[float | None]:
    """Merge all equal pages; return the processor seconds of the kernel's thread, None if that is not possible here.

    `wait` sleeps for some seconds. Afterwards each process has its own pages again. Raises `Unmerged`.
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
    """Return the values of the switches, of a list of names the selected one; None if they cannot be written."""
    try:
        found = {name: (KSM / name).read_text().strip() for name in (*HURRY, "run")}
        (KSM / "run").write_text(found["run"])
    except OSError:
        return None
    return {name: value.partition("[")[2].partition("]")[0] or value for name, value in found.items()}


def _full_scans() -> int:
    return int((KSM / "full_scans").read_text())


def _worked() -> float:
    """Return the processor seconds of the kernel thread that merges."""
    for stat in Path("/proc").glob("[0-9]*/comm"):
        try:
            if stat.read_text().strip() == "ksmd":
                return int((stat.parent / "schedstat").read_text().split()[0]) / 1e9
        except OSError:
            continue
    return 0.0
