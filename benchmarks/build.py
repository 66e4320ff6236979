"""Peer programs: the limits written in C, compiled when first needed; Redis."""

import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

PEERS = Path(__file__).parent / "peers"


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="yawc-bench-")


def can_build() -> bool:
    """Return whether there is a compiler."""
    return shutil.which("cc") is not None


def redis_server() -> str | None:
    """Return the system's redis-server, else the one fetched into this environment (`peers/redis.sh`)."""
    return shutil.which("redis-server") or shutil.which("redis-server", path=Path(sys.executable).parent)


@cache
def built(name: str, *options: str) -> Path:
    """Compile `peers/NAME.c` and yield the program, which is removed at the end."""
    program = Path(_folder().name) / name
    subprocess.run(["cc", "-O2", "-Wall", *options, "-o", program, PEERS / f"{name}.c"], check=True)
    return program
