"""The driver's view of shared memory: whose turn it is, which moves are legal, which tables are stuck. Never writes.

It tells a caller when to make which move; the keys go through the caller's own socket.
"""

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple

from tests.stress.callers import Caller
from tests.stress.figures import Figures
from tests.stress.listener import Listener
from tests.stress.loop import Loop
from tests.stress.screens import Screens
from tests.stress.view import View, holder_of
from tests.stress.witness import Witness, undisturbed
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.engine.events import Chat
from yawc_poker.engine.values import Seat, Table, seated
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, MayBet, MayShow, MaySwap, State
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.segment import Segment
from yawc_poker.registry.games import POKER_TABLES

Value = Table[State, Event]
Turn = tuple[int, int, int]
"""Game, turn (-1: before a game), whose."""


class Pace(NamedTuple):
    """The pace of a run in seconds; slower for more callers, because the machine is the same."""

    pace: float
    """Between two inputs of a caller at the table."""
    turn: float
    master: float
    tick: float

    @property
    def longest(self) -> float:
        """The longest clock."""
        return max(self.turn, self.master)


EXCUSED: Final = 60.0
"""Seconds for which a table may stand because something keeps people from acting: no fault and no work takes longer."""


class Standing:
    """How long a table has stood."""

    def __init__(self) -> None:
        self.state: object = None
        """What must change: turn, clock, whether a game runs or is being closed."""
        self.since = self._unchanged_since = time.monotonic()
        """Since then somebody there could act, and that has not changed."""
        self.was_told = False

    def note(self, state: object) -> None:
        """Note what the table shows now."""
        if state != self.state:
            self.state, self.was_told = state, False
            self.since = self._unchanged_since = time.monotonic()

    def excuse(self, now: float) -> None:
        """Begin to count at this moment, because nobody can act; not without end: else nothing would ever be stuck."""
        if now - self._unchanged_since < EXCUSED:
            self.since = now


class Watched:
    """A table as last seen."""

    def __init__(self) -> None:
        self.commit = -1
        self.value: Value | None = None
        self.logged = 0
        self.planned: Turn | None = None
        self.standing = Standing()
        self.came = time.monotonic()
        """When this value was first seen."""


