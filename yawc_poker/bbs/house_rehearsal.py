"""A house player in the rehearsal before the first fork: a further session of the listener's own process.

Owns its session and its seat. It is the very code that plays in a process of its own
(`session.house.house_player`), but nothing wakes it: it acts when it is asked to.
"""

from __future__ import annotations

from pathlib import Path

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.places import Entrance
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import SETTINGS
from yawc_poker.session.house.house_player import PEER, HouseSession, enter_name
from yawc_poker.session.house.slots import FILE, ThinkSlots
from yawc_poker.session.table.table_session import Over


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
        self._table, played = game.table(instance, number), game.definition
        alarms = Alarms(arm=lambda seconds, period: None)
        self._stay = HouseSession(instance, alarms, self._table, played, self._slots)
        self._stay.sit(user, name)

    def act(self) -> bool:
        """Make a move, if it is on turn; return whether it did anything."""
        before = self._table.commit_number
        try:
            self._stay.look()
            self._stay.move()
        except Over:
            return False
        return self._table.commit_number != before

    def say(self, text: str) -> None:
        """Do nothing: house players do not chat."""

    def leave(self) -> None:
        """Leave the table."""
        self._stay.stand_up(by_wish=True)

    def close(self) -> None:
        """Leave the BBS."""
        self._slots.close()
        self._instance.leave()
        self._instance.segment.close()
