"""New callers: from `connect` to the name prompt; one at a time, at a fixed rate, and all at once.

Callers do not wait for each other: at a fixed rate they call whatever the listener does. The peer is our own session in
a new interpreter for each caller.
"""

import math
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks import servers
from benchmarks.crowd import CONFIG, PATIENCE
from benchmarks.report import Figure, Measured, Row, at_most, figure
from tests.end_to_end.bbs import Bbs
from tests.stress.loop import Loop
from tests.stress.wire import Wire

REPETITIONS = 5
ALONE, ALONE_EVERY = 40, 0.04
"""Calls of a repetition, and the seconds between them: the listener's long-term rate."""
PACED, A_SECOND = 100, 50
BURST = 200
TAKEN_A_SECOND = 30
"""The listener's long-term rate of calls (`telnetd.listener.rate_limits`)."""
SETTLE = 1.0
"""Seconds for sessions to end whose callers have hung up."""
EXEC = 8


class Call:
    """One call, up to the name prompt."""

    def __init__(self, loop: Loop, port: int) -> None:
        self.took: float | None = None
        self.is_lost = False
        self._began = time.perf_counter()
        self._wire = Wire(loop, port, self._hear, self._lose)

    @property
    def is_over(self) -> bool:
        """Whether the prompt came or the connection was lost."""
        return self.took is not None or self.is_lost

    def hang_up(self) -> None:
        """Hang up."""
        self._wire.close()

    def _hear(self, data: bytes) -> None:
        if self.took is None and self._wire.shows("Name:"):
            self.took = time.perf_counter() - self._began

    def _lose(self) -> None:
        self.is_lost = True


def calls(loop: Loop, port: int, count: int, every: float) -> list[float]:
    """Make calls at a fixed rate, all of which stay; return the seconds each took, infinite for a lost one."""
    made: list[Call] = []
    for number in range(count):
        loop.after(number * every, lambda: made.append(Call(loop, port)))
    deadline = time.monotonic() + PATIENCE
    loop.run(lambda: (len(made) == count and all(one.is_over for one in made)) or time.monotonic() > deadline)
    for one in made:
        one.hang_up()
    return [math.inf if one.took is None else one.took for one in made]


def measure(quick: bool) -> Measured:
    """Call one BBS in all three ways, several times."""
    loop = Loop()
    alone: list[list[float]] = []
    paced: list[list[float]] = []
    bursts: list[list[float]] = []
    fresh: list[list[float]] = []
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name, Bbs(Path(name) / "data", CONFIG) as bbs:
        calls(loop, bbs.port, 5, ALONE_EVERY)
        for _ in range(1 if quick else REPETITIONS):
            alone.append(calls(loop, bbs.port, ALONE, ALONE_EVERY))
            with servers.fresh_interpreters(bbs.data) as port:
                fresh.append([took for _ in range(EXEC) for took in calls(loop, port, 1, 0.0)])
            paced.append(calls(loop, bbs.port, PACED, 1 / A_SECOND))
            loop.run_for(SETTLE)  # what is left of what the listener takes at once is enough for the burst
            bursts.append(calls(loop, bbs.port, BURST, 0.0))
            loop.run_for(BURST / TAKEN_A_SECOND + SETTLE)
    return Measured(_rows(alone, paced, bursts, figure("exec of an interpreter", fresh)))


def _rows(
    alone: list[list[float]], paced: list[list[float]], bursts: list[list[float]], fresh: Figure
) -> tuple[Row, ...]:
    alone_at, paced_at, burst_at = (figure("ours", times) for times in (alone, paced, bursts))
    lost = sum(took == math.inf for times in (*alone, *paced, *bursts) for took in times)
    last = statistics.median(max(times) for times in bursts)
    return (
        Row(
            "new callers, one at a time",
            "connect → name prompt",
            alone_at,
            (fresh,),
            (
                at_most("p50 at most 1.5 ms", alone_at.p50, 0.0015, "s"),
                at_most("p99 at most 5 ms", alone_at.p99, 0.005, "s"),
            ),
            note=f"{round(1 / ALONE_EVERY)} a second, each alone.",
        ),
        Row(
            f"new callers, {A_SECOND} a second",
            "connect → name prompt",
            paced_at,
            (fresh,),
            (at_most("p99 at most 20 ms", paced_at.p99, 0.02, "s"),),
            note="The interpreters of the peer come one at a time: two cores cannot start 50 a second.",
        ),
        Row(
            f"new callers, a burst of {BURST}",
            "connect → name prompt",
            burst_at,
            (),
            (
                at_most("none lost", lost, 0),
                at_most("last prompt within 1.0 s", last, 1.0, "s"),
            ),
        ),
    )
