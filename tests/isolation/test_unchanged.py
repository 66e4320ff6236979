"""What a quiet tick relies on: of all that a look the long way would find, nothing can come unseen."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.isolation.sessions import CONFIG
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.ipc.broadcast import Kind, Ring
from yawc_poker.registry.games import POKER_TABLES


class Mute(Notifier):
    """A session that tells nobody: its signals would come to the test's own process."""

    def tell(self, kind: Kind, to: Sequence[int], table: int | None = None, payload: bytes = b"") -> None:
        """Tell nobody."""


class Two:
    """Two sessions of this very process at one table."""

    def __init__(self, foundation: Foundation) -> None:
        self.head = foundation.segment.head
        self.instances = [foundation.instance(CONFIG) for _ in range(2)]
        self.tables = [self._sit(user, instance) for user, instance in enumerate(self.instances, 1)]
        for instance in self.instances:
            instance.notifier.read()
        self.commit = self.tables[1].commit_number
        self.unchanged = self.tables[1].unchanged(sits=True)

    def _sit(self, user: int, instance: Instance) -> GameTable:
        instance.enter("somewhere")
        instance.notifier = Mute(instance.directory, Ring(instance.segment), instance.own, instance.tally)
        instance.bank.welcome(user, 100)
        table = POKER_TABLES.at(instance, 0)
        table.sit(user, f"Caller {user}")
        return table

    def lasts(self, now: float) -> bool:
        """Return whether the second one, who is not the master, finds everything as it was first asked for."""
        return self.unchanged.lasts(self.commit, now)

    def end(self, number: int) -> None:
        record = self.instances[number].own.live()
        assert record is not None
        record.end_reason = 1

    def lose(self, number: int) -> None:
        record = self.instances[number].own.live()
        assert record is not None
        record.token += 1

    def close(self) -> None:
        self.head.closing = 1

    def post(self) -> None:
        self.head.posted += 1

    def spoil(self) -> None:
        self.head.magic += 1


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    foundation = Foundation.found(tmp_path / "data", CONFIG)
    made = Two(foundation)
    magic = made.head.magic
    yield made
    made.head.magic, made.head.closing = magic, 0
    foundation.demolish()
    foundation.segment.close()


def test_while_nothing_happens_it_lasts_until_a_clock_runs_out(two: Two) -> None:
    deadline = two.tables[0].look().deadline
    assert deadline is not None
    assert two.lasts(time.monotonic())
    assert two.lasts(deadline - 0.001)
    assert not two.lasts(deadline + 0.01)  # the segment has it to the millisecond


@pytest.mark.parametrize(
    "happens",
    [
        pytest.param(lambda two: two.tables[0].say("Hello"), id="a commit"),
        pytest.param(Two.post, id="a command"),
        pytest.param(Two.close, id="the BBS closes"),
        pytest.param(Two.spoil, id="the segment is removed"),
        pytest.param(lambda two: two.end(1), id="one shall end"),
        pytest.param(lambda two: two.lose(1), id="the own record is another's"),
        pytest.param(lambda two: two.lose(0), id="the neighbour's record is another's"),
    ],
)
def test_whatever_a_look_would_find_ends_it(two: Two, happens: Callable[[Two], None]) -> None:
    now = time.monotonic()
    assert two.lasts(now)
    happens(two)
    assert not two.lasts(now)


def test_what_was_found_is_read_anew_once_it_is_forgotten(two: Two) -> None:
    now = time.monotonic()
    assert two.lasts(now)
    two.tables[0].say("Hello")
    two.instances[1].notifier.read()
    two.commit = two.tables[1].commit_number
    assert not two.lasts(now)
    two.unchanged.forget()
    assert two.lasts(now)


def test_there_is_none_beside_a_neighbour_who_is_not_there(two: Two) -> None:
    two.lose(0)
    assert not two.lasts(time.monotonic())


def test_one_of_an_older_commit_does_not_last(two: Two) -> None:
    two.tables[0].say("Hello")
    two.instances[1].notifier.read()
    assert not two.lasts(time.monotonic())


def test_beside_a_table_only_a_commit_and_what_is_the_session_s_own_end_it(two: Two) -> None:
    deadline, beside = two.tables[0].look().deadline, two.tables[1].unchanged(sits=False)
    assert deadline is not None
    assert beside.lasts(two.commit, deadline + 1.0), "no clock of the table is its care"
    two.lose(0)
    assert beside.lasts(two.commit, deadline + 1.0), "nor is a death"
    two.tables[1].say("Hello")
    assert not beside.lasts(two.commit, deadline + 1.0)
