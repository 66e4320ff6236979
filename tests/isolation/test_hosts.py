"""Leases of hosts in a real database: who gets one, who waits, who is refused, and who is cut off."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.postgres import Server
from tests.waiting import wait_until
from yawc_poker.casino.cluster import hosts
from yawc_poker.casino.cluster.here import MOST_HOSTS, Here, epoch_of
from yawc_poker.casino.cluster.hosts import Claim, HostsDiffer, NotYet, Own, Shape
from yawc_poker.casino.database.connection import Store, StoreError
from yawc_poker.casino.database.opening import open_direct, open_shared
from yawc_poker.ipc.layout import Head

if TYPE_CHECKING:
    from yawc_poker.casino.database.direct import Direct

SHAPE = Shape(tables=("poker", "poker", "maumau"), span=50, hosts=3, layout=5)
LONG = 60.0
OVER = -1.0
"""Seconds: a lease that has run out when it is taken."""


@pytest.fixture
def shared(empty_database: str) -> Iterator[Store]:
    with closing(open_shared(empty_database)) as store:
        yield store


def own(name: str, shape: Shape = SHAPE, identity: str = "") -> Own:
    return Own(name, identity or f"of {name}", "1.0", shape)


def start(store: Store, host: Own, seconds: float = LONG, *, take_lapsed: bool = False) -> Claim | NotYet:
    with store.writing() as shared:
        return hosts.register(shared, host, seconds, take_lapsed=take_lapsed)


def started(store: Store, host: Own, seconds: float = LONG, *, take_lapsed: bool = False) -> Claim:
    claim = start(store, host, seconds, take_lapsed=take_lapsed)
    assert isinstance(claim, Claim), claim
    with store.writing() as shared:
        assert hosts.settled(shared, claim.number, claim.epoch)
    return claim


def done(store: Store, action: Callable[..., object], *arguments: object) -> object:
    with store.writing() as shared:
        return action(shared, *arguments)


def has_lost(connection: "Direct") -> bool:
    with suppress(StoreError):
        connection.received()
    return not connection.is_open


def test_hosts_get_numbers_and_epochs_and_only_the_first_is_alone(shared: Store) -> None:
    alpha = started(shared, own("alpha"))
    beta = started(shared, own("beta"))
    assert [(one.number, one.alone) for one in (alpha, beta)] == [(0, True), (1, False)]
    assert abs(alpha.now - time.time()) < LONG
    again = started(shared, own("beta"))
    assert (again.number, again.alone) == (1, False)
    assert again.epoch > beta.epoch
    done(shared, hosts.give_back, alpha.number, alpha.epoch)
    assert started(shared, own("beta")).alone, "alpha has given its lease back"


def laid_out(known: int, usable_from: int) -> Shape:
    return replace(SHAPE, layouts={"bank": known}, usable_from={"bank": usable_from})


@pytest.mark.parametrize(
    ("runs", "starts", "may"),
    [
        (laid_out(2, 2), laid_out(2, 2), True),
        (laid_out(2, 2), laid_out(3, 2), True),
        (laid_out(2, 2), laid_out(3, 3), False),
        (laid_out(3, 2), laid_out(2, 2), True),
        (laid_out(3, 3), laid_out(2, 2), False),
        (SHAPE, laid_out(2, 1), False),
    ],
)
def test_hosts_of_two_layouts_run_side_by_side_where_the_newer_one_can_be_used(
    shared: Store, runs: Shape, starts: Shape, may: bool
) -> None:
    started(shared, own("alpha", runs))
    if may:
        started(shared, own("beta", starts))
        return
    with pytest.raises(HostsDiffer, match="host alpha runs, and differs in the layout of bank in the database"):
        started(shared, own("beta", starts))


def test_a_start_waits_while_another_host_settles_what_nobody_plays(shared: Store) -> None:
    alpha = start(shared, own("alpha"))
    assert isinstance(alpha, Claim)
    assert alpha.alone
    waits = start(shared, own("beta"))
    assert isinstance(waits, NotYet)
    assert "alpha" in waits.reason
    assert not waits.waits_for_lapsed
    assert done(shared, hosts.settled, alpha.number, alpha.epoch)
    assert not started(shared, own("beta")).alone


def test_a_host_whose_lease_ran_out_has_time_to_come_back(shared: Store) -> None:
    alpha = started(shared, own("alpha"), OVER)
    waits = start(shared, own("beta"))
    assert isinstance(waits, NotYet)
    assert waits.waits_for_lapsed
    assert done(shared, hosts.renew, alpha.number, alpha.epoch, LONG, 0.0) is not None
    assert not started(shared, own("beta")).alone


def test_one_that_does_not_come_back_is_shut_out(shared: Store) -> None:
    alpha = started(shared, own("alpha"), OVER)
    assert started(shared, own("beta"), take_lapsed=True).alone
    assert done(shared, hosts.renew, alpha.number, alpha.epoch, LONG, 0.0) is None


def test_the_same_data_directory_has_its_name_at_once_and_another_one_when_the_lease_is_over(shared: Store) -> None:
    first = started(shared, own("alpha"))
    with pytest.raises(HostsDiffer, match="another data directory is the host alpha"):
        start(shared, own("alpha", identity="elsewhere"))
    assert started(shared, own("alpha"), OVER).epoch == first.epoch + 1
    assert started(shared, own("alpha", identity="elsewhere")).number == first.number


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(SHAPE, tables=("poker", "maumau")), "poker.tables (1 and 2)"),
        (replace(SHAPE, span=51), "telnet.max_sessions or house.players (51 and 50 records)"),
        (replace(SHAPE, hosts=4), "cluster.hosts (4 and 3)"),
        (replace(SHAPE, lease_seconds=2), "cluster.lease_seconds (2 and 15)"),
        (replace(SHAPE, layout=6), "the version of the program (layouts 6 and 5)"),
        (replace(SHAPE, tables=("maumau", "poker", "poker")), "the order of tables"),
    ],
)
def test_a_host_that_is_set_up_in_another_way_starts_only_alone(shared: Store, other: Shape, named: str) -> None:
    alpha = started(shared, own("alpha"))
    with pytest.raises(HostsDiffer) as refused:
        start(shared, own("beta", other))
    assert "host alpha runs" in str(refused.value)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)
    done(shared, hosts.give_back, alpha.number, alpha.epoch)
    assert started(shared, own("beta", other)).alone


def test_there_are_so_many_hosts_and_the_place_of_one_that_is_gone_is_free(shared: Store) -> None:
    claims = [started(shared, own(name)) for name in ("alpha", "beta", "gamma")]
    with pytest.raises(HostsDiffer, match=r"there are 3 hosts already \(alpha, beta, gamma\)"):
        start(shared, own("delta"))
    done(shared, hosts.give_back, claims[1].number, claims[1].epoch)
    delta = started(shared, own("delta"))
    assert delta.number == 1
    assert delta.epoch > claims[1].epoch
    fewer = replace(SHAPE, hosts=2)
    for claim in (claims[0], delta, claims[2]):
        done(shared, hosts.give_back, claim.number, claim.epoch)
    assert started(shared, own("gamma", fewer)).number < 2, "there is no third one any more"


def test_only_a_host_with_a_lease_takes_others_away_and_none_that_is_renewed(shared: Store) -> None:
    alpha, beta, gamma = [started(shared, own(name)) for name in ("alpha", "beta", "gamma")]
    done(shared, hosts.renew, gamma.number, gamma.epoch, OVER, 0.0)
    done(shared, hosts.renew, beta.number, beta.epoch, OVER, 0.0)
    assert done(shared, hosts.take_away, beta.number, beta.epoch) == [], "its own has run out"
    assert done(shared, hosts.renew, beta.number, beta.epoch, LONG, 0.5) is not None
    assert done(shared, hosts.take_away, alpha.number, alpha.epoch) == [gamma.number]
    assert done(shared, hosts.take_away, alpha.number, alpha.epoch) == []
    assert done(shared, hosts.renew, gamma.number, gamma.epoch, LONG, 0.0) is None
    with shared.reading() as looked:
        found = hosts.all_hosts(looked)
    assert [(one.name, one.holds, one.lag) for one in found] == [
        ("alpha", True, 0.0),
        ("beta", True, 0.5),
        ("gamma", False, 0.0),
    ]


def test_the_last_host_settles_and_no_other_starts_meanwhile(shared: Store) -> None:
    alpha, beta = started(shared, own("alpha")), started(shared, own("beta"))
    assert not done(shared, hosts.stay_alone, alpha.number, alpha.epoch)
    done(shared, hosts.give_back, alpha.number, alpha.epoch)
    assert done(shared, hosts.stay_alone, beta.number, beta.epoch)
    assert isinstance(start(shared, own("alpha")), NotYet)
    done(shared, hosts.give_back, beta.number, beta.epoch)
    assert started(shared, own("alpha")).alone


def test_what_is_notified_comes_to_others_only_and_a_lost_connection_is_told(
    postgres: Server, empty_database: str, shared: Store
) -> None:
    started(shared, own("alpha"))
    one, other = open_direct(empty_database), open_direct(empty_database)
    with closing(one), closing(other):
        assert one.open()
        assert other.open()
        assert not other.open()
        one.notify(["a", "ä" * 3000])
        heard: list[str] = []

        def has_both() -> bool:
            heard.extend(other.received())
            return len(heard) == 2

        wait_until(has_both, "both", 10.0)
        assert heard == ["a", "ä" * 3000]
        other.execute("SELECT 1")
        assert one.received() == []
        with one.writing() as database:
            assert len(hosts.all_hosts(database)) == 1
        with pytest.raises(ZeroDivisionError), one.writing() as database:
            _ = database.execute("DELETE FROM host"), 1 // 0
        assert len(hosts.all_hosts(one)) == 1
        postgres.stop()
        with pytest.raises(StoreError):
            one.execute("SELECT 1")
        assert not one.is_open
        assert other.is_open
        wait_until(lambda: has_lost(other), "the loss to be seen", 10.0)
        postgres.start()
        assert other.open()
        assert one.open()
        assert len(hosts.all_hosts(other)) == 1


@given(
    random=st.integers(0, 2**47 - 1), index=st.integers(0, 799), epoch=st.integers(1, 2**20), later=st.integers(0, 999)
)
def test_a_token_lives_as_long_as_the_lease_it_was_made_in(random: int, index: int, epoch: int, later: int) -> None:
    words = memoryview(bytearray(8 * 256)).cast("Q")
    here = Here(Head(words))
    assert here.token(random, index) == 1 << 63 | random << 16 | index, "one host: as ever"
    assert here.is_of_epoch(0)
    here.lay_out(3, 100)
    here.epoch = epoch
    token = here.token(random, index)
    assert token >> 63 == 1
    assert token & 0xFFFF == index
    assert here.is_of_epoch(token)
    assert epoch_of(token) == epoch % 2**15
    host = index // 100
    assert here.is_own(index) is (host == 3)
    assert here.is_remote(token) is (host != 3)
    here.note_lease(host, epoch, True)
    assert here.may_live(token)
    assert here.has_neighbours is (host != 3)
    here.note_lease(host, epoch + later, bool(later))
    assert here.may_live(token) is False
    fence = here.fence
    here.epoch = epoch + 1
    assert fence is not None
    assert fence() == (3, epoch)
    assert not here.is_of_epoch(token)
    assert here.host_of(MOST_HOSTS * 100) == MOST_HOSTS
