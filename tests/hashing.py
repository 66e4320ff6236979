"""What a program prints, whatever order the hashes of its process bring about."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def printed(program: str) -> str:
    """Return what a program prints, here as in a process that hashes differently, or the test fails."""
    with redirect_stdout(io.StringIO()) as here:
        exec(program, {})
    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    there = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": other},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert here.getvalue() == there
    return there
