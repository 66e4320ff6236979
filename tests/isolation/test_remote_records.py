"""Records of other hosts' sessions in one host's directory: shown, and nothing else."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.isolation.sessions import CONFIG
from yawc_poker.bbs.invitations import Invitations
from yawc_poker.casino.presence.directory import Directory, DirectoryFull, PlaceKind, index_of
from yawc_poker.casino.presence.entrances import Entrance, divide, is_house_players, layout, records_for
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.own_record import OwnRecord
from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.remote_sessions import RemoteSessions
from yawc_poker.extras.cluster.sessions import Listed
from yawc_poker.extras.live.metrics import exposition
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Command, Kind, Ring
from yawc_poker.ipc.cell import Header
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.process import REMOTE, Identity
from yawc_poker.ipc.record import Place
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.ipc.signals import Waker

CALLERS, HOUSE, HOSTS = 3, 2, 3
SPAN = CALLERS + 16 + 16 + HOUSE + 1
OWN, OTHER = 1, 2
EPOCH = 7


class Hall:
    """Host 1 of three, as a process in it sees it."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.here = ClusteredHost(segment.head)
        self.here.lay_out(OWN, SPAN)
        self.here.epoch = EPOCH
        for host in range(HOSTS):
            self.here.note_lease(host, EPOCH, True)
        self.directory = Directory(segment, segment.directory_lock)
        self.remote = RemoteSessions(segment)

    def token(self, index: int, epoch: int = EPOCH) -> int:
        """Return a token of a session of another host."""
        return 1 << 63 | epoch << 48 | index

    def show(self, *remotes: Listed) -> set[int]:
        return self.remote.show(remotes, self.here.offset)

    def enter(self, entrance: Entrance = Entrance.DOOR) -> Notifier:
        record = self.directory.enter(process.me(), "192.0.2.1", records_for(self.segment, entrance))
        return Notifier(self.directory, Ring(self.segment), OwnRecord(self.directory, record), Tally())


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    segment = Segment.create(segment_name(tmp_path), layout(CALLERS, 2, HOUSE, HOSTS))
    divide(segment, HOUSE, HOSTS)
    hall = Hall(segment)
    with closing(hall.directory):
        yield hall
    Segment.destroy(segment.name)
    segment.close()


def anna(hall: Hall, at: int = 2 * SPAN + 1, place: Place | None = None) -> Listed:
    where = Place(PlaceKind.PROMPT) if place is None else place
    return Listed(
        record=at,
        token=hall.token(at),
        host=2,
        epoch=EPOCH,
        user=5,
        name="Anna",
        peer="192.0.2.9",
        door=2,
        place=where.pack(),
        login=1e9,
        input=time.time() - 60,
        waiting=3,
        host_name="south",
        in_force=True,
    )


def test_the_records_of_a_host_are_its_own(hall: Hall) -> None:
    assert len(hall.segment.records) == SPAN * HOSTS
    assert hall.directory.own == range(SPAN, 2 * SPAN)
    found = [records_for(hall.segment, entrance) for entrance in Entrance]
    assert sorted(index for one in found for index in one) == list(hall.directory.own)
    assert [len(one) for one in found] == [CALLERS, 16, 16, HOUSE, 1]
    house = [index for index in range(SPAN * HOSTS) if is_house_players(hall.segment, index)]
    assert house == [host * SPAN + SPAN - 1 - one for host in range(HOSTS) for one in (HOUSE, 1)]
    for _ in range(CALLERS):
        hall.enter()
    assert hall.directory.is_full(records_for(hall.segment, Entrance.DOOR))
    assert hall.directory.count() == CALLERS
    with pytest.raises(DirectoryFull):
        hall.enter()


def test_somebody_of_another_host_is_shown_with_all_that_it_tells(hall: Hall) -> None:
    remote = anna(hall)
    hall.here.offset = time.time() - time.monotonic()
    assert hall.show(remote) == set()
    (person,) = hall.directory.people()
    assert (person.user, person.name, person.host, person.peer) == (5, "Anna", "south", "192.0.2.9")
    assert (person.identity, person.is_remote, person.at_prompt, person.door) == (REMOTE, True, True, 2)
    assert 59 < person.idle < 70
    named, of_user = hall.directory.named("anna"), hall.directory.of_user(5)
    assert named is not None
    assert of_user is not None
    assert named.token == of_user.token == remote.token
    seat = replace(remote, place=Place(PlaceKind.TABLE, 1, 2).pack(), name="Änne")
    assert hall.show(seat) == set()
    (person,) = hall.directory.people()
    assert (person.name, person.place, person.at_table) == ("Änne", Place(PlaceKind.TABLE, 1, 2), True)
    assert hall.show() == set()
    assert hall.directory.everybody() == []


def test_who_looks_on_is_told_of_by_the_tables_that_it_concerns(hall: Hall) -> None:
    remote = anna(hall)
    beside = replace(remote, place=Place(PlaceKind.WATCHING, 1).pack())
    assert hall.show(beside) == {1}
    assert hall.show(beside) == set()
    assert hall.show(replace(beside, input=beside.input + 40)) == set()
    assert hall.show(replace(beside, place=Place(PlaceKind.WATCHING, 0).pack())) == {0, 1}
    assert RemoteSessions(hall.segment).show([], 0.0) == {0}, "also by a courier that did not write it"
    assert hall.show(beside) == {1}
    assert hall.remote.forget(OTHER) == {1}
    assert hall.directory.everybody() == []


