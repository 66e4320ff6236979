"""What a courier does with commands when its database does part of what it is asked only, with a real one."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.isolation.both_hosts import Casino, Host, casino
from tests.isolation.processes import exit_code, fork
from tests.waiting import wait_until
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.store.connection import StoreError, Unavailable
from yawc_poker.extras.cluster import joining, leases, messages
from yawc_poker.extras.cluster.courier.directory import Neighbours
from yawc_poker.extras.cluster.courier.lease import Lease
from yawc_poker.extras.cluster.courier.loop import Courier
from yawc_poker.extras.cluster.courier.process import Couriers
from yawc_poker.extras.cluster.courier.tables import TablesAbroad
from yawc_poker.extras.cluster.databases import ServerDatabases
from yawc_poker.extras.cluster.leases import Signs
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.games import POKER_TABLES
from yawc_poker.registry.tables import Tables

LEASE = 15.0


@pytest.fixture
def both(tmp_path: Path, database: str) -> Iterator[Casino]:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # all sessions are this process, and wake it
    with casino(tmp_path, database) as both:
        yield both
    signal.signal(signal.SIGUSR1, before)


def databases_of(host: Host) -> ServerDatabases:
    found = host.courier.databases
    assert isinstance(found, ServerDatabases)
    return found


@pytest.fixture
def couriers(both: Casino) -> Iterator[dict[str, Courier]]:
    """The couriers of both hosts, in touch with each other."""
    inbox = SignalInbox()
    made: dict[str, Courier] = {}
    for host in both.hosts:
        host.courier.tables = Tables(host.courier)
        made[host.config.of(ClusterSettings).host] = Courier(host.courier, EventLoop(inbox))
    yield made
    for courier in made.values():
        courier.close()
    inbox.close()


def work(*couriers: Courier) -> None:
    """Each does what it does at a tick, twice, so that all has come from the one to the other."""
    for courier in couriers * 2:
        courier._next_tick = 0.0
        courier._work(time.monotonic())


def kinds(instance: Instance) -> list[int]:
    return [command.kind for command in instance.notifier.read().commands]


def tell(sender: Instance, host: Host, user: int) -> None:
    """Send an X-message's command to a user of the other host."""
    (index,) = [one.index for one in host.courier.directory.people() if one.user == user]
    sender.notifier.tell(Kind.XMESSAGE, [index], payload=b"x")


def test_a_command_is_told_though_the_rows_cannot_be_written(
    both: Casino, couriers: dict[str, Courier], monkeypatch: pytest.MonkeyPatch
) -> None:
    north, south = couriers["north"], couriers["south"]
    anna, bert = both.north.log_in(1, "Anna"), both.south.log_in(2, "Bert")
    work(north, south)
    kinds(bert)

    def fail(self: Neighbours, now: float) -> bool:
        raise Unavailable("the pooler is gone")

    tell(anna, both.north, 2)
    with monkeypatch.context() as broken:
        broken.setattr(Neighbours, "write", fail)
        with pytest.raises(StoreError, match="the pooler is gone"):
            work(north)
    work(south)
    assert kinds(bert) == [Kind.XMESSAGE]


