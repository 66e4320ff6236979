"""What a program prints, whatever order the hashes of its process bring about."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def printed(program: str) -> str:
    """Return what a program prints in two processes that hash differently; fails the test if that is not the same."""
    first, second = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert first == second
    return first
