"""A database that is not what it was: a replica that lagged is promoted, or a dump put back, while hosts play."""

import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests import postgres
from tests.isolation.two_hosts import Cluster, Person, cluster_of
from tests.postgres import Server
from tests.waiting import wait_until
from yawc_poker.casino.store.connection import Fenced, StoreError
from yawc_poker.games.poker.model import Bet


@pytest.fixture
def primary() -> Iterator[Server]:
    """A server that may have a replica."""
    if reason := postgres.why_not():
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="yawc-pg-"))
    try:
        server = Server(folder, {**postgres.SETTINGS, "max_wal_senders": "4"})
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def anew(cluster: Cluster) -> None:
    """Both hosts take leases of another epoch, and their cells from the rows, as couriers do."""
    cluster.asks("UPDATE host SET server = cluster.server()")
    for host in cluster.hosts:
        host.here.fenced = host.here.epoch
    cluster.take_over()
    for host in cluster.hosts:
        host.here.fenced = 0


def is_fenced(person: Person) -> bool:
    """Return whether a session is told that its host has no lease any more; it may have to connect anew first."""
    try:
        person.table.say("too late")
    except Fenced:
        return True
    except StoreError:
        return False
    raise AssertionError("it was said")


def lines(person: Person) -> str:
    return repr([entry.event for entry in person.table.look().log])


def test_a_replica_that_lags_is_promoted_and_nothing_that_was_lost_comes_back(primary: Server) -> None:
    name = primary.create(postgres.make_layouts)
    with cluster_of(primary.url(name)) as cluster, primary.followed(primary.folder / "replica") as replica:
        anna, bert, carl = cluster.seat("Anna", "Bert", "Carl")
        cluster.start(anna)
        cluster.take_over()
        replica.has_all()
        replica.lag()
        before = cluster.version
        anna.play(Bet(5))
        carl.table.say("it was lost")
        cluster.take_over()
        primary.give_way(replica)
        for person in (anna, bert, carl):
            wait_until(partial(is_fenced, person), "the fence")
        assert cluster.version == before
        anew(cluster)
        bert.table.say("it is new")
        carl.table.say("so is this")
        assert cluster.pot() == anna.table.look().pot == 30
        assert "it was lost" not in lines(carl)
        assert "it is new" in lines(carl)
        anna.play(Bet(7))
        assert cluster.pot() == 37


def test_a_host_that_has_as_many_commits_of_another_past_takes_the_row(database: str) -> None:
    with cluster_of(database) as cluster:
        anna, bert = cluster.seat("Anna", "Bert")
        cluster.take_over()
        cluster.asks("CREATE TABLE kept AS TABLE place")
        anna.table.say("it was lost")
        before = cluster.version
        put_back(cluster)
        bert.table.say("it is new")
        assert (cluster.version, anna.host.commit) == (before, before)
        anna.table.say("so is this")
        cluster.take_over()
        for person in (anna, bert):
            assert "it was lost" not in lines(person)
            assert "it is new" in lines(person)


def test_a_row_that_is_older_than_the_table_cuts_the_host_off(database: str) -> None:
    with cluster_of(database) as cluster:
        anna, bert = cluster.seat("Anna", "Bert")
        cluster.take_over()
        cluster.asks("CREATE TABLE kept AS TABLE place")
        anna.table.say("it was lost")
        put_back(cluster)
        with pytest.raises(Fenced, match="is not what it was"):
            anna.table.say("too late")
        assert anna.host.here.is_cut_off
        assert not bert.host.here.is_cut_off
        anew(cluster)
        bert.table.say("it is new")
        anna.table.take_over()
        assert "lost" not in lines(anna)
        assert "it is new" in lines(anna)


def put_back(cluster: Cluster) -> None:
    """Put the rows of all tables back, as a dump would."""
    query = "UPDATE place SET (version, value, recent) = (old.version, old.value, old.recent) FROM kept AS old"
    cluster.asks(f"{query} WHERE old.number = place.number")
