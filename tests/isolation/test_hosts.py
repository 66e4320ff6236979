"""Leases of hosts in a real database: who gets one, who waits, who is refused, and who is cut off."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.isolation.former import steps
from tests.postgres import Server
from tests.waiting import wait_until
from yawc_poker.casino.store.connection import Fenced, Store, StoreError
from yawc_poker.extras.cluster import leases
from yawc_poker.extras.cluster.databases import server_databases
from yawc_poker.extras.cluster.layout import CLUSTER
from yawc_poker.extras.cluster.leases import Claim, Ended, HostsDiffer, NotYet, Own, Shape, Signs
from yawc_poker.extras.cluster.local_host import ClusteredHost, epoch_of, fence_of
from yawc_poker.extras.cluster.server.opening import open_direct
from yawc_poker.extras.cluster.settings import MOST_HOSTS
from yawc_poker.ipc.layout import Head

if TYPE_CHECKING:
    from yawc_poker.extras.cluster.server.direct import Direct

SHAPE = Shape(tables=("poker", "poker", "maumau"), span=50, hosts=3, layout=5)
LEASE = SHAPE.lease_seconds
LONG = 60.0
OVER = -1.0
"""Seconds: a lease that has run out when it is taken, by the server's clock."""


class Looker:
    """A host that starts, with a clock of its own."""

    def __init__(self, store: Store, host: Own, seconds: float = LONG) -> None:
        self.now = 1000.0
        self.signs = Signs(LEASE, lambda: self.now)
        self._store, self._host, self._seconds = store, host, seconds

    def tries(self) -> Claim | NotYet:
        with self._store.writing() as shared:
            return leases.register(shared, self._host, self._seconds, self.signs)

    def waits(self) -> NotYet:
        outcome = self.tries()
        assert isinstance(outcome, NotYet), outcome
        return outcome

    def begins(self) -> Claim:
        outcome = self.tries()
        assert isinstance(outcome, Claim), outcome
        return outcome

    def passes(self, seconds: float) -> None:
        """Let so much time pass by its clock, in which it looks again and again."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(self.now + 1.0, end)
            with self._store.reading() as shared:
                self.signs.note(leases.all_hosts(shared))


def renewed(store: Store, *names: str) -> None:
    """The couriers of these hosts, or of all that hold leases, renew them."""
    with store.writing() as shared:
        for host in leases.all_hosts(shared):
            if host.holds and (not names or host.name in names):
                assert leases.renew(shared, host.number, host.epoch, LONG, 0.0) is not None


@pytest.fixture
def shared(empty_database: str, tmp_path: Path) -> Iterator[Store]:
    with closing(server_databases(tmp_path, empty_database).shared()) as store:
        yield store


def own(name: str, shape: Shape = SHAPE, identity: str = "") -> Own:
    return Own(name, identity or f"of {name}", "1.0", shape)


def start(store: Store, host: Own, seconds: float = LONG) -> Claim | NotYet:
    """Start beside hosts that are well."""
    looker = Looker(store, host, seconds)
    outcome = looker.tries()
    if isinstance(outcome, Claim) or not outcome.waits_for_sign:
        return outcome
    renewed(store)
    return looker.tries()


def started(store: Store, host: Own, seconds: float = LONG) -> Claim:
    claim = start(store, host, seconds)
    assert isinstance(claim, Claim), claim
    settle(store, claim)
    with store.writing() as shared:
        assert leases.renew(shared, claim.number, claim.epoch, seconds, 0.0) is not None
    return claim


def settle(store: Store, claim: Claim) -> None:
    with store.writing() as shared:
        assert leases.settled(shared, claim.number, claim.epoch)


def done(store: Store, action: Callable[..., object], *arguments: object) -> object:
    with store.writing() as shared:
        return action(shared, *arguments)


def test_hosts_of_a_program_that_did_not_know_who_is_gone_can_be_looked_at(empty_database: str) -> None:
    from yawc_poker.extras.cluster.server.postgres import PostgresStore  # not everybody has psycopg

    former = replace(CLUSTER, of_server=steps(CLUSTER, "server")[0], before=())
    with closing(PostgresStore(empty_database, former)) as store, store.writing() as rows:
        columns = "number, name, identity, epoch, until, since, version, shape"
        rows.execute(f"INSERT INTO host ({columns}) VALUES (0, 'alpha', '', 1, now() + interval '1 h', now(), '', '')")
        assert [(one.name, one.holds, one.gone) for one in leases.all_hosts(rows)] == [("alpha", True, False)]


@contextmanager
def fenced(url: str, claim: Claim) -> Iterator[None]:
    """Be in a transaction of a process of a host, in the epoch that it has claimed."""
    from yawc_poker.extras.cluster.server.postgres import PostgresStore  # not everybody has psycopg

    store = PostgresStore(url, CLUSTER, fence=fence_of(claim.number, claim.epoch))
    with closing(store), store.writing():
        yield


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
    done(shared, leases.give_back, alpha.number, alpha.epoch)
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
    assert not waits.waits_for_sign
    assert done(shared, leases.settled, alpha.number, alpha.epoch)
    assert not started(shared, own("beta")).alone


def test_a_start_waits_for_a_sign_of_each_host_that_holds_a_lease(shared: Store) -> None:
    started(shared, own("alpha"))
    started(shared, own("beta"))
    gamma = Looker(shared, own("gamma"))
    assert "alpha, beta" in gamma.waits().reason
    renewed(shared, "beta")
    assert "alpha" in gamma.waits().reason
    renewed(shared, "alpha")
    assert not gamma.begins().alone


def test_a_host_whose_lease_ran_out_has_time_to_come_back(shared: Store) -> None:
    alpha = started(shared, own("alpha"), OVER)
    beta = Looker(shared, own("beta"))
    assert beta.waits().waits_for_sign
    beta.passes(LEASE - 1)
    assert beta.waits().waits_for_sign
    assert done(shared, leases.renew, alpha.number, alpha.epoch, LONG, 0.0) is not None
    assert not beta.begins().alone


@pytest.mark.parametrize("until", [OVER, LONG])
def test_one_that_gives_no_sign_is_shut_out_whatever_the_servers_clock_says(shared: Store, until: float) -> None:
    alpha = started(shared, own("alpha"), until)
    beta = Looker(shared, own("beta"))
    assert beta.waits().waits_for_sign
    beta.passes(LEASE)
    assert beta.begins().alone
    assert done(shared, leases.renew, alpha.number, alpha.epoch, LONG, 0.0) is None


def test_a_host_that_starts_need_give_no_sign_before_its_courier_is_there(shared: Store) -> None:
    claim = Looker(shared, own("alpha")).begins()
    beta = Looker(shared, own("beta"))
    assert beta.waits().waits_for_sign
    beta.passes(leases.FOUNDING_SECONDS - 1)
    assert beta.waits().waits_for_sign
    settle(shared, claim)
    renewed(shared)
    assert not beta.begins().alone


def test_who_does_not_look_for_some_time_sees_nobody_fall_silent(shared: Store) -> None:
    started(shared, own("alpha"))
    beta = Looker(shared, own("beta"))
    assert beta.waits().waits_for_sign
    beta.now += 10 * LEASE
    assert beta.waits().waits_for_sign
    beta.passes(LEASE)
    assert beta.begins().alone


def test_hosts_that_were_killed_together_and_start_together_know_it(shared: Store) -> None:
    started(shared, own("alpha"))
    started(shared, own("beta"))
    alpha, beta = Looker(shared, own("alpha")), Looker(shared, own("beta"))
    assert "beta" in alpha.waits().reason
    claim = beta.begins()
    assert claim.alone
    assert [one.number for one in claim.ended] == [0, 1], "both of them in one transaction"
    assert "beta settles" in alpha.waits().reason or alpha.waits().waits_for_sign
    renewed(shared)
    assert "beta settles" in alpha.waits().reason
    settle(shared, claim)
    assert not alpha.begins().alone


def test_hosts_that_were_killed_together_end_together_for_the_one_that_lives(shared: Store) -> None:
    for name in ("alpha", "beta", "gamma"):
        started(shared, own(name))
    alpha, beta = Looker(shared, own("alpha")), Looker(shared, own("beta"))
    assert alpha.waits().waits_for_sign
    assert "gamma" in beta.waits().reason
    renewed(shared, "gamma")
    claim = beta.begins()
    assert not claim.alone
    assert [one.number for one in claim.ended] == [0, 1]
    renewed(shared)
    assert not alpha.begins().alone


def test_who_takes_a_lease_away_ends_those_that_are_about_to_start_with_it(shared: Store) -> None:
    for name in ("alpha", "beta", "gamma"):
        started(shared, own(name))
    assert Looker(shared, own("alpha")).waits().waits_for_sign
    with shared.writing() as rows:
        beta = next(host for host in leases.all_hosts(rows) if host.name == "beta")
        assert {one.number for one in leases.take_away(rows, [beta])} == {0, 1}


def test_the_same_data_directory_has_its_name_at_once_and_another_one_when_the_lease_is_over(shared: Store) -> None:
    first = started(shared, own("alpha"))
    with pytest.raises(HostsDiffer, match="another data directory is the host alpha"):
        start(shared, own("alpha", identity="elsewhere"))
    assert started(shared, own("alpha"), OVER).epoch == first.epoch + 1
    other = Looker(shared, own("alpha", identity="elsewhere"))
    assert other.waits().waits_for_sign
    other.passes(LEASE)
    claim = other.begins()
    assert (claim.number, claim.epoch) == (first.number, first.epoch + 2)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(SHAPE, tables=("poker", "maumau")), "poker.tables (1 and 2)"),
        (replace(SHAPE, span=51), "maumau.max_clients or house.players (51 and 50 records)"),
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
    done(shared, leases.give_back, alpha.number, alpha.epoch)
    assert started(shared, own("beta", other)).alone


def test_there_are_so_many_hosts_and_the_place_of_one_that_is_gone_is_free(shared: Store) -> None:
    claims = [started(shared, own(name)) for name in ("alpha", "beta", "gamma")]
    with pytest.raises(HostsDiffer, match=r"there are 3 hosts already \(alpha, beta, gamma\)"):
        start(shared, own("delta"))
    done(shared, leases.give_back, claims[1].number, claims[1].epoch)
    delta = started(shared, own("delta"))
    assert delta.number == 1
    assert delta.epoch > claims[1].epoch
    fewer = replace(SHAPE, hosts=2)
    for claim in (claims[0], delta, claims[2]):
        done(shared, leases.give_back, claim.number, claim.epoch)
    assert started(shared, own("gamma", fewer)).number < 2, "there is no third one any more"


def test_no_lease_is_taken_away_that_is_renewed(shared: Store) -> None:
    _, beta, gamma = [started(shared, own(name)) for name in ("alpha", "beta", "gamma")]
    with shared.reading() as looked:
        silent = [host for host in leases.all_hosts(looked) if host.name != "alpha"]
    assert done(shared, leases.renew, beta.number, beta.epoch, OVER, 0.5) is not None
    with shared.writing() as rows:
        assert leases.take_away(rows, silent) == [Ended(gamma.number, gamma.epoch + 1)]
        assert leases.take_away(rows, silent) == []
    assert done(shared, leases.renew, gamma.number, gamma.epoch, LONG, 0.0) is None
    with shared.reading() as looked:
        found = leases.all_hosts(looked)
    assert [(one.name, one.holds, one.lag) for one in found] == [
        ("alpha", True, 0.0),
        ("beta", True, 0.5),
        ("gamma", False, 0.0),
    ]


def test_a_lease_holds_on_the_server_where_it_was_taken(shared: Store, empty_database: str) -> None:
    alpha = started(shared, own("alpha"))
    with shared.writing() as rows:
        rows.execute("UPDATE cluster.host SET server = 'another/00000001'")
    assert done(shared, leases.renew, alpha.number, alpha.epoch, LONG, 0.0) is None
    with pytest.raises(Fenced), fenced(empty_database, alpha):
        pass
    again = started(shared, own("alpha"))
    with fenced(empty_database, again):
        pass


def test_transactions_of_a_host_leave_no_trace_of_its_fence(shared: Store, empty_database: str) -> None:
    """Locks of a row that many hold at once are written down, member by member."""
    alpha = started(shared, own("alpha"))
    with closing(open_direct(empty_database)) as database, ExitStack() as stack:
        database.open()

        def members() -> object:
            database.execute("CHECKPOINT")
            return database.execute("SELECT next_multi_offset::text FROM pg_control_checkpoint()").fetchone()

        before = members()
        for _ in range(5):
            stack.enter_context(fenced(empty_database, alpha))
        assert members() == before


def test_the_last_host_settles_and_no_other_starts_meanwhile(shared: Store) -> None:
    alpha, beta = started(shared, own("alpha")), started(shared, own("beta"))
    assert not done(shared, leases.stay_alone, alpha.number, alpha.epoch)
    done(shared, leases.give_back, alpha.number, alpha.epoch)
    assert done(shared, leases.stay_alone, beta.number, beta.epoch)
    assert isinstance(start(shared, own("alpha")), NotYet)
    done(shared, leases.give_back, beta.number, beta.epoch)
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

        wait_until(has_both, "both")
        assert heard == ["a", "ä" * 3000]
        other.execute("SELECT 1")
        assert one.received() == []
        with one.writing() as database:
            assert len(leases.all_hosts(database)) == 1
        with pytest.raises(ZeroDivisionError), one.writing() as database:
            _ = database.execute("DELETE FROM host"), 1 // 0
        assert len(leases.all_hosts(one)) == 1
        postgres.stop()
        with pytest.raises(StoreError):
            one.execute("SELECT 1")
        assert not one.is_open
        assert other.is_open
        wait_until(lambda: has_lost(other), "the loss to be seen")
        postgres.start()
        assert other.open()
        assert one.open()
        assert len(leases.all_hosts(other)) == 1


@given(
    random=st.integers(0, 2**47 - 1), index=st.integers(0, 799), epoch=st.integers(1, 2**20), later=st.integers(0, 999)
)
def test_a_token_lives_as_long_as_the_lease_it_was_made_in(random: int, index: int, epoch: int, later: int) -> None:
    words = memoryview(bytearray(8 * 256)).cast("Q")
    here = ClusteredHost(Head(words))
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
    assert fence == fence_of(3, epoch)
    assert not here.is_of_epoch(token)
    assert here.host_of(MOST_HOSTS * 100) == MOST_HOSTS
