"""A disk that is slow, or fails: a library of a few lines of C under the program's fsync and fdatasync (`disk.c`)."""

import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("disk.c")
CC = shutil.which("cc")
"""Without a C compiler there is no such disk."""
WHY_NOT = "cc is needed to put a slow disk under the program (Debian: gcc)"


class Disk:
    """The disk of one BBS, or of a database server. It is an ordinary one until told otherwise."""

    def __init__(self, folder: Path) -> None:
        """Compile into a folder, where the orders will lie, too."""
        assert CC is not None, WHY_NOT
        self._library = folder / "disk.so"
        self._orders = folder / "disk.orders"
        subprocess.run([CC, "-shared", "-fPIC", "-O1", "-o", self._library, SOURCE, "-ldl"], check=True)

    @property
    def under(self) -> list[str]:
        """The command under which a program has this disk."""
        return ["env", *(f"{name}={value}" for name, value in self.environment.items())]

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which a program has this disk."""
        return {"LD_PRELOAD": str(self._library), "YAWC_DISK": str(self._orders)}

    def slow(self, seconds: float = 1000.0) -> None:
        """Make each call take so long, or until `mend`."""
        self._order(f"slow {seconds}")

    def fail(self, first: int, many: int = 1) -> None:
        """Make so many calls fail, beginning with the `first` from now on."""
        self._order(f"fail {first} {many}")

    @property
    def failures_left(self) -> int:
        """How many calls are still to fail."""
        return int(self._orders.read_text().split()[2])

    def mend(self) -> None:
        """Make it an ordinary disk again; waiting calls go on."""
        self._orders.unlink(missing_ok=True)

    def _order(self, text: str) -> None:
        """Write orders so that a reader finds whole ones."""
        fresh = self._orders.with_suffix(".new")
        fresh.write_text(f"{text}\n")
        fresh.chmod(0o666)  # PostgreSQL runs as another user
        fresh.replace(self._orders)
