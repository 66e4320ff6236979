"""A small run of the stress test over three hosts: `make cluster`, since it takes so long."""

import os
import re
import subprocess
import sys

import pytest

from tests.cluster.site import needed
from tests.disk import CC

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(not os.environ.get("YAWC_CLUSTER"), reason="half a minute is long: make cluster"),
]


def test_a_small_run_over_three_hosts_has_a_clean_verdict() -> None:
    needed()
    seed = "1064"  # its failover comes last: all calls end by that
    command = ["-m", "tests.stress", "--callers", "15", "--seconds", "29", "--seed", seed, "--hosts", "3"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, timeout=175)
    assert done.returncode == 0, done.stdout + done.stderr
    hosts = ("courier kill", "courier stop", "host kill", "host stop", "cut")
    clustered = (*hosts, "failover", "(server|pooler) kill")  # of outages one waits for the other
    # A client of the wire may wait for its seat until the end, so which of its faults come is a matter of luck.
    usual = ("holder", "listener kill", "wire [a-z- ]+", *([] if CC is None else ["disk", "clock"]))
    for fault in (*clustered, *usual):
        assert re.search(rf"^faults .*[:,] {fault} \d", done.stdout, re.MULTILINE), done.stdout
