"""From ten seated callers to a thousand: memory per caller, processor time without play, and speed of play.

One BBS fills up. At each size all new callers play a game to its end; then memory is read (PSS, which divides
shared pages among the processes that share them), then nobody plays for a while, then more and more tables play: at the
pace of people, and at full speed. In the end most hang up, and the memory of the remaining ones is read again after the
kernel has merged equal pages.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import servers
from benchmarks.crowd import CONFIG, FIVE, Crowd, Five
from benchmarks.eyes import without_waiting
from benchmarks.merging import merged
from benchmarks.report import Curve, Figure, Line, Measured, Row, at_least, at_most, count, figure, ratio
from tests.end_to_end.bbs import Bbs
from tests.kernel import memory

TABLES = {10: (1, 2), 100: (5, 10, 20), 500: (50, 100), 1000: (200,)}
"""The number of tables that play, by the number of seated callers."""
FRESH, FRESH_FROM = 10, 1000
"""The number of callers with an interpreter of their own; the number of the first."""
MARKED = 500
WINDOWS, WINDOW = 6, 10.0
"""Repetitions, and seconds of each, without play: they include ticks of 5 s and each session's duty of 60 s."""
FEWER_WINDOWS, FEWER_WINDOW = 1, 5.0
"""The same with fewer callers than in the end."""
REST = 5.0
"""Seconds before that minute for the after-effects of a game: the pause, and the first look after it."""
PACE = 3.0
"""Seconds between moves at a table of people."""
PLAY, RUSH = 6.0, 2.0
"""Seconds of play at that pace, and at full speed."""


