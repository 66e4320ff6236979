"""A house player in the rehearsal before the first fork: a further session of the listener's own process.

Owns its session and its seat. It is the very code that plays in a process of its own (`session.house.stay`), but
nothing wakes it: it acts when it is asked to.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.places import Entrance
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import SETTINGS
from yawc_poker.session.house.process import PEER, enter_name
from yawc_poker.session.house.slots import FILE, ThinkSlots
from yawc_poker.session.house.stay import HouseStay, Over
from yawc_poker.table_ui.definition import Definition
from yawc_poker.table_ui.scene import LocalT


class _Acts(NamedTuple):
    """What it can be asked to do, whatever game it plays."""

    look: Callable[[], None]
    move: Callable[[], None]
    stand_up: Callable[[], None]
    commit: Callable[[], int]


class HouseCompanion:
    """A house player at a table where one was asked to join (a `registry.rehearsal.Companion`)."""

    def __init__(self, data: Path, game: Entry, number: int) -> None:
        """Sit down at a table, by its number in the segment."""
        self._instance = instance = Instance.attach(data, SETTINGS)
        instance.enter(PEER, Entrance.HOUSE)
        self._slots = ThinkSlots(data / FILE)
        found = enter_name(instance)
        assert found is not None, "a rehearsal has one house player at a time"
        user, name = found
        acts: list[_Acts] = []

        def visit(
            table: GameTable[StateT, MoveT, EventT, OptionsT],
            played: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
            /,
        ) -> None:
            assert played.player is not None, f"{game.kind} has no house players"
            alarms = Alarms(arm=lambda seconds, period: None)
            stay = HouseStay(instance, alarms, table, played, played.player, self._slots)
            stay.sit(user, name)
            acts.append(_Acts(stay.look, stay.move, lambda: stay.stand_up(by_wish=True), lambda: table.commit_number))

        game.visit(instance, number, visit)
        (self._acts,) = acts

    def act(self) -> bool:
        """Make a move, if it is on turn; return whether it did anything."""
        before = self._acts.commit()
        try:
            self._acts.look()
            self._acts.move()
        except Over:
            return False
        return self._acts.commit() != before

    def say(self, text: str) -> None:
        """Do nothing: house players do not chat."""

    def leave(self) -> None:
        """Leave the table."""
        self._acts.stand_up()

    def close(self) -> None:
        """Leave the BBS."""
        self._slots.close()
        self._instance.leave()
        self._instance.segment.close()
