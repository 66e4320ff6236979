"""Mau-Mau and Doppelkopf in the stress test: telnet callers at their tables, and the check of those tables.

Like `tables` for poker, but without timed bets and emulated screens, and for any game: a caller presses a key that the
game offers them. What clients of Mau-Mau's wire are told is compared with the history (`wire_bots`).
"""

import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Final, Generic, NamedTuple

from tests.stress.callers import Caller, Talk, World
from tests.stress.figures import Figures
from tests.stress.loop import Loop
from tests.stress.tables import Pace, Standing, Tables
from yawc_poker.engine.game import EventT, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.values import Seat, Table, seated
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.doppelkopf.model import State
from yawc_poker.games.doppelkopf.ui import scene as doppelkopf
from yawc_poker.games.maumau.model import Event as MaumauEvent
from yawc_poker.games.maumau.model import State as MaumauState
from yawc_poker.games.maumau.ui import scene as maumau
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU
from yawc_poker.ipc.cell import Cell
from yawc_poker.registry.entry import GameTables

DOPPELKOPF_TABLES: Final = GameTables(DOPPELKOPF)
ASIDE = 0.05
"""Share of the changes of a table after which somebody presses a key out of turn."""
Turn = tuple[int, int, int]
"""Game, turn (-1: before a game), whose."""


class Habits(NamedTuple):
    """How the callers at a game's tables behave."""

    name: str
    key: str
    """In the casino's menu."""
    home: int
    """Callers by telnet for each table."""
    leaving: float
    """Chance that one of them has had enough, each time that they think about it."""
    starts: tuple[str, ...]
    """Keys for a start, of which one is chosen."""
    idle: str
    """Keys that are offered but make no move."""
    aside: str = ""
    """Keys that may be pressed out of turn."""
    typed: Mapping[str, str] = {}
    """What is typed where a key that is offered opens a prompt."""


MAUMAU_HABITS: Final = Habits("Mau-Mau", "3", 2, 0.08, ("s\r",), ".X")
DOPPELKOPF_HABITS: Final = Habits(
    "Doppelkopf", "4", 4, 0.02, ("s", "./option cubes 3\rs", "./option cubes 0\rs"), ".XLT", "cdefg"
)


class RoomCaller(Caller):
    """A telnet caller at the tables of a game other than poker."""

    def __init__(self, number: int, world: World, rng: Random, habits: Habits) -> None:
        super().__init__(number, world, rng)
        self.name = f"{habits.name[:3]} {number}"
        self._habits = habits

    def _has_enough(self) -> bool:
        return self._rng.random() < self._habits.leaving

    def _sit(self) -> Talk:
        yield from self._ask("s", "Casino>")
        here = self.number // self._habits.home % self._world.tables
        yield from self._ask(self._habits.key, "(ENTER: back)")  # behind these tables there is the host's
        yield from self._take_seat(here, str(here + 1), f" to {self._habits.name}")


class Watched(Generic[StateT, EventT]):
    """A table as last seen."""

    def __init__(self, number: int) -> None:
        self.number = number
        """Of the table among those of all games."""
        self.commit = -1
        self.value: Table[StateT, EventT] | None = None
        self.planned: Turn | None = None
        self.standing = Standing()