@pytest.mark.parametrize("error", [Unavailable("the database is gone"), LockTimeout("directory", 0)])
def test_a_command_that_came_is_posted_though_something_is_in_the_way(
    both: Casino, couriers: dict[str, Courier], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    north, south = couriers["north"], couriers["south"]
    anna, bert = both.north.log_in(1, "Anna"), both.south.log_in(2, "Bert")
    work(north, south)
    kinds(bert)
    tell(anna, both.north, 2)
    anna.own.count_waiting(1)  # the rows change, too
    work(north)

    def fail(self: object, *arguments: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(Neighbours, "read", fail)
        broken.setattr(TablesAbroad, "take", fail)
        with pytest.raises(type(error)):
            work(south)
    work(south)
    assert kinds(bert) == [Kind.XMESSAGE]


def test_a_host_takes_its_next_lease_as_its_segment_was_made(both: Casino) -> None:
    host = both.south
    asked_for = replace(
        host.config, telnet=replace(host.config.telnet, max_sessions=50), house=replace(host.config.house, players=0)
    )
    before, after = joining.own_of(host.data, host.config), joining.own_of(host.data, asked_for)
    assert before.shape != after.shape
    segment: Segment = host.segment
    assert joining.own_again(databases_of(host), segment) == before


def test_of_hosts_that_close_at_once_the_last_one_settles(both: Casino) -> None:
    north, south = [(databases_of(host), host.segment) for host in both.hosts]
    assert not joining.is_last(*north)
    assert joining.is_last(*south), "the other one is on its way out already"


def test_a_courier_that_stands_still_is_killed_after_two_leases(both: Casino) -> None:
    here, lease = both.south.here, 15.0
    couriers = Couriers(both.south.segment, ServerDatabases(both.south.data, ClusterSettings(lease_seconds=lease)))
    child = fork(signal.pause)
    here.courier = courier = process.find(child)
    assert courier is not None
    assert couriers.due(0.0) < lease, "the listener has to look"
    here.works()
    for now in (0, 10, 20, 29):
        couriers.watch(now)
    before = here.worked

    def is_later() -> bool:
        here.works()
        return here.worked != before

    wait_until(is_later, "the next millisecond")
    for now in (35, 45, 55, 64):
        couriers.watch(now)
    couriers.watch(200)  # the listener was stopped, too
    for now in (210, 220, 229):
        couriers.watch(now)
    assert process.is_alive(courier)
    couriers.watch(230)
    assert exit_code(child) == -signal.SIGKILL


@pytest.fixture
def watcher(couriers: dict[str, Courier]) -> tuple[Lease, list[float]]:
    """What the north's courier does about leases, and what its clock says."""
    work(couriers["north"])
    lease, now = couriers["north"]._lease, [0.0]
    lease._signs = Signs(LEASE, lambda: now[0])
    return lease, now


def passes(watcher: tuple[Lease, list[float]], seconds: float, *, is_south_well: bool, both: Casino) -> set[int]:
    """Let so much time pass, in which hosts renew their leases; return whose leases are taken away then."""
    lease, now = watcher
    for _ in range(round(seconds * 3 / LEASE)):
        now[0] += LEASE / 3
        if is_south_well:
            assert leases.renew(both.south.link, 1, 1, LEASE, 0.0) is not None
        assert lease.renew(0.0) is not None
    return lease.take_away()


@pytest.mark.parametrize("hours", [1, -1])
def test_a_server_whose_clock_is_set_takes_no_lease_from_a_host_that_is_well_and_one_from_a_host_that_is_not(
    both: Casino, watcher: tuple[Lease, list[float]], hours: int
) -> None:
    assert passes(watcher, LEASE * 2, is_south_well=True, both=both) == set()
    both.south.link.execute(f"UPDATE cluster.host SET until = until - interval '{hours} h'")
    assert passes(watcher, LEASE / 3, is_south_well=False, both=both) == set(), "as if they had all run out"
    assert passes(watcher, LEASE * 2, is_south_well=True, both=both) == set()
    both.south.link.execute(f"UPDATE cluster.host SET until = until - interval '{hours} h'")
    assert passes(watcher, LEASE * 2, is_south_well=False, both=both) == {1}


def test_a_lease_is_taken_away_with_the_rows_of_its_sessions_or_not_at_all(
    both: Casino, watcher: tuple[Lease, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    both.south.log_in(2, "Bert")
    both.look()

    def fail(*arguments: object) -> None:
        raise Unavailable("killed half-way")

    def left() -> tuple[int, bool]:
        (rows,) = both.north.link.execute("SELECT count(*) FROM cluster.session WHERE host = 1").fetchone()
        (holds,) = both.north.link.execute("SELECT until > '-infinity' FROM cluster.host WHERE number = 1").fetchone()
        return rows, holds

    with monkeypatch.context() as broken:
        broken.setattr("yawc_poker.extras.cluster.joining.forget_sessions", fail)
        with pytest.raises(StoreError, match="half-way"):
            passes(watcher, LEASE * 2, is_south_well=False, both=both)
    assert left() == (1, True)
    assert passes(watcher, LEASE / 3, is_south_well=False, both=both) == {1}
    assert left() == (0, False)


def test_a_table_is_told_of_to_the_hosts_where_somebody_is_at_it(both: Casino, couriers: dict[str, Courier]) -> None:
    north, south = couriers["north"], couriers["south"]
    instances = both.north.log_in(1, "Anna"), both.south.log_in(2, "Bert")
    anna, bert = [POKER_TABLES.at(instance, 0) for instance in instances]

    def told() -> list[tuple[int, ...] | None]:
        committed = north._tables.committed()
        assert committed
        payloads = messages.tables_changed(0, committed, north._tables.audience)
        return [one.hosts for one in map(messages.decoded, payloads) if isinstance(one, messages.TablesChanged)]

    anna.sit(1, "Anna")
    assert told() == [None], "a new courier does not know who sat there"
    anna.say("alone")
    assert told() == []
    bert.sit(2, "Bert")
    work(north, south)
    anna.say("hello")
    assert told() == [(1,)]
    bert.leave()
    instances[1].own.stand_at(PlaceKind.WATCHING, 0)
    work(north, south)
    anna.say("who looks on?")
    assert told() == [(1,)]
    instances[1].own.stand_at(PlaceKind.PROMPT)
    work(north, south)
    anna.say("alone")
    work(north)
    assert south._instance.segment.cells[0].number < both.north.segment.cells[0].number
    work(south)
    assert south._instance.segment.cells[0].number == both.north.segment.cells[0].number, "at its next tick"


def test_a_host_that_a_session_has_cut_off_begins_anew(couriers: dict[str, Courier], both: Casino) -> None:
    north, here = couriers["north"], both.north.here
    work(north)
    assert not north._is_cut_off
    here.fenced = here.epoch
    work(north)
    assert north._is_cut_off
