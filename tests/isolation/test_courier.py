"""What a courier does with commands when its database does part of what it is asked only, with a real one."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.isolation.both_hosts import Casino, Host, casino
from yawc_poker.bbs.courier import joining
from yawc_poker.bbs.courier.directory import Neighbours
from yawc_poker.bbs.courier.loop import Courier
from yawc_poker.bbs.courier.tables import TablesAbroad
from yawc_poker.casino.cluster import messages
from yawc_poker.casino.database.connection import StoreError, Unavailable
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.games import POKER_TABLES
from yawc_poker.registry.tables import Tables
from yawc_poker.session.loop.event_loop import EventLoop


@pytest.fixture
def both(tmp_path: Path, database: str) -> Iterator[Casino]:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # all sessions are this process, and wake it
    with casino(tmp_path, database) as both:
        yield both
    signal.signal(signal.SIGUSR1, before)


@pytest.fixture
def couriers(both: Casino) -> Iterator[dict[str, Courier]]:
    """The couriers of both hosts, in touch with each other."""
    inbox = SignalInbox()
    made: dict[str, Courier] = {}
    for host in both.hosts:
        host.courier.tables = Tables(host.courier)
        made[host.config.cluster.host] = Courier(host.courier, EventLoop(inbox))
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
    assert joining.own_again(host.courier.databases, segment) == before


def test_of_hosts_that_close_at_once_the_last_one_settles(both: Casino) -> None:
    north, south = [(host.courier.databases, host.segment) for host in both.hosts]
    assert not joining.is_last(*north)
    assert joining.is_last(*south), "the other one is on its way out already"


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