class Tables:
    """All poker tables of the segment."""

    def __init__(
        self, listener: Listener, loop: Loop, figures: Figures, rng: Random, clocks: Pace, slack: float
    ) -> None:
        """`slack`: seconds that a table may stand for longer than its clocks and a busy machine explain."""
        view = listener.view
        assert view is not None, "no segment"
        self._listener = listener
        self._own = view
        self._former: list[View] = []
        self.lost: list[str] = []
        """Processes of sessions that still lived in a segment when another one took its place."""
        self.callers: dict[str, Caller] = {}
        self.screens = Screens(lambda table: self._cells[table].number, figures, slack)
        self.is_stopped: Callable[[int], bool] = lambda pid: False
        """Returns whether a fault disturbs this process at the moment."""
        self.is_slow: Callable[[], bool] = lambda: False
        """Returns whether a fault slows the disk, or did a moment ago."""
        self._loop = loop
        self._figures = figures
        self._rng = rng
        self._pace = clocks.pace
        self.slack = slack
        self._limit = clocks.longest + 2 * clocks.tick + 1.0 + slack  # the machine may be busy
        self._quiet = 2 * clocks.tick + 0.2
        """Seconds after a commit within which all screens must show it: a lost signal costs a tick."""
        self._retry = max(0.6, 3 * clocks.pace)
        """Seconds after which a move without effect is repeated."""
        self._watched = [Watched() for _ in self._cells]
        self.witnesses: list[Witness] = []
        self._kept = 0.0
        """When a stopped process was last seen with a lock that all sessions use."""
        self.is_frozen = False
        """Whether no more moves are made."""

    @property
    def segment(self) -> Segment:
        """The segment that is looked at."""
        return self._own.segment

    @property
    def segments(self) -> list[Segment]:
        """All segments that were looked at."""
        return [view.segment for view in (*self._former, self._own)]

    @property
    def keys(self) -> list[int]:
        """The keys of all their locks."""
        return [lock.key for segment in self.segments for lock in segment.locks]

    @property
    def _cells(self) -> Sequence[Cell]:
        return self._own.cells

    def know(self, callers: list[Caller]) -> None:
        """Set the callers by name."""
        self.callers = {caller.name: caller for caller in callers}

    def is_full(self, table: int) -> bool:
        """Return whether every seat of a table is taken."""
        value = self._watched[table].value
        return value is not None and None not in value.seats

    def seated(self) -> int:
        """Return the number of callers at tables."""
        return sum(len(seated(one.value)) for one in self._watched if one.value is not None)

    def running(self) -> int:
        """Return the number of running games."""
        return sum(1 for one in self._watched if one.value is not None and one.value.game is not None)

    # --- new commits --------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Take in what was committed since the last look, and plan what it asks for.

        A listener that starts and finds nobody in its segment makes another one, which is looked at from then on.
        """
        view = self._listener.view
        if view is not None and view.segment is not self.segment and self.segment.is_orphaned:
            living = [one for one in self._own.everybody() if process.is_alive(one.identity)]
            self.lost += [f"process {one.identity.pid} of {one.name!r}" for one in living]
            self._former.append(self._own)
            self._own = view
            self._figures.did["segments replaced"] += 1
        for table, (cell, watched) in enumerate(zip(self._cells, self._watched, strict=True)):
            if cell.number != watched.commit:
                self._take(table, watched)

    def _take(self, table: int, watched: Watched) -> None:
        number, _, data = self._cells[table].read()
        before, watched.value = watched.value, POKER_TABLES.codec.decode(data) if data else None
        watched.came = time.monotonic()
        watched.commit = number
        if watched.value is None:
            return
        value = watched.value
        watched.standing.note((_turn(value), value.deadline, value.game is None, value.override))
        if before is not None and before.game is not None and self._is_new_game(before, watched.value):
            self._figures.games += 1
        self._count(watched)
        for who in watched.value.seats:
            caller = None if who is None else self._caller(who.name)
            if who is not None and caller is not None:
                caller.cash = who.cash
        self._plan(table, watched, watched.value)

    @staticmethod
    def _is_new_game(before: Value, now: Value) -> bool:
        return now.game is None or now.number != before.number

    def _count(self, watched: Watched) -> None:
        value = watched.value
        assert value is not None
        for entry in value.log:
            if entry.number > watched.logged and not isinstance(entry.event, Chat):
                self._figures.did[f"at the table: {type(entry.event).__name__}"] += 1
        watched.logged = value.logged

    def _caller(self, name: str) -> Caller | None:
        found = self.callers.get(name)
        if found is not None and found.name == name:
            return found
        # A caller without CUBES has taken a new name.
        self.callers = {caller.name: caller for caller in self.callers.values()}
        return self.callers.get(name)

    # --- whose turn it is ---------------------------------------------------------------------------------------------

    def _plan(self, table: int, watched: Watched, value: Value) -> None:
        turn = _turn(value)
        if turn == watched.planned:
            return
        watched.planned = turn
        if turn is not None and self._rng.random() > 0.03:  # a few let the clock decide
            self._loop.after(self._rng.uniform(0.3, 1.5) * self._pace, lambda: self._act(table, turn))

    def _act(self, table: int, turn: Turn) -> None:
        watched = self._watched[table]
        self._look_at(table, watched)
        value = watched.value
        if value is None or _turn(value) != turn or self.is_frozen:
            return
        who = value.seats[turn[2]]
        caller = None if who is None else self._caller(who.name)
        if caller is not None and caller.table == table and not caller.is_asleep:
            keys = self._keys(value, turn[2])
            caller.send(keys)
            if keys[0] in "bh":
                self.screens.bet(caller, table, self._at(value, table))
        self._loop.after(self._retry, lambda: self._act(table, turn))

    def _look_at(self, table: int, watched: Watched) -> None:
        if self._cells[table].number != watched.commit:
            self._take(table, watched)

    def _at(self, value: Value, table: int) -> list[Caller]:
        found = [self._caller(who.name) for who in value.seats if who is not None]
        return [one for one in found if one is not None and one.table == table and one.wire is not None]

    def _keys(self, value: Value, seat: int) -> str:
        """Return the keys of a legal move, or of a start."""
        if value.game is None:
            return "s"
        choice = self._rng.random()
        for move in rules.legal_moves(value.game, seat):
            match move:
                case MayBet(low, high, see):
                    if choice < 0.08:
                        return "py"
                    amount = min(high, low + self._rng.randrange(3))
                    return f"h{amount}\r" if see and choice > 0.6 else f"b{amount}\r"
                case MaySwap():
                    return "".join(sorted(self._rng.sample("12345", self._rng.randrange(4)))) + "d"
                case MayShow():
                    return "r"
        return "py"

    # --- stuck tables -------------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Find tables at which nothing has happened for too long although somebody there could act.

        While a stopped process holds a lock, or the disk is slow, nobody can.
        """
        now = time.monotonic()
        excused = self.any_lock_stopped() or self.is_slow()
        for table, watched in enumerate(self._watched):
            standing = watched.standing
            if excused or self.is_held_up(self._cells[table]):
                standing.excuse(now)
            if now - standing.since < self._limit / 2 or standing.was_told:
                continue
            self._look_at(table, watched)
            if not any(self.is_able(who) for who in self._seats(watched)):
                standing.since = now
            elif now - standing.since > self._limit:
                standing.was_told = True
                self._figures.stuck.append(self._story(table, watched, now - standing.since))

    def ask_witnesses(self) -> None:
        """Compare the witnesses' screens at tables without changes for longer than a lost signal can cost.

        While the disk is slow, sessions wait for the bank, and draw behind that; and so they do, one after the other,
        once a stopped process has let go of its lock.
        """
        for witness in self.witnesses:
            table = witness.caller.table
            if table is None or not undisturbed(witness.caller, self._quiet):
                continue
            watched = self._watched[table]
            self._look_at(table, watched)
            if (
                watched.value is not None
                and time.monotonic() - watched.came > self._quiet
                and not self.any_lock_stopped()
                and not self.is_slow()
                and time.monotonic() - self._kept > self._quiet + self.slack
                and not self.is_held_up(self._cells[table])
            ):
                witness.compare(watched.value, watched.commit)

    def any_lock_stopped(self) -> bool:
        """Return whether a stopped process holds a lock that all sessions of a host use."""
        locks = [lock for view in self.views() for lock in view.segment.locks[:3]]
        found = any(self.is_stopped(pid) for lock in locks if (pid := holder_of(lock)) is not None)
        self._kept = time.monotonic() if found else self._kept
        return found

    def is_held_up(self, cell: Cell) -> bool:
        """Return whether a stopped process holds a table's lock, on any host."""
        locks = [view.segment.cells[cell.index].lock for view in self.views()]
        return any(self.is_stopped(pid) for lock in locks if (pid := holder_of(lock)) is not None)

    @staticmethod
    def _seats(watched: Watched) -> list[Seat]:
        return [] if watched.value is None else [who for who in watched.value.seats if who is not None]

    def views(self) -> list[View]:
        """Return the shared memory of all hosts."""
        return [self._own]

    def views_there(self) -> list[View]:
        """Return the shared memory of the hosts that are neither killed nor stopped nor cut off."""
        return [self._own]

    def everybody(self) -> list[SessionInfo]:
        """Return the sessions of all hosts that are there, each as its own host sees it."""
        return [one for view in self.views_there() for one in view.everybody()]

    def person(self, session: int) -> SessionInfo | None:
        """Return the session with a token, as its own host sees it; None where that host is away."""
        found = (view.person(session) for view in self.views_there())
        return next((one for one in found if one is not None), None)

    def is_able(self, who: Seat) -> bool:
        """Return whether this person's session is alive and not stopped."""
        person = self.person(who.session)
        if person is None or self.is_stopped(person.identity.pid):
            return False
        return process.is_alive(person.identity)

    def _story(self, table: int, watched: Watched, seconds: float) -> str:
        value = watched.value
        assert value is not None
        held = [f"{lock.name} by {pid}" for lock in self.segment.locks if (pid := holder_of(lock)) is not None]
        names = [(who.name, self.is_able(who)) for who in self._seats(watched)]
        overdue = None if value.deadline is None else round(time.monotonic() - value.deadline, 2)
        return (
            f"table {table + 1} stood for {seconds:.1f} s at commit {watched.commit}, turn {_turn(value)},"
            f" clock overdue by {overdue} s, override {value.override:#x}, seated (able) {names}, locks held {held}"
        )


def _turn(value: Value) -> Turn | None:
    """Return whose turn it is, in a game or to start one; None where nobody can do anything."""
    if value.game is not None:
        current = rules.to_move(value.game)
        return None if current is None else (value.number, value.game.turn, current)
    return None if value.master is None or len(seated(value)) < 2 else (value.number, -1, value.master)
