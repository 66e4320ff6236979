"""The wait for the seat of a house player: nothing that happens to the table meanwhile is missed."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

from tests.screens.poker_pictures import EN, pause
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import Seat, Table
from yawc_poker.games.poker.game import POKER
from yawc_poker.games.poker.model import Event, State
from yawc_poker.ipc.events import AlarmDue
from yawc_poker.ipc.events import Event as LoopEvent
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.attendance import SeatedPlayer
from yawc_poker.session.table.sitting import sit_down
from yawc_poker.table_ui.definition import plain

HOUSE = Seat(9, 9, "Ada*", 0, program="normal 1")


class FullTable:
    """A table that a house player leaves just after somebody has looked at it."""

    commit_number = 1
    house: Seat | None = HOUSE

    def sitting(self) -> tuple[Seat | None, ...]:
        seats = (self.house,)
        if self.house is not None:
            self.house, self.commit_number = None, 2
        return seats


class Player:
    """Somebody who gets a seat where one is free."""

    def __init__(self, value: Table[State, Event]) -> None:
        self.table, self._value = FullTable(), value

    def sit(self, user: int, name: str) -> Table[State, Event]:
        if self.table.house is not None:
            raise IllegalMove("house_yields")
        return self._value


def alarms() -> Iterator[LoopEvent]:
    yield from 3 * [AlarmDue("seat")]
    raise AssertionError("the free seat was not seen")


def test_a_seat_that_is_freed_at_the_beginning_of_the_wait_is_seen() -> None:
    coming, (instance, *_) = alarms(), pause()
    caller = SimpleNamespace(
        user=SimpleNamespace(id=1, name="Anna"),
        words=EN,
        console=SimpleNamespace(prompt=lambda text: None, finish=lambda: None),
        loop=SimpleNamespace(
            alarms=SimpleNamespace(every=lambda name, seconds: None, cancel=lambda name: None),
            next=lambda: next(coming),
        ),
        meanwhile=lambda event: None,
    )
    player = cast(SeatedPlayer, Player(instance.table))
    assert sit_down(cast(Caller, caller), player, plain(POKER).face) is instance.table
