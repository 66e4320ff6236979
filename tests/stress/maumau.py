"""Mau-Mau in the stress test: telnet callers at its tables, and the check of those tables.

Like `tables` for poker, but without timed bets and emulated screens: instead the reports to clients of the wire are
compared with the history (`wire_bots`).
"""

import time
from random import Random

from tests.stress.callers import PROMPT, SEATED, Caller, Talk
from tests.stress.figures import Figures
from tests.stress.loop import Loop
from tests.stress.tables import Pace, Tables
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import Seat, Table, seated
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Event, State
from yawc_poker.games.maumau.ui.scene import scene, usable
from yawc_poker.ipc.cell import Cell
from yawc_poker.registry.games import MAUMAU_TABLES

Value = Table[State, Event]
Turn = tuple[int, int, int]
"""Game, turn (-1: before a game), whose."""


class MaumauCaller(Caller):
    """A telnet caller at Mau-Mau's tables; each table is home to two."""

    def _sit(self) -> Talk:
        yield from self._ask("s", "Casino>")
        here = self.number // 2 % self._world.tables
        if self._world.tables > 1:
            yield from self._ask("3", "(ENTER: back)")
            found = yield from self._ask(f"{here + 1}\r", "(y/n)", PROMPT)
        else:
            found = yield from self._ask("3", "(y/n)", PROMPT)
        if found == PROMPT:
            self._world.figures.did["tables found full"] += 1
            return
        found = yield from self._ask("y", SEATED, PROMPT)
        if found == SEATED:
            self._world.figures.did["sat down to Mau-Mau"] += 1
            yield from self._play(here)


class Watched:
    """A table as last seen."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.commit = -1
        self.value: Value | None = None
        self.planned: Turn | None = None
        self.standing: object = None
        """What must change: turn, clock, whether a game runs or is being closed."""
        self.stands_since = time.monotonic()
        self.was_told = False


class MaumauTables:
    """All tables of Mau-Mau; `others` has the processes."""

    def __init__(self, others: Tables, loop: Loop, figures: Figures, rng: Random, clocks: Pace) -> None:
        self.watched = [Watched(cell) for cell in others.segment.cells if cell.game == rules.KIND]
        self.callers: dict[str, MaumauCaller] = {}
        self.games = 0
        self._others = others
        self._loop = loop
        self._figures = figures
        self._rng = rng
        self._pace = clocks.pace
        self._limit = clocks.longest + 2 * clocks.tick + 1.0  # the machine may be busy
        self._retry = max(0.6, 3 * clocks.pace)

    def is_full(self, table: int) -> bool:
        """Return whether every seat of a table is taken."""
        value = self.watched[table].value
        return value is not None and None not in value.seats

    def look(self) -> None:
        """Take in what was committed since the last look, and plan what it asks of callers by telnet."""
        for table, watched in enumerate(self.watched):
            if watched.cell.number != watched.commit:
                self._take(table, watched)

    def _take(self, table: int, watched: Watched) -> None:
        watched.commit, _, data = watched.cell.read()
        before, watched.value = watched.value, MAUMAU_TABLES.codec.decode(data) if data else None
        value = watched.value
        if value is None:
            return
        standing = (_turn(value), value.deadline, value.game is None, value.override)
        if standing != watched.standing:
            watched.standing, watched.stands_since, watched.was_told = standing, time.monotonic(), False
        if before is not None and before.game is not None and (value.game is None or value.number != before.number):
            self.games += 1
        turn = _turn(value)
        if turn != watched.planned:
            watched.planned = turn
            if turn is not None and self._rng.random() > 0.03:  # a few let the clock decide
                self._loop.after(self._rng.uniform(0.1, 1.0) * self._pace, lambda: self._act(table, turn))

    def _act(self, table: int, turn: Turn) -> None:
        watched = self.watched[table]
        if watched.cell.number != watched.commit:
            self._take(table, watched)
        value = watched.value
        if value is None or _turn(value) != turn or self._others.is_frozen:
            return
        who = value.seats[turn[2]]
        caller = None if who is None else self.callers.get(who.name)
        if who is None or caller is None:
            return
        if caller.table == table:
            caller.send(self._keys(value, who))
            self._figures.did["at Mau-Mau: keys"] += 1
        self._loop.after(self._retry, lambda: self._act(table, turn))

    def _keys(self, value: Value, who: Seat) -> str:
        """Return a key that is offered, for a start with ENTER for the default number of rounds."""
        try:
            offered = usable(scene(value, who.session, 0, time.monotonic()))
        except IllegalMove:
            return "\r"
        key = self._rng.choice([one for one in offered if one not in {".", "X"}] or ["\r"])
        return "s\r" if key == "S" else key

    def watch(self) -> None:
        """Find tables at which nothing has happened for too long although somebody there could act."""
        now = time.monotonic()
        excused = self._others.any_lock_stopped() or self._others.is_slow()
        for table, watched in enumerate(self.watched):
            if now - watched.stands_since < self._limit / 2 or watched.was_told:
                continue
            if watched.cell.number != watched.commit:
                self._take(table, watched)
            people = [] if watched.value is None else [who for who in watched.value.seats if who is not None]
            if excused or self._others.is_held_up(watched.cell) or not any(map(self._others.is_able, people)):
                watched.stands_since = now
            elif now - watched.stands_since > self._limit:
                watched.was_told = True
                able = [(one.name, self._others.is_able(one)) for one in people]
                stood = f"stood for {now - watched.stands_since:.1f} s at commit {watched.commit}"
                self._figures.stuck.append(
                    f"Mau-Mau table {table + 1} {stood}, {watched.standing}, seated (able) {able}"
                )


def _turn(value: Value) -> Turn | None:
    """Return whose turn it is, in a game or to start one; None where nobody can do anything."""
    if value.game is not None:
        current = rules.to_move(value.game)
        return None if current is None else (value.number, rules.turn(value.game), current)
    return None if value.master is None or len(seated(value)) < 2 else (value.number, -1, value.master)
