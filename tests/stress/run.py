"""One run of the stress test at one BBS: its callers and tables, the faults, and what is looked at when it is over."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import psutil

from tests.stress import verdict
from tests.stress.callers import ANSWER, Caller, World
from tests.stress.doors import Calling, Doors
from tests.stress.faults import Injector, rates, row
from tests.stress.figures import Figures, counted, say
from tests.stress.holders import Holders
from tests.stress.hosts import Room, rooms_of
from tests.stress.leaks import LOOK, Leaks
from tests.stress.listener import CONFIG, PATIENCE, Listener
from tests.stress.loop import Loop
from tests.stress.monkeys import Monkey
from tests.stress.rooms import (
    DOPPELKOPF_HABITS,
    DOPPELKOPF_TABLES,
    MAUMAU_HABITS,
    RoomCaller,
    RoomTables,
    doppelkopf_keys,
    maumau_keys,
)
from tests.stress.tables import Pace, Tables
from tests.stress.wire_bots import WireBot
from tests.stress.witness import MOST, Witness
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.ipc.cell import Cell
from yawc_poker.ipc.segment import segment_name
from yawc_poker.registry.games import MAUMAU_TABLES

SEATS = 5
SHARE = 20
"""Callers at poker for each table of another game."""
ROOMS = 10
"""Maximum Mau-Mau tables: their programs play, call and call again much faster than people."""
FOURS = 5
"""Maximum Doppelkopf tables, each with four callers."""
PROGRESS = 5.0
LONG = 30.0
"""Seconds of faults in which a client of the wire must have played a game to its end, and a table of Doppelkopf one."""
CALM = 2.0
"""Seconds without faults at the end, then as many and two ticks without moves: then all screens must be right."""
DOOR = 10
"""Maximum callers between their first call and the table at one time, before the faults begin."""
START = 60.0
"""Seconds that a listener may take to start at the end of a run."""
ARRIVAL = 600.0
"""Seconds after which the faults begin even if not all callers at poker sit at a table."""
OTHERS = 60.0
"""The same for callers at other games."""


class Asked(NamedTuple):
    """What is asked of a run."""

    callers: int
    seconds: float
    """Of faults."""
    seed: int
    monkeys: int = 0
    slack: float = 0.0
    """Seconds by which everything may be later, on a machine that has other work."""
    is_alone: bool = False
    """Whether nobody else can make semaphores."""
    progress: float = PROGRESS
    """Seconds between two lines of progress."""
    share: float = 1.0
    """Of the usual number of faults."""
    shares: Mapping[str, float] = {}
    """The same of some kinds; none of those at 0."""

    def scaled(self, rate_of: Mapping[str, float]) -> dict[str, float]:
        """Return rates of faults as they are asked for."""
        found = {kind: rate * self.shares.get(kind, self.share) for kind, rate in rate_of.items()}
        return {kind: rate for kind, rate in found.items() if rate}


def rooms_for(callers: int) -> tuple[int, int]:
    """Return for how many tables of Mau-Mau and of Doppelkopf there are callers beside so many at poker."""
    share = max(1, callers // SHARE)
    return min(ROOMS, share), min(FOURS, share)


def configured(
    pace: Pace, callers: int, sessions: int, poker: int, maumau: int, doppelkopf: int, offiziersskat: int = 1
) -> str:
    """Return a configuration with this pace, for so many callers, sessions, and tables of each game."""
    return CONFIG.format(
        start_cubes=3000,
        sessions=sessions,
        tables=poker,
        maumau=maumau,
        doppelkopf=doppelkopf,
        offiziersskat=offiziersskat,
        turn=pace.turn,
        master=pace.master,
        tick=pace.tick,
        duty=max(2.0, callers / 50),
        patience=PATIENCE,
    )


def pace_of(callers: int) -> Pace:
    """Return the clocks for a number of callers on two processors: two hundred play with turns of two seconds."""
    pace = max(0.15, callers / 500)
    turn = max(2.0, 4 * pace)
    return Pace(pace, turn, max(5.0, turn), max(0.5, callers / 1000))


class Run:
    """One run, from the creation of the BBS to its end."""

    def __init__(self, folder: Path, asked: Asked) -> None:
        self.asked = asked
        self.seconds, self.seed, callers = asked.seconds, asked.seed, asked.callers
        self.figures = Figures()
        self.loop = Loop()
        self.pace = pace_of(callers)
        doors = self._open(folder, self._configured(callers))
        self.tables = self._look_at_tables()
        self.callers: list[Caller] = []
        """Those at poker."""
        self.room_callers: list[RoomCaller] = []
        self.rooms: list[Room] = []
        self.bots: list[WireBot] = []
        self.monkeys: list[Monkey] = []
        self._gather(callers, doors)
        self.leaks = Leaks(self._listeners(), self.figures, counts_semaphores=asked.is_alone)
        self.tables.know(self.callers)
        rng = Random(self.seed)
        self.faults = row(rng, self.seconds, asked.scaled(self._rates(callers)))
        everybody = [*self.callers, *self.room_callers, *self.monkeys]
        self.injector = self._make_injector(everybody, rng)
        self.injector.others = {caller.name: caller for caller in (*self.room_callers, *self.monkeys)}
        self.injector.bots = self.bots
        self.tables.is_stopped = self.injector.is_stopped
        self.tables.is_slow = self.injector.disk_is_slow
        self.began = time.monotonic()

    # --- who plays what -----------------------------------------------------------------------------------------------

    def _configured(self, callers: int) -> str:
        """Return the configuration."""
        rooms, fours = rooms_for(callers)
        sessions = callers + 200 + 6 * ROOMS + 4 * FOURS
        return configured(self.pace, callers, sessions, max(2, -(-callers // SEATS)) + 1, rooms + 1, fours + 1)

    def _gather(self, callers: int, doors: Calling) -> None:
        """Make all callers, with the tables where they play."""
        count = max(2, -(-callers // SEATS))
        names = [f"Bot {number}" for number in range(callers)]
        world = World(
            self.loop,
            self.figures,
            doors,
            count,
            self.pace.pace,
            2 * self.pace.longest,
            names,
            self.tables.is_full,
            self.tables.screens.reached,
            ANSWER + self.asked.slack,
        )
        self.callers = [Caller(number, world, Random(self.seed * 10**6 + number)) for number in range(callers)]
        self._add_rooms(*rooms_for(callers), world)
        chance = Random(self.seed + 3)
        self.monkeys = [Monkey(at, world, Random(chance.random())) for at in range(self.asked.monkeys)]
        step = max(1, callers // MOST)
        self.tables.witnesses = [Witness(one, self.figures, self.asked.slack) for one in self.callers[::step][:MOST]]

    # --- what is the BBS's, and another's where there are several hosts -----------------------------------------------

    def _open(self, folder: Path, config: str) -> Calling:
        """Start the BBS, and return how it is called."""
        self.listener = Listener(folder, config, self.figures)
        self.listener.start()
        return Doors(self.loop, self.listener, self.figures)

    def _look_at_tables(self) -> Tables:
        """Return the view of its tables."""
        known = self.loop, self.figures, Random(self.seed + 1), self.pace, self.asked.slack
        return Tables(self.listener, *known)

    def _listeners(self) -> Sequence[Listener]:
        """Return the listeners of all hosts."""
        return [self.listener]

    def _rates(self, callers: int) -> Mapping[str, float]:
        """Return how many faults of each kind there are in a second."""
        return rates(callers)

    def _make_injector(self, everybody: list[Caller], rng: Random) -> Injector:
        """Return who executes them."""
        holders = Holders(self.tables, self.figures, rng, self.pace.tick)
        disk = self.listener.disk
        return Injector(self.loop, [self.listener], disk, self.tables, everybody, self.figures, rng, holders)

    def _make_bots(self, count: int, doors: Calling, rng: Random) -> list[WireBot]:
        """Return so many clients of Mau-Mau's wire."""
        known = self.loop, self.figures, doors.connect, self.pace.pace
        own = [Random(rng.random()) for _ in range(count)]
        return [WireBot(at, *known, chance, lambda: self.injector.calm()) for at, chance in enumerate(own)]

    def _look_after_listener(self) -> None:
        if not self.listener.is_away:
            self.listener.look_after()

    def _logs(self) -> list[Path]:
        """Return the logs of the BBS."""
        return [self.listener.log]

    def _end(self) -> verdict.Remains:
        """Stop it, and return what is left."""
        exit_code = self.listener.stop()
        left = verdict.objects_left(segment_name(self.listener.data), self.tables.keys)
        return verdict.Remains(exit_code, self.listener.left_over(), left, self.tables.lost)

    def _databases(self) -> Databases:
        """Return where its books are."""
        return Databases(self.listener.data)

    # --- the run ------------------------------------------------------------------------------------------------------

    def _add_rooms(self, rooms: int, fours: int, world: World) -> None:
        """Two callers and three clients of the wire for each table of Mau-Mau, four callers for one of Doppelkopf."""
        rng = Random(self.seed + 2)
        known = self.tables, self.loop, self.figures, rng, self.pace
        self.maumau = RoomTables(MAUMAU_TABLES, maumau_keys, MAUMAU_HABITS, *known)
        self.doppelkopf = RoomTables(DOPPELKOPF_TABLES, doppelkopf_keys, DOPPELKOPF_HABITS, *known)
        tables = {"poker": world.tables + 1, "maumau": rooms + 1, "doppelkopf": fours + 1, "offiziersskat": 1}
        hosted, hosts = rooms_of(tables, world, *known)
        self.rooms = [self.maumau, self.doppelkopf, *hosted]
        self.room_callers = [*hosts]
        for habits, count, full in (
            (MAUMAU_HABITS, rooms, self.maumau.is_full),
            (DOPPELKOPF_HABITS, fours, self.doppelkopf.is_full),
        ):
            there = world._replace(tables=count, full=full, moved=lambda caller: None)
            for number in range(habits.home * count):
                self.room_callers.append(RoomCaller(number, there, Random(rng.random()), habits))
        world.names.extend(caller.name for caller in self.room_callers)
        self.maumau.callers = {one.name: one for one in self.room_callers if one.name.startswith("Mau ")}
        self.doppelkopf.callers = {one.name: one for one in self.room_callers if one.name.startswith("Dop ")}
        self.bots = self._make_bots(3 * rooms, world.doors, rng)

    def go(self) -> list[str]:
        """Run it; return the problems found, one line each."""
        self.loop.every(0.005, self.tables.look)
        for rooms in self.rooms:
            self.loop.every(0.005, rooms.look)
            self.loop.every(0.25, rooms.watch)
        self.loop.every(0.1, self.tables.screens.sweep)
        self.loop.every(0.25, self.tables.watch)
        self.loop.every(0.25, self.tables.ask_witnesses)
        self.loop.every(0.25, self._look_after_listener)
        self.loop.every(0.1, self.injector.look)
        self.loop.every(self.asked.progress, self._progress)
        self.loop.every(LOOK, self.leaks.look)
        self._let_in()
        self.injector.begin(self.faults)
        self._play()
        self.injector.end()
        until = time.monotonic() + START
        self.loop.run(
            lambda: (self.injector.listeners.hear and not self.injector.waits_for_holders) or time.monotonic() > until
        )
        self._calm_down()
        self.tables.is_frozen = True
        for caller in (*self.callers, *self.room_callers, *self.monkeys):
            caller.is_quiet = True
        for bot in self.bots:
            bot.is_quiet = True
        self.loop.run_for(2 * self.pace.tick + CALM)
        self.leaks.judge()
        return self._close()

    def _play(self) -> None:
        """Let the faults happen, and callers play."""
        self.loop.run_for(self.seconds)

    def _calm_down(self) -> None:
        """Let callers play without faults."""
        self.loop.run_for(CALM)

    def _let_in(self) -> None:
        """Let the callers in, a few at a time, until all have sat down; this is not yet part of the run.

        A thousand callers at prompts would each be told of a thousand logins.
        """
        outside = list(self.callers)

        def usher() -> None:
            on_the_way = sum(1 for one in self.callers if not one.has_arrived) - len(outside)
            for caller in outside[: max(0, DOOR - on_the_way)]:
                caller.start()
            del outside[: max(0, DOOR - on_the_way)]

        self.loop.every(0.02, usher)
        begin = [*(caller.start for caller in (*self.room_callers, *self.monkeys)), *(bot.call for bot in self.bots)]
        for at, act in enumerate(begin):
            self.loop.after(0.05 * at, act)
        began = time.monotonic()
        self.loop.run(lambda: time.monotonic() > began + ARRIVAL or all(one.has_arrived for one in self.callers))
        self.loop.run(  # others may find their tables full
            lambda: time.monotonic() > began + OTHERS or all(one.has_arrived for one in self.room_callers)
        )
        missing = sum(1 for one in self.callers if not one.has_arrived)
        if missing:
            self.figures.unanswered.append(f"{missing} callers did not come to a table within {ARRIVAL:g} s")
        here = len(self.callers) - missing
        say(f"{time.monotonic() - self.began:5.0f} s; {here} have come to a table; {self.seconds:g} s of faults begin")

    def _progress(self) -> None:
        ring, figures = self._ring(), self.figures
        for line in figures.news():
            say(line)
        parts = (
            f"{time.monotonic() - self.began:5.0f} s",
            self._progressed(),
            f"posted {ring.posted}, overruns {ring.overruns}, expired {ring.expired}",
            f"faults: {counted(figures.faults)}",
            f"stuck {len(figures.stuck)}, unanswered {len(figures.unanswered)}, not shown {len(figures.silent)},"
            f" screens wrong {len(figures.wrong)},"
            f" bugs {sum(len(verdict.bugs_in(log)) for log in self._logs())}",
            f"driver late {self.loop.lag * 1000:.0f} ms",
        )
        say("; ".join(parts))
        self.loop.lag = 0.0

    def _progressed(self) -> str:
        """Return how far the games are."""
        return f"at tables {self.tables.seated()}, games {self.tables.running()}, ended {self.figures.games}"

    def _ring(self) -> verdict.Ring:
        """Return the counters of all segments that there were."""
        heads = [segment.head for segment in self.tables.segments]
        return verdict.Ring(
            posted=sum(head.posted for head in heads),
            waits=sum(head.waits for head in heads),
            expired=sum(head.expired for head in heads),
            overruns=sum(head.overruns for head in heads),
            commits=sum(self._commits(cell) for segment in self.tables.segments for cell in segment.cells),
        )

    def _commits(self, cell: Cell) -> int:
        """Return how many commits a table had."""
        return cell.number

    def _close(self) -> list[str]:
        """Stop the BBS and check what it leaves."""
        for caller in (*self.callers, *self.room_callers, *self.monkeys):
            caller.is_retired = True
        driver = psutil.Process(os.getpid()).cpu_times()
        ring = self.ring = self._ring()
        remains = self._end()
        self.leaks.judge_end()
        databases = self._databases()
        books, audit = verdict.books_of(databases)
        verdicts, false, repeated = verdict.proofs_of(databases)
        false += self._judge(databases, repeated)
        say(f"{'house players':20}games that they took part in, with their moves repeated {repeated}")
        for line in (*verdict.report(self.figures, books, audit, ring, remains), *self.leaks.report()):
            say(line)
        say(f"{'games checked':20}{counted(verdicts)}")
        for log in self._logs():
            say(f"{'log':20}{verdict.levels_in(log)}")
        seconds = time.monotonic() - self.began
        say(f"{'driver':20}{driver.user + driver.system:.1f} s of processor time in {seconds:.0f} s")
        bugs = [line for log in self._logs() for line in verdict.bugs_in(log)]
        for log in self._logs():
            killed, wrongly = verdict.killed_in(log, self.injector.ever_stopped)
            say(f"{'killed for a lock':20}{killed}, of them never stopped {len(wrongly)}")
            bugs += wrongly
        return verdict.problems(self.figures, books, audit + false, remains, bugs)

    def _judge(self, databases: Databases, repeated: int) -> list[str]:
        """Print figures of the games, and return what is wrong with them; `repeated`: those with house players."""
        told = {totals for bot in self.bots for totals in bot.told}
        false = verdict.untold(databases, told)
        if self.bots and not told and self.seconds >= LONG:
            false.append("no client of the wire has seen a game to its end")
        if not self.doppelkopf.games and self.seconds >= LONG:
            false.append("no match of Doppelkopf has come to its end")
        if not repeated and self.seconds >= LONG:
            false.append("no game with house players has come to its end")
        say(f"{'Mau-Mau':20}games seen to end {self.maumau.games}, different totals told by the wire {len(told)}")
        paid = verdict.matches_paid(databases)
        say(f"{'Doppelkopf':20}matches seen to end {self.doppelkopf.games}, matches that moved CUBES {paid}")
        return false
