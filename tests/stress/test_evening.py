"""A small tournament of `make stress TOURNAMENT=offiziersskat`: eight callers, four tables, every kind of fault.

Only `make soak` plays it: it takes a minute, most of which somebody waits for somebody else.
"""

import re
import subprocess
import sys

import pytest

from tests.disk import CC
from tests.thoroughness import SOAK

NEEDS = "yawc_poker.extras.tournaments"
PATIENCE = 350.0
"""Seconds: on a busy machine a match takes a minute."""


@pytest.mark.skipif(not SOAK, reason="make soak; make test has its parts: tests/end_to_end, tests/rules")
@pytest.mark.timeout(PATIENCE + 30)
def test_a_small_tournament_has_a_clean_verdict() -> None:
    asked = "--tournament offiziersskat --callers 8 --seconds 8 --seed 1"
    done = subprocess.run(
        [sys.executable, "-m", "tests.stress", *asked.split()],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for fault in ("kill", "stop", "reset", "half-close", "listener kill", "upgrade", *([] if CC is None else ["disk"])):
        assert re.search(rf"^faults .*[:,] {fault} \d", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^tournament +over, \d+ of 8 matches", done.stdout, re.MULTILINE), done.stdout
