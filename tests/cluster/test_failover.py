"""PostgreSQL is lost, and a replica takes its place that had not got everything: what was lost stays lost."""

from collections.abc import Iterator

import pytest

from tests.cluster.play import bet, in_force, in_game, seated, start
from tests.cluster.site import Site, needed
from tests.cluster.test_faults import CONFIG, is_fenced_off
from tests.cluster.test_power import balances, outcomes
from tests.waiting import wait_until

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    needed()
    with Site(CONFIG, settings={"max_wal_senders": "4"}) as site:
        in_force(site, *site.hosts)
        yield site


def test_a_replica_that_lags_is_promoted(site: Site) -> None:
    people = anna, bert, _ = in_game(site, 1, "Lost Anna", "Lost Bert", "Lost Carl")
    bet(anna, people)
    epochs = [host.epoch for host in site.hosts]
    with site.server.followed(site.folder / "replica") as replica:
        replica.has_all()
        replica.lag()
        bet(bert, people, 9)
        late = site.host("south").call().register("Too Late")
        site.server.give_way(replica)
        for caller in (*people, late):
            is_fenced_off(caller)
        in_force(site, *site.hosts)
        wait_until(lambda: outcomes(site) == ["refunded"], "the end of the game", 10)
        assert [new > old for new, old in zip([host.epoch for host in site.hosts], epochs, strict=True)] == [True] * 3
        assert balances(site) == [1000] * 3, "nobody knows of the last one"
        site.host("east").audit()
        for host, name in zip(site.hosts, ("Anna", "Bert", "Carl"), strict=True):
            host.call().log_in(f"Lost {name}").see("You own 1000 CUBES.")
        site.everybody_out()
    people = seated(site, 2, "New Anna", "New Bert", "New Carl")
    start(people)
    for caller in people:
        bet(caller, people)