class RoomTables(Generic[StateT, MoveT, EventT, OptionsT]):
    """All tables of a game; `others` has the processes."""

    lazy = 0.03
    """Share of the turns that are left to the clock."""

    def __init__(
        self,
        game: GameTables[StateT, MoveT, EventT, OptionsT],
        offered: Callable[[Table[StateT, EventT], int, float], tuple[str, ...]],
        habits: Habits,
        others: Tables,
        loop: Loop,
        figures: Figures,
        rng: Random,
        clocks: Pace,
        *,
        only_last: bool = False,
    ) -> None:
        """`offered` returns the keys that a session is offered at a moment. Raises `IllegalMove`.

        `only_last`: all tables but the last one are somebody else's.
        """
        numbers = [cell.index for cell in others.segment.cells if cell.game == game.rules.KIND]
        self._first = len(numbers) - 1 if only_last else 0
        self.watched = [Watched[StateT, EventT](number) for number in numbers[self._first :]]
        self.callers: dict[str, RoomCaller] = {}
        self.games = 0
        self.habits = habits
        self._game = game
        self._offered = offered
        self._others = others
        self._loop = loop
        self._figures = figures
        self._rng = rng
        self._pace = clocks.pace
        self._limit = clocks.longest + 2 * clocks.tick + 1.0 + others.slack  # the machine may be busy
        self._retry = max(0.6, 3 * clocks.pace)

    def is_full(self, table: int) -> bool:
        """Return whether every seat of a table is taken."""
        value = self.watched[table].value
        return value is not None and None not in value.seats

    def _cell(self, watched: Watched[StateT, EventT]) -> Cell:
        return self._others.segment.cells[watched.number]

    def look(self) -> None:
        """Take in what was committed since the last look, and plan what it asks of callers by telnet."""
        for table, watched in enumerate(self.watched):
            if self._cell(watched).number != watched.commit:
                self._take(table, watched)

    def _take(self, table: int, watched: Watched[StateT, EventT]) -> None:
        watched.commit, _, data = self._cell(watched).read()
        before, watched.value = watched.value, self._game.codec.decode(data) if data else None
        value = watched.value
        if value is None:
            return
        watched.standing.note((self._turn(value), value.deadline, value.game is None, value.override))
        if before is not None and before.game is not None and (value.game is None or value.number != before.number):
            self.games += 1
        self._press_aside(table)
        turn = self._turn(value)
        if turn != watched.planned:
            watched.planned = turn
            if turn is not None and self._rng.random() >= self.lazy:
                self._loop.after(self._rng.uniform(0.1, 1.0) * self._pace, lambda: self._act(table, turn))

    def _act(self, table: int, turn: Turn) -> None:
        watched = self.watched[table]
        if self._cell(watched).number != watched.commit:
            self._take(table, watched)
        value = watched.value
        if value is None or self._turn(value) != turn or self._others.is_frozen:
            return
        who = value.seats[turn[2]]
        caller = None if who is None else self.callers.get(who.name)
        if who is None or caller is None:
            return
        if caller.table == self._first + table and not caller.is_asleep:
            caller.send(self._keys(value, who))
            self._figures.did[f"at {self.habits.name}: keys"] += 1
        self._loop.after(self._retry, lambda: self._act(table, turn))

    def _keys(self, value: Table[StateT, EventT], who: Seat) -> str:
        """Return a key that is offered, or the keys of a start."""
        try:
            offered = self._offered(value, who.session, time.monotonic())
        except IllegalMove:
            return "\r"
        key = self._rng.choice([one for one in offered if one not in self.habits.idle] or ["\r"])
        return self._rng.choice(self.habits.starts) if key == "S" else self.habits.typed.get(key, key.lower())

    def _press_aside(self, table: int) -> None:
        """Press a key out of turn for somebody at the table, now and then."""
        everybody = self.callers.values()
        here = [one for one in everybody if one.table == self._first + table and not one.is_asleep]
        if self.habits.aside and here and self._rng.random() < ASIDE and not self._others.is_frozen:
            self._rng.choice(here).send(self._rng.choice(self.habits.aside))
            self._figures.did[f"at {self.habits.name}: keys out of turn"] += 1

    def watch(self) -> None:
        """Find tables at which nothing has happened for too long although somebody there could act."""
        now = time.monotonic()
        excused = self._others.any_lock_stopped() or self._others.is_slow()
        for table, watched in enumerate(self.watched):
            standing = watched.standing
            if excused or self._others.is_held_up(self._cell(watched)):
                standing.excuse(now)
            if now - standing.since < self._limit / 2 or standing.was_told:
                continue
            if self._cell(watched).number != watched.commit:
                self._take(table, watched)
            people = [] if watched.value is None else self._wanted(watched.value)
            if not any(map(self._others.is_able, people)):
                standing.since = now
            elif now - standing.since > self._limit:
                standing.was_told = True
                able = [(one.name, self._others.is_able(one)) for one in people]
                stood = f"stood for {now - standing.since:.1f} s at commit {watched.commit}"
                self._figures.stuck.append(
                    f"{self.habits.name} table {table + 1} {stood}, {standing.state}, seated (able) {able}"
                )

    def _wanted(self, value: Table[StateT, EventT]) -> list[Seat]:
        """Return the people of whom one must do something within the table's clocks."""
        return [who for who in value.seats if who is not None]

    def _turn(self, value: Table[StateT, EventT]) -> Turn | None:
        """Return whose turn it is, in a game or to start one; None where nobody can do anything."""
        rules = self._game.rules
        if value.game is not None:
            current = rules.to_move(value.game)
            return None if current is None else (value.number, value.game.turn, current)
        return None if value.master is None or len(seated(value)) < rules.FEWEST else (value.number, -1, value.master)


def maumau_keys(value: Table[MaumauState, MaumauEvent], session: int, now: float) -> tuple[str, ...]:
    """Return the keys that a session at a table of Mau-Mau is offered."""
    return maumau.usable(MAUMAU.scene(value, session, 0, now))


def doppelkopf_keys(value: Table[State, Event], session: int, now: float) -> tuple[str, ...]:
    """Return the keys that a session at a table of Doppelkopf is offered."""
    return doppelkopf.usable(DOPPELKOPF.face.scene(value, session, 0, now))
