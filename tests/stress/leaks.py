"""What a BBS that runs for long may lose: the memory of its listener and sessions, descriptors, semaphores, files.

All of it is looked at every few seconds. A process is compared with itself: how it was once it had settled, and how it
is now. Semaphores are counted if nobody else can make any (`alone_with_memory`).
"""

import ctypes
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from tests.processes import is_spare
from tests.stress.figures import Figures
from tests.stress.listener import Listener
from yawc_poker.ipc.segment import MEMORY

LOOK: Final = 10.0
"""Seconds between two looks."""
SETTLED: Final = 60.0
"""Seconds after which a process has loaded what it needs."""
LIVED: Final = 300.0
"""Seconds that a process must have been watched for, to say how it grows."""
MOST_BYTES: Final = 8 << 20
"""By which a process may grow, as long as it is watched."""
MOST_DESCRIPTORS: Final = 24
"""That a process may have beyond those of its first look."""
MOST_FILES: Final = 60
"""In a BBS's folder: a fixed number, and what an open transaction adds."""
_PIDFD: Final = "anon_inode:[pidfd]"
OURS: Final = "yawc-"
"""With what names in memory begin."""
_CLONE_NEWIPC: Final = 0x08000000
_CLONE_NEWNS: Final = 0x00020000


def alone_with_memory() -> bool:
    """Leave all semaphores and shared memory of others behind, where this is allowed; return whether.

    Both, since a listener removes what rehearsals of others have left in memory, with semaphores of its own namespace.
    """
    if os.geteuid() != 0 or ctypes.CDLL(None).unshare(_CLONE_NEWIPC | _CLONE_NEWNS):
        return False
    commands = ("mount --make-rprivate /", f"mount -t tmpfs tmpfs {MEMORY}")
    return all(subprocess.run(command.split(), check=False).returncode == 0 for command in commands)


def _semaphores() -> int:
    return len(Path("/proc/sysvipc/sem").read_text().splitlines()) - 1


def _opened(pid: int) -> Counter[str]:
    """Count what a process has open, by kind, but for other processes: it knows as many as there are callers."""
    found = Counter[str]()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            found[re.sub(r"\d+", "N", os.readlink(one))] += 1
    del found[_PIDFD]
    return found


class Seen(NamedTuple):
    """A process, once it had settled and at the last look."""

    since: float
    until: float
    memory: int
    now: int
    descriptors: int
    descriptors_now: int


class Leaks:
    """Looks at the hosts' processes and what they leave."""

    def __init__(
        self,
        listeners: Sequence[Listener],
        figures: Figures,
        *,
        counts_semaphores: bool,
        settled: float = SETTLED,
        lived: float = LIVED,
    ) -> None:
        self._listeners = listeners
        self._figures = figures
        self._counts_semaphores = counts_semaphores
        self._settled, self._lived = settled, lived
        self._processes: dict[tuple[str, int, float], Seen] = {}
        self._first: dict[tuple[int, float], float] = {}
        """When a process was first seen at its work."""
        self._opened: dict[tuple[str, int, float], str] = {}
        """What a process with too many descriptors had open."""
        self._files: list[int] = []
        self._semaphores: list[int] = []

    def look(self) -> None:
        """Look once more."""
        there = [one for one in self._listeners if one.hears and one.process is not None]
        for listener in there:
            assert listener.process is not None
            with suppress(psutil.Error):
                main = psutil.Process(listener.process.pid)
                self.take("listener", main)
                for child in main.children():
                    if is_spare(child):
                        continue
                    with suppress(psutil.Error):
                        self.take("session", child)
        self._files.append(max((len(list(one.data.iterdir())) for one in self._listeners), default=0))
        if self._counts_semaphores and len(there) == len(self._listeners):
            views = [one.view for one in self._listeners]
            known = sum(len(view.segment.locks) for view in views if view is not None)
            if None not in views:
                self._semaphores.append(_semaphores() - known)

    def take(self, kind: str, process: psutil.Process) -> None:
        """Take in how a process is now."""
        now = time.time()
        born = process.create_time()
        if now - self._first.setdefault((process.pid, born), now) < self._settled or process.status() in {
            psutil.STATUS_ZOMBIE,
            psutil.STATUS_STOPPED,
        }:
            return
        # Its own pages would not do: a page becomes its own, too, when the last of those ends who shared it.
        info = process.memory_info()
        memory = info.rss - info.shared
        opened = _opened(process.pid)
        descriptors = opened.total()
        key = (kind, process.pid, born)
        first = self._processes.get(key) or Seen(now, now, memory, memory, descriptors, descriptors)
        self._processes[key] = first._replace(until=now, now=memory, descriptors_now=descriptors)
        if descriptors - first.descriptors > MOST_DESCRIPTORS:
            self._opened[key] = ", ".join(f"{count} x {name}" for name, count in opened.most_common(8))

    def judge(self) -> None:
        """Find what has become too many."""
        for (kind, pid, born), seen in self._processes.items():
            lived = seen.until - seen.since
            if lived > self._lived and seen.now - seen.memory > MOST_BYTES:
                self._figures.leaks.append(f"{kind} {pid} grew by {seen.now - seen.memory} bytes in {lived:.0f} s")
            if seen.descriptors_now - seen.descriptors > MOST_DESCRIPTORS:
                self._figures.leaks.append(
                    f"{kind} {pid} has {seen.descriptors_now} descriptors, and had {seen.descriptors}:"
                    f" {self._opened[kind, pid, born]}"
                )
        if self._files and max(self._files) > MOST_FILES:
            self._figures.leaks.append(f"{max(self._files)} files in a BBS's folder")

    def judge_end(self) -> None:
        """Find what is left once all have ended."""
        if self._counts_semaphores:
            self._semaphores.append(_semaphores())
            if self._semaphores[-1]:
                self._figures.leaks.append(f"{self._semaphores[-1]} semaphores are left")
            self._figures.leaks += [f"{name} is left in memory" for name in os.listdir(MEMORY) if name.startswith(OURS)]

    def report(self) -> list[str]:
        """Return what was seen, a line each."""
        rows = []
        for kind in ("listener", "session"):
            old = [
                seen
                for (one, _, _), seen in self._processes.items()
                if one == kind and seen.until - seen.since > self._lived
            ]
            grown = sorted(seen.now - seen.memory for seen in old)
            if not old:
                rows.append(f"{kind + 's watched':20}none for {self._lived:g} s")
                continue
            more = max(seen.descriptors_now - seen.descriptors for seen in old)
            rows.append(
                f"{kind + 's watched':20}{len(old)}, for {max(seen.until - seen.since for seen in old):.0f} s at most;"
                f" at first {sorted(seen.memory for seen in old)[len(old) // 2] / 1e6:.1f} MB, grown by"
                f" {grown[len(grown) // 2] / 1e6:.2f} MB, {grown[-1] / 1e6:.2f} MB at most;"
                f" descriptors {more:+} at most"
            )
        if self._files:
            rows.append(f"{'files of a BBS':20}{min(self._files)} to {max(self._files)}, {self._files[-1]} in the end")
        if self._semaphores:
            rows.append(f"{'semaphores unknown':20}{max(self._semaphores)} at most, {self._semaphores[-1]} left")
        return rows
