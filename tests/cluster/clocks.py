"""Clocks of a host's own: a monotonic one by a time namespace, a wrong wall clock by LD_PRELOAD (`wall.c`).

Where there is no C compiler, or the kernel is too old, that clock is the machine's.
"""

import platform
import shutil
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

HOUR: Final = 3600
DAY: Final = 86400
_OLDEST: Final = (6, 3)
"""The first kernel that lets a program into a time namespace which takes the place of another, not only a child."""
_SOURCE: Final = Path(__file__).with_name("wall.c")


def under_other_clocks(folder: Path, monotonic: int = DAY, wall: int = HOUR) -> list[str]:
    """Return the command to run a program under, whose clocks differ from the machine's by so many seconds."""
    found = _wrong_wall(folder, wall)
    kernel = tuple(int(number) for number in platform.release().split("-")[0].split(".")[:2])
    if kernel >= _OLDEST and Path("/proc/self/timens_offsets").exists() and shutil.which("unshare"):
        found += ["unshare", "--time", f"--monotonic={monotonic}", "--"]
    return found


class Wall:
    """A wall clock that a test can set, of the programs that are run `under` it; without a compiler there is none."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "wall.clock"
        self._file.write_bytes(struct.pack("l", 0))
        self._file.chmod(0o644)
        found = _wrong_wall(folder, 0)
        self.under = [*found, f"YAWC_WALL_FILE={self._file}"] if found else []

    def beside(self, environment: Mapping[str, str]) -> list[str]:
        """Return the command to run a program under that has more in its environment, and a library of its own."""
        own = dict(word.split("=", 1) for word in self.under[1:])
        libraries = [found for one in (environment, own) if (found := one.get("LD_PRELOAD"))]
        both = {**environment, **own, "LD_PRELOAD": " ".join(libraries)}
        return ["env", *(f"{name}={value}" for name, value in both.items())]

    def set(self, seconds: int) -> None:
        """Set it to so many seconds before or after the machine's."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("l", seconds))


def _wrong_wall(folder: Path, seconds: int) -> list[str]:
    compiler = shutil.which("cc")
    if compiler is None:
        return []
    library = folder / "wall.so"
    if not library.exists():
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl"], check=True)
    return ["env", f"LD_PRELOAD={library}", f"YAWC_WALL={seconds}"]
