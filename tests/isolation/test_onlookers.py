"""On-lookers in shared memory: who is woken by a commit, and that nobody stays hidden or named for ever."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.isolation.sessions import CONFIG
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.bbs.reaper import Reaper
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.onlookers import Onlookers, has_died
from yawc_poker.casino.tables.gallery import Gallery
from yawc_poker.engine.game import IllegalMove
from yawc_poker.ipc import process
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.broadcast import Kind, Ring
from yawc_poker.ipc.metrics import Tally
from yawc_poker.ipc.record import Record
from yawc_poker.registry.games import POKER_TABLES
from yawc_poker.session.table.attendance import Onlooker


class Ear(Notifier):
    """A session that wakes nobody, since all are in the test's own process, and notes whom it would have woken."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance.directory, Ring(instance.segment), instance.own, instance.tally)
        self.told: list[int] = []
        self.roused: list[int] = []

    def tell(self, kind: Kind, to: Sequence[int], table: int | None = None, payload: bytes = b"") -> None:
        """Note the sessions that get a command."""
        self.told += [index for index in to if index != self.index]

    def rouse(self, to: Sequence[int]) -> None:
        """Note the sessions that are woken without one."""
        self.roused += [index for index in to if index != self.index]

    def take(self) -> tuple[list[int], list[int]]:
        """Return who was told, and who was woken without a command, since the last call."""
        told, roused = self.told, self.roused
        self.told, self.roused = [], []
        return told, roused


class Hall:
    """Anna and Bert sit at a table; Dora and Emil may look on there. All are sessions of this process."""

    def __init__(self, foundation: Foundation) -> None:
        self.segment = foundation.segment
        self.instances = [foundation.instance(CONFIG) for _ in range(4)]
        self.ears: list[Ear] = []
        for user, instance in enumerate(self.instances, 1):
            instance.enter("somewhere")
            instance.notifier = ear = Ear(instance)
            self.ears.append(ear)
            instance.bank.welcome(user, 100)
            name = ("Anna", "Bert", "Dora", "Emil")[user - 1]
            instance.directory.claim_name(ear.index, user, name)
            if user <= 2:
                POKER_TABLES.at(instance, 0).sit(user, name)
        self.anna, self.bert, self.dora, self.emil = (ear.index for ear in self.ears)
        self.tables = [POKER_TABLES.at(instance, 0) for instance in self.instances]
        self.galleries: list[Gallery] = [table.gallery() for table in self.tables]
        for ear in self.ears:
            ear.take()

    def say(self) -> tuple[list[int], list[int]]:
        """Let Anna say something; return whom that wakes."""
        self.tables[0].say("Hello")
        return self.ears[0].take()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    foundation = Foundation.found(tmp_path / "data", CONFIG)
    made = Hall(foundation)
    yield made
    for instance in made.instances:
        instance.leave()
    foundation.demolish()
    foundation.segment.close()


def test_a_commit_wakes_those_who_look_on_and_costs_nothing_without_them(hall: Hall) -> None:
    anna, dora, emil = hall.galleries[0], hall.galleries[2], hall.galleries[3]
    assert (anna.state, anna.names()) == (0, ())
    assert hall.say() == ([hall.bert], [])
    states = [0]
    for gallery, number, names in ((emil, 3, ("Emil",)), (dora, 2, ("Dora", "Emil"))):
        gallery.come()
        assert hall.ears[number].take()[1][:2] == [hall.anna, hall.bert], "those who sit are told who came"
        assert anna.names() == names
        states.append(anna.state)
    assert hall.say() == ([hall.bert], [hall.dora, hall.emil])
    emil.go()
    states.append(anna.state)
    assert len(set(states)) == 4, "each coming and going shows"
    assert hall.say() == ([hall.bert], [hall.dora])
    dora.go()
    assert (anna.state, hall.say()) == (0, ([hall.bert], []))


def test_a_text_that_is_revealed_wakes_nobody_before_the_last_one(hall: Hall) -> None:
    anna, bert = hall.tables[:2]
    for table in (anna, bert):
        table.tend()
    for ear in hall.ears:
        ear.take()
    anna.start()
    assert anna.look().opening is not None
    assert hall.ears[0].take() == ([hall.bert], []), "of the start, not of Anna's text as well"
    bert.tend()
    assert anna.look().game is not None
    assert hall.ears[1].take() == ([hall.anna], [])


def test_a_look_on_another_table_is_none_here(hall: Hall) -> None:
    Onlookers(hall.segment, 1).come(hall.instances[2].own)
    assert hall.galleries[0].state == 0
    assert hall.say() == ([hall.bert], [])