def test_a_remote_session_lives_by_the_lease_of_its_host(hall: Hall) -> None:
    token = anna(hall).token
    assert hall.directory.lives(token), "also before the directory has it"
    assert not hall.directory.is_in(token)
    hall.show(anna(hall))
    assert hall.directory.is_in(token)
    assert hall.directory.can_act(token)
    found = hall.directory.neighbours([token])
    assert found is not None
    words, poller = found
    assert not poller.poll(0)
    assert all(hall.segment.words[at] == value for at, value in words.items())
    hall.here.note_lease(OTHER, EPOCH + 1, False)
    assert any(hall.segment.words[at] != value for at, value in words.items())
    assert not hall.directory.lives(token)
    assert not hall.directory.is_in(token)
    assert hall.directory.neighbours([token]) is None
    hall.here.note_lease(OTHER, EPOCH + 1, True)
    assert not hall.directory.lives(token)
    assert hall.directory.lives(hall.token(index_of(token), EPOCH + 1))


def test_nobody_here_takes_one_for_dead_or_counts_it(hall: Hall) -> None:
    me = hall.enter()
    hall.show(*(anna(hall, at) for at in (0, 1, 2 * SPAN + 1)))
    remotes = [one for one in hall.directory.everybody() if one.is_remote]
    assert len(remotes) == 3
    assert hall.directory.dead() == []
    assert not any(hall.directory.free_dead(one) for one in remotes)
    sweep = hall.directory.round_from(me.index, 5)
    assert (sweep.dead, sweep.living, sweep.records) == ([], 0, SPAN)
    assert hall.directory.count() == 1
    shown = exposition(Snapshot.of(hall.segment))
    assert '\nyawc_sessions{place="prompt"} 0\n' in shown
    assert '\nyawc_sessions{place="login"} 1\n' in shown
    assert f"\nyawc_sessions_room {SPAN}\n" in shown
    courier = hall.enter(Entrance.COURIER)
    assert exposition(Snapshot.of(hall.segment)).count('\nyawc_sessions{place="login"} 1\n') == 1
    courier.close()
    me.close()


def test_nobody_waits_for_one_that_is_elsewhere_to_read(hall: Hall) -> None:
    remote = anna(hall)
    hall.show(remote)
    ring, before = Ring(hall.segment), time.monotonic()
    for _ in range(2 * hall.segment.layout.slots):
        ring.post(Command(Kind.XMESSAGE, sender=hall.token(SPAN)), [index_of(remote.token)], wait=False)
    assert hall.segment.head.waits == 0
    assert time.monotonic() - before < 5


class Bell:
    """Notes whom a session would have woken."""

    def __init__(self) -> None:
        self.rung: list[Identity] = []

    def ring(self, waker: Waker, identity: Identity) -> bool:
        self.rung.append(identity)
        return True

    def take(self) -> list[Identity]:
        rung, self.rung = self.rung, []
        return rung


@contextmanager
def listening(patch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[Identity]]]:
    bell = Bell()
    with patch.context() as context:
        context.setattr(Waker, "wake", lambda waker, identity: bell.ring(waker, identity))
        yield bell.take


def test_the_courier_is_woken_in_their_place_and_once(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    near, courier = Identity(40, 4), Identity(50, 5)
    me = hall.enter()
    here = hall.directory.enter(near, "192.0.2.1")
    with listening(monkeypatch) as woken:
        hall.show(*(anna(hall, at) for at in (0, 1)))
        me.tell(Kind.NOTICE, [0, 1, here.index])
        assert woken() == [near], "there is no courier yet"
        hall.here.courier = courier
        me.tell(Kind.NOTICE, [0, 1, here.index])
        assert woken() == [near, courier]
        me.rouse([here.index, me.index])
        assert woken() == [near]
        me.rouse([0])
        assert woken() == [courier]
        hall.directory.claim_name(here.index, 6, "Bert")
        here.place = Place(PlaceKind.PROMPT)
        me.tell_all(Kind.NOTICE)
        assert woken() == [near, courier]
        me.pass_on(Command(Kind.NOTICE), None)
        assert woken() == [near]
    me.close()


def test_a_user_who_logs_in_here_is_shown_nowhere_else(hall: Hall) -> None:
    me = hall.enter()
    hall.show(anna(hall))
    assert hall.directory.claim_name(me.index, 5, "Anna") is None
    assert [(one.index, one.host) for one in hall.directory.people()] == [(me.index, "")]
    hall.show(anna(hall))
    assert [one.index for one in hall.directory.people()] == [me.index], "what was read before is not true any more"
    me.own.give_back()
    hall.show(anna(hall))
    assert [one.host for one in hall.directory.people()] == ["south"]
    me.close()


def test_house_players_come_from_the_host_of_the_person_in_the_lowest_seat(hall: Hall) -> None:
    invitations = Invitations(hall.segment, hall.directory)
    cell = hall.segment.cells[0]
    house_there, house_here = hall.token(SPAN - 2), hall.token(2 * SPAN - 2)
    here, there = hall.token(SPAN + 1), hall.token(2)
    for seats, wanted in [
        ((here, there), [0]),
        ((there, here), []),
        ((0, house_there, here), [0]),
        ((house_here, there), []),
        ((house_here, 0), [0]),
        ((house_there, 0), []),
        ((), []),
    ]:
        cell.commit(Header(seats=seats, invited=1), b"")
        assert invitations.wanted(9) == wanted, seats


def test_the_configuration_of_one_host_has_the_layout_as_ever() -> None:
    callers = CONFIG.telnet.max_sessions
    assert layout(callers, 2, 4) == layout(callers, 2, 4, 0)
    assert layout(callers, 2, 4).sessions == callers + 32 + 4
