"""A small run of `make stress`: fifteen callers at poker, all games, a few seconds, and every kind of fault."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.disk import CC

PATIENCE = 240.0
"""Seconds: half a minute on a machine that does nothing else."""


@pytest.mark.timeout(PATIENCE + 30)
def test_a_small_run_has_a_clean_verdict() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.stress", "--callers", "15", "--seconds", "6", "--seed", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # With the house or among people: which of them is a matter of luck, too.
    assert re.search(r"at (?:Host )?Doppelkopf: keys \d", done.stdout) is not None, done.stdout
    for calls in ("calls by pages", *([] if shutil.which("openssl") is None else ["calls in TLS"])):
        assert re.search(rf"\b{calls} \d", done.stdout) is not None, done.stdout
    # A client of the wire may wait for its seat until the end, so which of its faults come is a matter of luck.
    usual = ("kill", "stop", "reset", "half-close", "no reading", "wire [a-z- ]+", "listener kill", "upgrade", "holder")
    for fault in (*usual, *([] if CC is None else ["disk"])):
        assert re.search(rf"^faults .*[:,] {fault} \d", done.stdout, re.MULTILINE), done.stdout
