"""A host is cut off for a minute, with the leases that a sysop has: `make cluster`, since it takes so long."""

import os

import pytest

from tests.cluster.play import in_force
from tests.cluster.site import Site, needed
from tests.cluster.test_faults import CONFIG, cut_off

pytestmark = [
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(not os.environ.get("YAWC_CLUSTER"), reason="a minute is long: make cluster"),
    pytest.mark.timeout(300),
]

LEASE = 15.0
LONGER = 45.0


def test_a_host_is_cut_off_for_a_minute() -> None:
    needed()
    with Site(CONFIG, lease=LEASE) as site:
        in_force(site, *site.hosts)
        cut_off(site, 1, "Long", LONGER)
