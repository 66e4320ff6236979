"""What somebody knows of a table who has read its rows and nothing else; and the same, read off a scene.

`Known.learn` takes a row, `Known.look` a scene. A game's own part is a `Knowledge`. Whoever has just sat down, or has
missed rows, looks; then rows must be enough.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic

from yawc_poker.engine import events
from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import EventT, ViewT
from yawc_poker.engine.values import LogEntry
from yawc_poker.table_ui.rows import Asked, Missed, Owns, Row
from yawc_poker.table_ui.scene import NO_SEAT, Scene


class Knowledge(ABC, Generic[ViewT, EventT]):
    """What is known of a game."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """A game begins, or there is none: nothing is known of it."""

    @abstractmethod
    def look(self, view: ViewT) -> None:
        """Take all that a view shows."""

    @abstractmethod
    def learn(self, event: EventT, names: dict[int, str]) -> None:
        """Take an event."""

    @abstractmethod
    def gone(self, seat: int) -> None:
        """Whoever was in a seat has left it for good."""

    def stake_back(self, amount: int) -> None:
        """A stake went back."""

    @property
    @abstractmethod
    def shown(self) -> object:
        """All of it, to be compared."""


@dataclass
class Known(Generic[ViewT, EventT]):
    """What is known of a table."""

    game: Knowledge[ViewT, EventT]
    seat: int
    people: dict[int, str] = field(default_factory=dict)
    """Everybody by seat, oneself too."""
    master: str = ""
    asked: Asked | None = None
    cubes: int = 0
    has_missed: bool = False

    def look(self, scene: Scene[ViewT]) -> None:
        """Take all that a scene shows, but not what is asked."""
        self.seat = self.game.seat = scene.seat
        own = {} if scene.seat == NO_SEAT else {scene.seat: scene.name}
        self.people = own | {person.seat: person.name for person in scene.people}
        self.master, self.cubes, self.has_missed = scene.master, scene.cash, False
        self.game.begin()
        if scene.game is not None:
            self.game.look(scene.game)

    def learn(self, row: Row[EventT]) -> None:
        match row:
            case Asked():
                self.asked = row
            case Owns(cubes):
                self.cubes = cubes
            case Missed():
                self.has_missed = True
            case LogEntry():
                self._take(row)
        if not self.people and (self.asked is None or not self.asked.running):
            self.game.begin()

    def _take(self, entry: LogEntry[EventT]) -> None:
        event = entry.event
        if not isinstance(event, Notice):
            self.game.learn(event, self.people)
            return
        match event:
            case events.SatDown(seat):
                self.people[seat] = entry.name
                self.master = self.master or entry.name
            case events.Left(seat, kept=kept) | events.Removed(seat, kept=kept):
                if not kept:
                    self._leave(seat)
            case events.SeatFreed(seat):
                self._leave(seat)
            case events.NewMaster(seat):
                self.master = entry.name
            case events.Started():
                self.game.begin()
            case events.StakeBack(_, amount):
                self.game.stake_back(amount)
            case events.Voided():
                self.game.begin()
            case _:
                pass

    def _leave(self, seat: int) -> None:
        self.people.pop(seat, None)
        self.game.gone(seat)
        if not self.people:
            self.master = ""

    @property
    def shown(self) -> object:
        asked = self.asked
        now = None if asked is None else (asked.running, asked.current, asked.turn, asked.keys, asked.until)
        return self.people, self.master, self.cubes, now, self.game.shown


def seen(game: Knowledge[ViewT, EventT], scene: Scene[ViewT], keys: tuple[str, ...]) -> object:
    """The same as `Known.shown`, of a scene."""
    known = Known(game, scene.seat)
    known.look(scene)
    known.asked = Asked(scene.running, scene.current, scene.turn, (), keys, scene.deadline)
    return known.shown
