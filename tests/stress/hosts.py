"""House players in the stress test: at each game a table of one person and the house.

A host sits down at the last table of a game and asks house players to join and to go, at random. Their processes are
killed and stopped as all others are.
"""

from random import Random
from typing import Final, Protocol

from tests.stress.callers import PROMPT, SEATED, Talk, World
from tests.stress.errands import WAITING
from tests.stress.figures import Figures
from tests.stress.loop import Loop
from tests.stress.rooms import DOPPELKOPF_TABLES, Habits, RoomCaller, RoomTables, doppelkopf_keys, maumau_keys
from tests.stress.tables import Pace, Tables
from yawc_poker.engine.values import Table
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.offiziersskat.model import Event as SkatEvent
from yawc_poker.games.offiziersskat.model import State as SkatState
from yawc_poker.games.offiziersskat.ui import scene as offiziersskat
from yawc_poker.games.poker.model import Event as PokerEvent
from yawc_poker.games.poker.model import State as PokerState
from yawc_poker.games.poker.ui import scene as poker
from yawc_poker.games.poker.ui.screen import FACE as POKER
from yawc_poker.registry.entry import GameTables
from yawc_poker.registry.games import MAUMAU_TABLES, POKER_TABLES

OFFIZIERSSKAT_TABLES: Final = GameTables(OFFIZIERSSKAT)
WITH_HOUSE: Final = "play with the house (H)?"
SURE: Final = "(y/n)"
ASKING: Final = 0.4
"""Chance that a host who thinks of something to do asks a house player to join or to go."""
LEVELS: Final = "1112"
"""Keys of the levels, of which one is chosen: easy is enough for most, and what they chose is repeated in the end."""
POKER_HOST: Final = Habits("Host poker", "2", 1, 0.03, ("s",), ".X12345", typed={"B": "b\r", "H": "h\r", "P": "py"})
MAUMAU_HOST: Final = Habits("Host Mau-Mau", "3", 1, 0.0, ("s\r",), ".X")
DOPPELKOPF_HOST: Final = Habits("Host Doppelkopf", "4", 1, 0.02, ("s",), ".XLT", "cdefg")
OFFIZIERSSKAT_HOST: Final = Habits("Host Offiziersskat", "5", 1, 0.03, ("s",), ".XT")


class HostCaller(RoomCaller):
    """A telnet caller who plays with the house, at the last table of a game."""

    def __init__(self, number: int, world: World, rng: Random, habits: Habits) -> None:
        """`world.tables` is the number of the game's tables, the host's own one included."""
        super().__init__(number, world, rng, habits)
        self.name = f"{habits.name} {number}"

    def _sit(self) -> Talk:
        yield from self._ask("s", "Casino>")
        if self._world.tables > 1:
            yield from self._ask(self._habits.key, "(ENTER: back)")
            found = yield from self._ask(f"{self._world.tables}\r", WITH_HOUSE, SURE, PROMPT)
        else:
            found = yield from self._ask(self._habits.key, WITH_HOUSE, SURE, PROMPT)
        if found == PROMPT:
            return
        if found == WITH_HOUSE:
            yield from self._ask("h", "How well")
            found = yield from self._ask(self._rng.choice(LEVELS), SEATED, WAITING, PROMPT)
        else:
            found = yield from self._ask("y", SEATED, WAITING, PROMPT)
        if found == SEATED:
            self._world.figures.did["sat down with the house"] += 1
            yield from self._play(self._world.tables - 1)
        elif found == WAITING:  # which may take a match
            yield from self._settle()

    def _do_something(self) -> None:
        if self._rng.random() >= ASKING:
            super()._do_something()
            return
        self._world.figures.did["house players asked"] += 1
        self.send(self._rng.choice("+++-"))


class Room(Protocol):
    """The tables of a game with their hosts."""

    games: int
    callers: dict[str, RoomCaller]

    def look(self) -> None:
        """Take in what was committed."""

    def watch(self) -> None:
        """Find tables that stand still."""


def rooms_of(
    tables: dict[str, int], world: World, others: Tables, loop: Loop, figures: Figures, rng: Random, clocks: Pace
) -> tuple[list[Room], list[RoomCaller]]:
    """Return the last tables of all games, and their hosts; `tables` is the number of tables of each game."""
    known = others, loop, figures, rng, clocks
    rooms: list[Room] = [
        RoomTables(POKER_TABLES, poker_keys, POKER_HOST, *known, only_last=True),
        RoomTables(MAUMAU_TABLES, maumau_keys, MAUMAU_HOST, *known, only_last=True),
        RoomTables(DOPPELKOPF_TABLES, doppelkopf_keys, DOPPELKOPF_HOST, *known, only_last=True),
        RoomTables(OFFIZIERSSKAT_TABLES, offiziersskat_keys, OFFIZIERSSKAT_HOST, *known, only_last=True),
    ]
    hosts: list[RoomCaller] = []
    for room, (kind, habits) in zip(
        rooms,
        {
            "poker": POKER_HOST,
            "maumau": MAUMAU_HOST,
            "doppelkopf": DOPPELKOPF_HOST,
            "offiziersskat": OFFIZIERSSKAT_HOST,
        }.items(),
        strict=True,
    ):
        there = world._replace(tables=tables[kind], full=lambda table: False, moved=lambda caller: None)
        host = HostCaller(0, there, Random(rng.random()), habits)
        room.callers = {host.name: host}
        hosts.append(host)
    return rooms, hosts


def poker_keys(value: Table[PokerState, PokerEvent], session: int, now: float) -> tuple[str, ...]:
    """Return the keys that a session at a table of poker is offered."""
    return poker.usable(POKER.scene(value, session, 0, now))


def offiziersskat_keys(value: Table[SkatState, SkatEvent], session: int, now: float) -> tuple[str, ...]:
    """Return the keys that a session at a table of Offiziersskat is offered."""
    return offiziersskat.usable(OFFIZIERSSKAT.face.scene(value, session, 0, now))
