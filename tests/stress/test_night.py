"""A small `make night`: six scripts against house players, for some seconds. Only `make soak` plays it."""

import re
import subprocess
import sys

import pytest

from tests.thoroughness import SOAK

PATIENCE = 240.0
"""Seconds: a minute on a machine that does nothing else."""


@pytest.mark.skipif(not SOAK, reason="make soak; make test has its parts: tests/isolation, tests/benchmarks")
@pytest.mark.timeout(PATIENCE + 30)
def test_a_small_night_has_a_clean_verdict() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.stress", "--night", "--callers", "6", "--seconds", "20", "--seed", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^the night +games [1-9]", done.stdout, re.MULTILINE), done.stdout