def worked(pids: Sequence[int]) -> float:
    """Return the processor seconds used by these processes, as the scheduler counts them: to the nanosecond."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e9


class Size:
    """The measurements with one number of callers."""

    def __init__(self, crowd: Crowd, fives: Sequence[Five], listener: int, windows: int, *, quick: bool) -> None:
        sessions = crowd.pids(fives)
        self.callers = len(sessions)
        self.memory = [memory(pid, "Pss") for pid in sessions]
        is_last = windows == WINDOWS
        seconds = 1.0 if quick else WINDOW if is_last else FEWER_WINDOW
        crowd.loop.run_for(REST if is_last and not quick else 0.0)
        self.idle = [_idle(crowd, [listener, *sessions], seconds) for _ in range(windows)]


def _idle(crowd: Crowd, pids: Sequence[int], seconds: float) -> float:
    """Let nobody play; return the percents of one core that these processes take."""
    before, began = worked(pids), time.monotonic()
    crowd.loop.run_for(seconds)
    return 100 * (worked(pids) - before) / (time.monotonic() - began)


class Play:
    """The speed of play of a number of tables."""

    def __init__(self, crowd: Crowd, fives: Sequence[Five], *, quick: bool) -> None:
        self.tables = len(fives)
        seconds = 3.0 if quick else PLAY
        times = crowd.play_for(fives, seconds, PACE)
        self.took = figure("ours", [times])
        """From the key to the last of five screens."""
        self.paced = len(times) / self.tables / seconds
        """Moves per second and table, at the pace of people."""
        rush = 1.0 if quick else RUSH
        hurried = crowd.play_for(fives, rush)
        self.hurried = figure("one table alone", [hurried])
        """The same, at full speed."""
        self.rushed = len(hurried) / rush
        """Moves per second of all tables together, at full speed."""


@without_waiting()
def measure(quick: bool) -> Measured:
    """Fill a BBS step by step and measure each size."""
    sizes: list[Size] = []
    plays: list[Play] = []
    fives: list[Five] = []
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name, Bbs(Path(name) / "data", CONFIG) as bbs:
        crowd = Crowd(bbs)
        fresh = _fresh(crowd, bbs.data)
        for callers, tables in list(TABLES.items())[: 2 if quick else None]:
            print(f"{callers} callers ...", end=" ", file=sys.stderr, flush=True)
            new = crowd.seat(len(fives) * FIVE, callers - len(fives) * FIVE)
            fives += new
            crowd.play_games(fives)  # earlier tables finish their running game
            windows = WINDOWS if callers == max(TABLES) else FEWER_WINDOWS
            sizes.append(Size(crowd, fives, bbs.process.pid, windows, quick=quick))
            plays += [Play(crowd, fives[:number], quick=quick) for number in tables]
        print("merging ...", end=" ", file=sys.stderr, flush=True)
        merged_row = _merged_row(crowd, bbs.data, fives, fresh, quick=quick)
    rows = [_memory(size, fresh) for size in sizes if size.callers >= 100]
    return Measured([*rows, merged_row, _idle_row(sizes[-1]), *_play_rows(plays)], _curves(sizes, plays, fresh))


def _fresh(crowd: Crowd, data: Path) -> Figure:
    """Play a game with callers who each have an interpreter of their own; return their memory."""
    with servers.fresh_interpreters(data) as port:
        fives = crowd.seat(FRESH_FROM, FRESH, port)
        crowd.play_games(fives)
        own = figure("exec of an interpreter", [_memory_of(crowd, fives)], "B")
        crowd.dismiss(fives)
        return own


def _memory_of(crowd: Crowd, fives: Sequence[Five]) -> list[float]:
    return [memory(pid, "Pss") for pid in crowd.pids(fives)]


def _merged_row(crowd: Crowd, data: Path, fives: Sequence[Five], fresh: Figure, *, quick: bool) -> Row:
    """Merge equal pages, and measure the memory of as many callers as the mark is for, and of interpreters."""
    callers = 50 if quick else MARKED
    fives, gone = fives[: callers // FIVE], fives[callers // FIVE :]
    leaving = crowd.pids(gone)
    crowd.dismiss(gone)
    crowd.run(lambda: not any(Path(f"/proc/{pid}").exists() for pid in leaving))
    with servers.fresh_interpreters(data) as port:
        others = crowd.seat(FRESH_FROM, FRESH, port, "Later")
        crowd.play_games(others)
        with merged(crowd.loop.run_for) as worked:
            runs = [[], []] if worked is None else [[_memory_of(crowd, some)] for some in (fives, others)]
        crowd.dismiss(others)
    ours, others_merged = figure("ours", runs[0], "B"), figure("exec of an interpreter, merged", runs[1], "B")
    return Row(
        f"memory per caller, {callers:,} callers, merged",
        "the same, once the kernel has merged equal pages: `merge_memory` in the configuration",
        ours,
        (fresh, others_merged),
        (
            at_most("at most 1.5 MB", ours.p50, 1.5e6, "B"),
            at_least("times less than exec, at least 7", ratio(others_merged, ours), 7),
        ),
        "Not every page that a session owns is equal to another's; or the kernel merges none, or not for this user.",
        f"The kernel's thread took {worked or 0:.1f} s of a processor for it. Interpreters of one's own have other "
        "addresses in nearly every page, so that few are equal.",
    )


def _memory(size: Size, fresh: Figure) -> Row:
    ours = figure("ours", [size.memory], "B")
    times = ratio(fresh, ours)
    marks = (
        (at_most("at most 3.5 MB", ours.p50, 3.5e6, "B"), at_most("stretch: at most 2.5 MB", ours.p50, 2.5e6, "B"))
        if size.callers == MARKED
        else (),
        (at_least("times less than exec, at least 7", times, 7),),
    )
    return Row(
        f"memory per caller, {size.callers:,} callers",
        "PSS of each session after a played game",
        ours,
        (fresh,),
        tuple(mark for some in marks for mark in some),
        "A session owns what it has touched of what it shares with the listener, if only to count a reference.",
        f"p99: of all sessions; the median of all and of {FRESH} interpreters, who share their libraries.",
    )


def _idle_row(size: Size) -> Row:
    ours = count("ours", size.idle, "%")
    return Row(
        f"idle cost, {size.callers:,} seated callers",
        f"share of one core that listener and sessions take while nobody plays, in a minute, by {WINDOW:.0f} s",
        ours,
        (),
        (at_most("at most 2 % of one core", ours.p50, 2, "%"),),
        "Each session wakes every five seconds to look for lost signals; one at each table shows a clock.",
    )


def _play_rows(plays: Sequence[Play]) -> list[Row]:
    alone, all_of_them = plays[0], plays[-1]
    return [
        Row(
            f"a move, {all_of_them.tables} tables play",
            f"key → last of five screens, each table a move every {PACE:.0f} s",
            all_of_them.took,
            (alone.hurried,),
            note="Moves of all tables; bets are committed one after the other, as they share one ledger.",
        ),
        Row(
            f"moves, {all_of_them.tables} tables play as fast as they can",
            "moves of all tables together",
            count("ours", [all_of_them.rushed], "/s"),
            (count("one table", [alone.rushed], "/s"),),
            note="Measured once, as is the row above. What keys may cost is limited: one table alone must rest.",
        ),
    ]


def _curves(sizes: Sequence[Size], plays: Sequence[Play], fresh: Figure) -> list[Curve]:
    callers = [size.callers for size in sizes]
    tables = [play.tables for play in plays]

    def line(name: str, across: Sequence[int], upwards: Sequence[float | None]) -> Line:
        return Line(name, tuple((x, y) for x, y in zip(across, upwards, strict=True) if y is not None))

    taken = [statistics.median(size.memory) for size in sizes]
    idle = [statistics.median(size.idle) for size in sizes]
    return [
        Curve(
            "memory",
            "Memory per caller, after a played game",
            "callers",
            "PSS",
            (line("ours", callers, taken), line(fresh.name, callers, [fresh.p50 for _ in callers])),
            "B",
        ),
        Curve("idle", "Nobody plays", "seated callers", "of one core", (line("ours", callers, idle),), "%"),
        Curve(
            "moves",
            "A move, key to the last of five screens",
            "tables that play at people's pace",
            "time",
            (
                line("p50", tables, [play.took.p50 for play in plays]),
                line("p99", tables, [play.took.p99 for play in plays]),
            ),
            "s",
        ),
        Curve(
            "throughput",
            "Moves a second",
            "tables that play",
            "moves",
            (
                line("each table, at people's pace", tables, [play.paced for play in plays]),
                line("each table, as fast as it goes", tables, [play.rushed / play.tables for play in plays]),
                line("all tables, as fast as it goes", tables, [play.rushed for play in plays]),
            ),
            "/s",
        ),
    ]