def test_what_they_say_to_each_other_wakes_nobody_who_sits(hall: Hall) -> None:
    dora, emil, ear = hall.galleries[2], hall.galleries[3], hall.ears[2]
    dora.come()
    emil.come()
    ear.take()
    dora.murmur("Dora", "psst")
    assert ear.take() == ([], [hall.emil])
    assert [line.text for line in hall.tables[0].look().gallery] == ["psst"]
    with pytest.raises(IllegalMove, match="gallery_closed"):
        dora.speak("Dora", "hello")
    hall.galleries[0].let_speak(on=True)
    ear.take()
    dora.speak("Dora", "hello")
    assert ear.take() == ([hall.anna, hall.bert], [hall.emil])
    assert hall.tables[1].look().log[-1].name == "Dora"


def test_who_comes_reads_nothing_that_was_said_before(hall: Hall) -> None:
    dora = hall.galleries[2]
    dora.come()
    dora.murmur("Dora", "long ago")
    emil = Onlooker(hall.tables[3], Alarms(arm=lambda seconds, period: None), 5.0)
    for text in ("now", "again"):
        emil.come()
        hall.tables[0].say("Hello")
        found = emil.follow()
        assert found is not None
        assert (found.log[-1].name, emil.said) == ("Anna", [])
        dora.murmur("Dora", text)
        assert emil.follow() is not None
        assert [line.text for line in emil.said] == [text]
        emil.go()
        emil = Onlooker(hall.tables[3], Alarms(arm=lambda seconds, period: None), 5.0)


def test_what_was_due_before_a_line_for_the_gallery_is_told_to_those_who_sit(hall: Hall) -> None:
    table, dora = hall.tables[0], hall.galleries[2]
    dora.come()
    hall.ears[2].take()
    assert table.look().deadline not in {None, math.inf}
    table._value.commit(replace(table.look(), deadline=1.0))  # the master's time is over, and nobody has served it
    dora.murmur("Dora", "is anybody awake?")
    assert hall.ears[2].take()[0] == [hall.anna, hall.bert]
    assert hall.tables[1].look().master == 1


def test_a_dead_one_is_forgotten_by_the_next_commit_at_the_latest(hall: Hall) -> None:
    hall.galleries[2].come()
    hall.instances[2].own.give_back()  # as if a newer session of the same user had found the process dead
    assert hall.galleries[0].state != 0
    assert hall.say() == ([hall.bert], [])
    assert hall.galleries[0].state == 0


def test_a_death_that_is_noticed_is_told(hall: Hall) -> None:
    hall.galleries[2].come()
    hall.galleries[3].come()
    before = hall.galleries[0].state
    person = hall.instances[2].directory.at(hall.dora)
    assert person is not None
    hall.instances[2].own.give_back()
    has_died(hall.segment, person)
    assert hall.galleries[0].state not in {0, before}
    assert hall.galleries[0].names() == ("Emil",)


def test_the_reaper_wakes_those_at_the_table(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.galleries[2].come()
    own = hall.instances[2].own.live()
    assert own is not None
    ended = process.Identity(own.identity.pid, own.identity.start + 1)  # another process had this pid
    own.words[own.base + 2] = ended.start
    woken: list[int] = []
    monkeypatch.setattr("yawc_poker.bbs.reaper.signals.wake", lambda identity: woken.append(identity.pid))
    hall.instances[0].own.stand_at(*_seat(0))
    hall.instances[1].own.stand_at(*_seat(1))
    reaper = Reaper(hall.segment, hall.instances[0].directory, Tally())
    reaper.take(ended.pid)
    assert reaper.work()
    assert hall.galleries[0].state == 0
    assert len(woken) == 2
    assert [command.kind for command in hall.ears[0].read().commands] == [Kind.PURGE]


def _seat(seat: int) -> tuple[PlaceKind, int, int]:
    return PlaceKind.TABLE, 0, seat


class Interrupted(Onlookers):
    """Somebody does something between a look at the directory and what follows from it."""

    meanwhile: Callable[[], None] | None = None

    def _there(self) -> list[Record]:
        found, happens = super()._there(), self.meanwhile
        self.meanwhile = None
        if happens is not None:
            happens()
        return found


def test_one_who_comes_while_the_last_one_goes_is_not_overlooked(hall: Hall) -> None:
    dora, emil = Interrupted(hall.segment, 0), Onlookers(hall.segment, 0)
    dora.come(hall.instances[2].own)
    dora.meanwhile = lambda: emil.come(hall.instances[3].own)
    dora.go(hall.instances[2].own)
    assert (emil.state != 0, emil.names()) == (True, ("Emil",))
