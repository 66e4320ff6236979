"""How many processes the control groups of this process leave room for (`pids.max`; systemd's TasksMax).

Owns where that is read. A fork that fails cannot be foreseen in any other way; a limit by user (`ulimit -u`) is not
seen here.
"""

from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Final

from yawc_poker.digits import decimal

_MEMBERSHIP: Final = Path("/proc/self/cgroup")
_ROOTS: Final = {"": Path("/sys/fs/cgroup"), "pids": Path("/sys/fs/cgroup/pids")}
"""Where groups are, by the controller that the membership names: the hierarchy of version 2, or that of version 1."""


def processes_left() -> float:
    """Return how many more processes there may be; infinite if no limit is known."""
    left = inf
    with suppress(OSError):
        for line in _MEMBERSHIP.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            root = _ROOTS.get("pids" if "pids" in controllers.split(",") else controllers)
            if root is not None:
                group = root / path.lstrip("/")
                left = min(left, *(_left(one) for one in (group, *group.parents) if one.is_relative_to(root)))
    return left


def _left(group: Path) -> float:
    with suppress(OSError):
        most = decimal((group / "pids.max").read_text().strip())
        if most is not None:  # else "max"
            return most - (decimal((group / "pids.current").read_text().strip()) or 0)
    return inf
