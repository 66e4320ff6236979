"""A guest of the wire that moves to another table while others take the seats that it wants."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import pytest

from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.config import Config, TelnetSettings
from yawc_poker.engine.values import AnyTable, seated
from yawc_poker.extras.maumau_wire.seating import Seating
from yawc_poker.games.maumau.game import MaumauSettings
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.games import MAUMAU_TABLES
from yawc_poker.registry.tables import Tables
from yawc_poker.session.table.attendance import SeatedPlayer

CONFIG = Config(telnet=TelnetSettings(max_sessions=4), games=(MaumauSettings(tables=2, pause_seconds=0),))


class Guest:
    """A guest, at each table as far as it sits there."""

    def __init__(self, foundation: Foundation, name: str, stack: ExitStack) -> None:
        instance = foundation.instance(CONFIG)
        instance.enter("somewhere")
        stack.callback(instance.leave)
        instance.tables = Tables(instance)
        self.alarms = Alarms(arm=lambda seconds, period: None)
        self.at = [Hurried(table, self.alarms, 5.0) for table in MAUMAU_TABLES.all(instance)]
        claimed = instance.directory.claim_guest(instance.notifier.index, lambda taken: name)
        self.seating = Seating(self.at, *claimed)

    def sit(self, table: int, seat: int) -> int | None:
        """Sit down there, if possible on this seat; return the seat."""
        self.at[table].sit(self.seating._user, self.seating.name, seat)
        return self.at[table].seat


class Hurried(SeatedPlayer):
    """A seat before which others sit down, if they are there."""

    others: ClassVar["list[tuple[Guest, int]]"] = []

    def sit(self, user: int, name: str, wanted: int | None = None, grace: float = 0.0, program: str = "") -> AnyTable:
        hurry, Hurried.others = Hurried.others, []
        for guest, table in hurry:
            guest.sit(table, 0)
        return super().sit(user, name, wanted, grace, program)


@pytest.fixture
def guests(tmp_path: Path) -> Iterator[list[Guest]]:
    foundation = Foundation.found(tmp_path, CONFIG)
    try:
        with ExitStack() as stack:
            stack.callback(SignalInbox().close)
            yield [Guest(foundation, name, stack) for name in ("Anna", "Bert", "Carl", "Dora")]
    finally:
        foundation.demolish()
        foundation.segment.close()


def test_who_is_alone_moves_and_leaves_no_seat_behind(guests: list[Guest]) -> None:
    anna, bert, *_ = guests
    assert (anna.sit(1, 0), bert.sit(0, 1)) == (0, 1)
    assert anna.seating.move(anna.at[1]) is anna.at[0]
    assert (anna.at[0].seat, anna.at[1].seat) == (0, None)
    assert list(seated(anna.at[1].table.look())) == []
    assert anna.alarms.next_at is not None, "no ticks"


def test_who_finds_the_other_seat_taken_keeps_its_own_whoever_wants_that(guests: list[Guest]) -> None:
    anna, bert, carl, dora = guests
    assert (anna.sit(1, 0), bert.sit(0, 1)) == (0, 1)
    Hurried.others = [(carl, 0), (dora, 1)]
    assert anna.seating.move(anna.at[1]) is anna.at[1]
    assert (carl.at[0].seat, anna.at[1].seat) == (0, 0)
    assert dora.at[1].seat not in {None, 0}
    assert list(seated(anna.at[0].table.look())) == [0, 1]
    assert anna.alarms.next_at is not None, "no ticks"
