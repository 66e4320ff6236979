"""A small tournament of `make stress TOURNAMENT=offiziersskat`: ten callers at five tables, and every kind of fault."""

import re
import subprocess
import sys

from tests.disk import CC

NEEDS = "yawc_poker.extras.tournaments"


def test_a_small_tournament_has_a_clean_verdict() -> None:
    asked = "--tournament offiziersskat --callers 10 --seconds 12 --seed 1"
    done = subprocess.run(
        [sys.executable, "-m", "tests.stress", *asked.split()],
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for fault in ("kill", "stop", "reset", "half-close", "listener kill", "upgrade", *([] if CC is None else ["disk"])):
        assert re.search(rf"^faults .*[:,] {fault} \d", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^tournament +over, \d+ of 20 matches", done.stdout, re.MULTILINE), done.stdout
