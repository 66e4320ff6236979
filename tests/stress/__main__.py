"""Stress test: callers play while sessions and listener are killed and stopped and connections break.

Besides the callers who play poker some play Mau-Mau, by telnet and by the wire, at the same tables, and some play
Doppelkopf, for points or for CUBES. At each game one plays with the house. Callers come by telnet, in TLS, and as pages
do, each by another door at the next call.

    python -m tests.stress [--callers 200] [--seconds 60] [--seed 1]

Prints progress every five seconds, then figures and a verdict; the exit code is 0 for a clean one. One process drives
all callers; the listener and its sessions are the real ones, on a data directory of their own.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import psutil

from tests.stress import verdict
from tests.stress.callers import Caller, World
from tests.stress.doors import Doors
from tests.stress.faults import Injector, row
from tests.stress.figures import Figures, counted
from tests.stress.holders import Holders
from tests.stress.hosts import Room, rooms_of
from tests.stress.listener import CONFIG, PATIENCE, Listener, prepare_driver
from tests.stress.loop import Loop
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
from yawc_poker.ipc.segment import segment_name
from yawc_poker.registry.games import MAUMAU_TABLES

SEATS = 5
ROOMS = 10
"""Maximum Mau-Mau tables: their programs play, call and call again much faster than people."""
FOURS = 5
"""Maximum Doppelkopf tables, each with four callers."""
PROGRESS = 5.0
SHOWN = 30
"""Maximum problems printed."""
LONG = 30.0
"""Seconds of faults in which a client of the wire must have played a game to its end, and a table of Doppelkopf one."""
CALM = 2.0
"""Seconds without faults at the end, then as many and two ticks without moves: then all screens must be right."""
DOOR = 10
"""Maximum callers between their first call and the table at one time, before the faults begin."""
START = 60.0
"""Seconds that a listener may take to start at the end of a run."""
ARRIVAL = 600.0
"""Seconds after which the faults begin even if not all callers sit at a table."""


def main(arguments: list[str] | None = None) -> int:
    """Run once; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="of the faults; a random one is chosen and printed")
    chosen = parser.parse_args(arguments)
    seed = Random().randrange(10**6) if chosen.seed is None else chosen.seed
    prepare_driver()
    folder = Path(tempfile.mkdtemp(prefix="yawc-stress-"))
    say(f"{chosen.callers} callers, {chosen.seconds:g} s, seed {seed}")
    found = Run(folder, chosen.callers, chosen.seconds, seed).go()
    for line in found[:SHOWN]:
        say(line)
    say(f"verdict: {'clean' if not found else f'{len(found)} problems'} (seed {seed})")
    if found:
        say(f"kept: {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


def pace_of(callers: int) -> Pace:
    """Return the clocks for a number of callers on two processors: two hundred play with turns of two seconds."""
    pace = max(0.15, callers / 500)
    turn = max(2.0, 4 * pace)
    return Pace(pace, turn, max(5.0, turn), max(0.5, callers / 1000))


def say(line: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Run:
    """One run, from the creation of the BBS to its end."""

    def __init__(self, folder: Path, callers: int, seconds: float, seed: int) -> None:
        self.seconds = seconds
        self.figures = Figures()
        self.loop = Loop()
        count = max(2, -(-callers // SEATS))
        self.pace = pace = pace_of(callers)
        config = CONFIG.format(
            start_cubes=3000,
            sessions=callers + 200 + 6 * ROOMS + 4 * FOURS,
            tables=count + 1,
            maumau=(rooms := min(ROOMS, max(1, callers // 20))) + 1,
            doppelkopf=(fours := min(FOURS, max(1, callers // 20))) + 1,
            turn=pace.turn,
            master=pace.master,
            tick=pace.tick,
            duty=max(2.0, callers / 50),
            patience=PATIENCE,
        )
        self.listener = Listener(folder, config, self.figures)
        self.listener.start()
        self.tables = Tables(self.listener.data, self.loop, self.figures, Random(seed + 1), pace)
        names = [f"Bot {number}" for number in range(callers)]
        world = World(
            self.loop,
            self.figures,
            Doors(self.loop, self.listener, self.figures),
            count,
            pace.pace,
            2 * pace.longest,
            names,
            self.tables.is_full,
            self.tables.screens.reached,
        )
        self.callers = [Caller(number, world, Random(seed * 10**6 + number)) for number in range(callers)]
        self.tables.know(self.callers)
        self._add_rooms(rooms, fours, world, seed)
        step = max(1, callers // MOST)
        self.tables.witnesses = [Witness(one, self.figures) for one in self.callers[::step][:MOST]]
        rng = Random(seed)
        self.faults = row(rng, seconds, callers)
        everybody = [*self.callers, *self.room_callers]
        holders = Holders(self.tables, self.figures, rng, pace.tick)
        self.injector = Injector(self.loop, self.listener, self.tables, everybody, self.figures, rng, holders)
        self.injector.others = {caller.name: caller for caller in self.room_callers}
        self.injector.bots = self.bots
        self.tables.is_stopped = self.injector.is_stopped
        self.tables.is_slow = self.injector.disk_is_slow
        self.began = time.monotonic()

    def _add_rooms(self, rooms: int, fours: int, world: World, seed: int) -> None:
        """Two callers and three clients of the wire for each table of Mau-Mau, four callers for one of Doppelkopf."""
        rng = Random(seed + 2)
        known = self.tables, self.loop, self.figures, rng, self.pace
        self.maumau = RoomTables(MAUMAU_TABLES, maumau_keys, MAUMAU_HABITS, *known)
        self.doppelkopf = RoomTables(DOPPELKOPF_TABLES, doppelkopf_keys, DOPPELKOPF_HABITS, *known)
        tables = {"poker": world.tables + 1, "maumau": rooms + 1, "doppelkopf": fours + 1, "offiziersskat": 1}
        self.hosted, hosts = rooms_of(tables, world, *known)
        self.room_callers: list[RoomCaller] = [*hosts]
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
        self.bots: list[WireBot] = []
        port = self.listener.wire_port
        for at in range(3 * rooms):
            own = Random(rng.random())
            bot = WireBot(at, self.loop, self.figures, port, self.pace.pace, own, lambda: self.injector.calm())
            self.bots.append(bot)

    def go(self) -> list[str]:
        """Run it; return the problems found, one line each."""
        self.loop.every(0.005, self.tables.look)
        all_rooms: list[Room] = [self.maumau, self.doppelkopf, *self.hosted]
        for rooms in all_rooms:
            self.loop.every(0.005, rooms.look)
            self.loop.every(0.25, rooms.watch)
        self.loop.every(0.1, self.tables.screens.sweep)
        self.loop.every(0.25, self.tables.watch)
        self.loop.every(0.25, self.tables.ask_witnesses)
        self.loop.every(0.25, self._look_after_listener)
        self.loop.every(0.1, self.injector.look)
        self.loop.every(PROGRESS, self._progress)
        self._let_in()
        self.injector.begin(self.faults)
        self.loop.run_for(self.seconds)
        self.injector.end()
        until = time.monotonic() + START
        self.loop.run(
            lambda: (self.injector.listener_hears and not self.injector.waits_for_holders) or time.monotonic() > until
        )
        self.loop.run_for(CALM)
        self.tables.is_frozen = True
        for caller in (*self.callers, *self.room_callers):
            caller.is_quiet = True
        for bot in self.bots:
            bot.is_quiet = True
        self.loop.run_for(2 * self.pace.tick + CALM)
        return self._close()

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
        begin = [*(caller.start for caller in self.room_callers), *(bot.call for bot in self.bots)]
        for at, act in enumerate(begin):
            self.loop.after(0.05 * at, act)
        until = time.monotonic() + ARRIVAL
        self.loop.run(lambda: time.monotonic() > until or all(one.has_arrived for one in self.callers))
        missing = sum(1 for one in self.callers if not one.has_arrived)
        if missing:
            self.figures.unanswered.append(f"{missing} callers did not come to a table within {ARRIVAL:g} s")
        here = len(self.callers) - missing
        say(f"{time.monotonic() - self.began:5.0f} s; {here} have come to a table; {self.seconds:g} s of faults begin")

    def _look_after_listener(self) -> None:
        if not self.injector.listener_is_away:
            self.listener.look_after()

    def _progress(self) -> None:
        head, figures = self.tables.segment.head, self.figures
        parts = (
            f"{time.monotonic() - self.began:5.0f} s",
            f"at tables {self.tables.seated()}, games {self.tables.running()}, ended {figures.games}",
            f"posted {head.posted}, overruns {head.overruns}, expired {head.expired}",
            f"faults: {counted(figures.faults)}",
            f"stuck {len(figures.stuck)}, unanswered {len(figures.unanswered)}, not shown {len(figures.silent)},"
            f" screens wrong {len(figures.wrong)},"
            f" bugs {len(verdict.bugs_in(self.listener.log))}",
            f"driver late {self.loop.lag * 1000:.0f} ms",
        )
        say("; ".join(parts))
        self.loop.lag = 0.0

    def _close(self) -> list[str]:
        """Stop the BBS and check what it leaves."""
        for caller in (*self.callers, *self.room_callers):
            caller.is_retired = True
        segment = self.tables.segment
        head, commits = segment.head, sum(cell.number for cell in segment.cells)
        orphaned = segment.is_orphaned
        driver = psutil.Process(os.getpid()).cpu_times()
        exit_code = self.listener.stop()
        ring = verdict.Ring(head.posted, head.waits, head.expired, head.overruns, commits)
        remains = verdict.Remains(
            exit_code,
            self.listener.left_over(),
            verdict.objects_left(segment_name(self.listener.data), self.tables.keys),
            orphaned,
        )
        books, audit = verdict.books_of(self.listener.data)
        verdicts, false, repeated = verdict.proofs_of(self.listener.data)
        told = {totals for bot in self.bots for totals in bot.told}
        false += verdict.untold(self.listener.data, told)
        if not told and self.seconds >= LONG:
            false.append("no client of the wire has seen a game to its end")
        if not self.doppelkopf.games and self.seconds >= LONG:
            false.append("no match of Doppelkopf has come to its end")
        if not repeated and self.seconds >= LONG:
            false.append("no game with house players has come to its end")
        say(f"{'house players':20}games that they took part in, with their moves repeated {repeated}")
        say(f"{'Mau-Mau':20}games seen to end {self.maumau.games}, different totals told by the wire {len(told)}")
        paid = verdict.matches_paid(self.listener.data)
        say(f"{'Doppelkopf':20}matches seen to end {self.doppelkopf.games}, matches that moved CUBES {paid}")
        for line in verdict.report(self.figures, books, audit, ring, remains):
            say(line)
        say(f"{'games checked':20}{counted(verdicts)}")
        say(f"{'log':20}{verdict.levels_in(self.listener.log)}")
        seconds = time.monotonic() - self.began
        say(f"{'driver':20}{driver.user + driver.system:.1f} s of processor time in {seconds:.0f} s")
        killed, wrongly = verdict.killed_in(self.listener.log, self.injector.ever_stopped)
        say(f"{'killed for a lock':20}{killed}, of them never stopped {len(wrongly)}")
        bugs = verdict.bugs_in(self.listener.log) + wrongly
        return verdict.problems(self.figures, books, audit + false, remains, bugs)


if __name__ == "__main__":
    sys.exit(main())
