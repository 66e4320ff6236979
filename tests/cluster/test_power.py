"""All hosts of a casino lose their power at one moment, with the leases that a sysop has: what nobody plays any more is
settled by stakes, as after a restart of one host, and the hosts find each other again.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cluster.play import bet, in_force, in_game
from tests.cluster.site import Host, Site, needed
from tests.cluster.test_faults import CONFIG
from tests.waiting import wait_until

pytestmark = pytest.mark.xdist_group("cluster")

LEASE = 15.0
"""Longer than hosts take to start."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    needed()
    with Site(CONFIG, lease=LEASE, clocks=False) as site:
        in_force(site, *site.hosts)
        yield site


def power_fails(site: Site) -> None:
    """Every process of every host is killed."""
    for host in site.hosts:
        host.freeze()
    for host in site.hosts:
        host.kill()


def balances(site: Site) -> list[object]:
    return [balance for (balance,) in site.asks("SELECT balance FROM bank.account WHERE kind = 'user' ORDER BY id")]


def outcomes(site: Site) -> list[object]:
    return [outcome for (outcome,) in site.asks("SELECT outcome FROM bank.game ORDER BY id DESC LIMIT 1")]


def test_all_hosts_are_killed_and_started_within_a_lease(site: Site) -> None:
    people = anna, bert, _ = in_game(site, 1, "Power Anna", "Power Bert", "Power Carl")
    bet(anna, people)
    bet(bert, people)
    power_fails(site)
    with ThreadPoolExecutor() as several:
        list(several.map(Host.start, site.hosts))
    in_force(site, *site.hosts)
    wait_until(lambda: outcomes(site) == ["refunded"], "the end of the game", LEASE)
    assert set(balances(site)) == {1000}
    again = site.host("east").call().log_in("Power Anna")
    again.see("You own 1000 CUBES.")


def test_all_hosts_are_killed_and_one_is_started(site: Site) -> None:
    """It waits for the others as long as a lease, for nobody knows what became of them, and settles then."""
    people = anna, _, _ = in_game(site, 2, "Lonely Anna", "Lonely Bert", "Lonely Carl")
    bet(anna, people)
    power_fails(site)
    north = site.host("north").start()
    in_force(site, north)
    wait_until(lambda: outcomes(site) == ["refunded"], "the end of the game", LEASE)
    assert set(balances(site)) == {1000}
    for host in site.hosts[1:]:
        host.start()
    in_force(site, *site.hosts)
