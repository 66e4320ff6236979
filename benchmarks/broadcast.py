"""From a post to the last receiver: the ring and its signal beside C, Redis, ZeroMQ and multiprocessing.Manager.

The ways are in `ways`. They are measured in turn, several times, so that a busy moment of the machine affects all of
them alike, and made into rows. Nothing spins: a wait for the records sleeps 0.2 ms between two polls.
"""

import subprocess
import time

from benchmarks.build import built, can_build
from benchmarks.report import Curve, Figure, Line, Mark, Measured, Row, at_least, at_most, count, figure, ratio
from benchmarks.stamps import Stamps
from benchmarks.ways import REDIS, ZEROMQ, Way, peers, ring, timed_ring

RECEIVERS = {5: 400, 50: 150, 200: 100}
"""Number of receivers, and of timed posts to them in a repetition."""
REPETITIONS = 5
WARM = 10
"""Posts before the timed ones."""
MESSAGES, TIMED_MESSAGES = 5000, 4
"""Consecutive posts whose throughput is measured; the timed mode takes a third of a second for each."""

OURS, TIMED = "ring + SIGUSR1", "timed unlock, 350 ms"
C = "C, SIGUSR1 + ppoll"
C_WAITS = {C: "ppoll", "C, SIGUSR1 + sigwait": "sigwait"}
"""How receivers in C wait: for signal or descriptor, as a session must, or for the signal only, which is fastest."""
MARKS = {5: 2.5, 50: 3.2, 200: 3.2}
"""Allowed multiple of C's p50."""


def measure(quick: bool) -> Measured:
    """Measure both rows; `quick`: once, with few posts and receivers, as a test that it works."""
    receivers = {5: 20} if quick else RECEIVERS
    repetitions = 1 if quick else REPETITIONS
    latency = {many: _latency_figures(many, rounds, repetitions) for many, rounds in receivers.items()}
    rows = [_latency_row(many, figures) for many, figures in latency.items()]
    rows.append(_throughput_row(200 if quick else MESSAGES, 1 if quick else TIMED_MESSAGES, repetitions))
    return Measured(rows, [_curve(latency)] if len(latency) > 1 else [])


# --- latency ----------------------------------------------------------------------------------------------------------


def latencies(way: Way, receivers: int, rounds: int) -> list[float]:
    """Return the seconds from each of `rounds` posts to the last receiver's note."""
    stamps = Stamps(receivers)
    times = []
    with way(stamps) as post:
        for number in range(1, WARM + rounds + 1):
            started = time.monotonic_ns()
            post(number)
            times.append((stamps.wait(number) - started) / 1e9)
    return times[WARM:]


def c_latencies(receivers: int, rounds: int, wait: str) -> list[float]:
    """Measure the limit: C, with receivers that wait by `ppoll` or `sigwait`."""
    command = [str(built("broadcast")), str(receivers), str(WARM + rounds), wait]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    return [int(line) / 1e9 for line in told.stdout.split()][WARM:]


def _latency_figures(receivers: int, rounds: int, repetitions: int) -> dict[str, Figure]:
    """Measure all ways in turn."""
    ways = {OURS: ring} | peers()
    times: dict[str, list[list[float]]] = {name: [] for name in (*C_WAITS, *ways)}
    for _ in range(repetitions):
        for name, wait in C_WAITS.items() if can_build() else ():
            times[name].append(c_latencies(receivers, rounds, wait))
        for name, way in ways.items():
            if way is not None:
                times[name].append(latencies(way, receivers, rounds))
    return {name: figure(name, runs) for name, runs in times.items()}


def _latency_row(receivers: int, figures: dict[str, Figure]) -> Row:
    ours = figures[OURS]
    marks = [at_most(f"p50 at most {MARKS[receivers]} times C", ratio(ours, figures[C]), MARKS[receivers])]
    if receivers == 5:
        marks.append(at_most("p50 at most a third of Redis", ratio(ours, figures[REDIS]), 1 / 3))
    return Row(
        f"broadcast, {receivers} receivers",
        "`post` called → last receiver's loop has read and acknowledged",
        ours,
        tuple(one for name, one in figures.items() if name != OURS),
        tuple(marks),
        "Each receiver wakes an interpreter that takes a signal, copies a slot and checks its sum; C's reads a word.",
        "C shares memory, too. By ppoll it waits as a session must, for the signal or its caller; by sigwait it could "
        "hear no caller."
        if receivers == 5
        else "",
    )


def _curve(latency: dict[int, dict[str, Figure]]) -> Curve:
    names = next(iter(latency.values()))
    lines = (Line(name, tuple((many, figures[name].p50 or 0.0) for many, figures in latency.items())) for name in names)
    return Curve(
        "broadcast",
        "Broadcast: post → the last receiver has read, p50",
        "receivers",
        "time",
        tuple(line for line in lines if all(value for _, value in line.points)),
        "s",
    )


# --- throughput -------------------------------------------------------------------------------------------------------


def throughput(way: Way, receivers: int, messages: int) -> tuple[float, int]:
    """Post as fast as possible; return the commands per second that all have read, and the lost deliveries."""
    stamps = Stamps(receivers)
    with way(stamps) as post:
        post(1)
        stamps.wait(1)
        started = time.monotonic_ns()
        for number in range(2, messages + 2):
            post(number)
        rate = messages / (stamps.wait(messages + 1) - started) * 1e9
        return rate, receivers * (messages + 1) - sum(stamps.commands)


def _throughput_row(messages: int, timed: int, repetitions: int) -> Row:
    ways = {OURS: ring} | {name: way for name, way in peers().items() if name in (REDIS, ZEROMQ)}
    rates: dict[str, list[float]] = {name: [] for name in (TIMED, *ways)}
    lost = 0
    for _ in range(repetitions):
        rates[TIMED].append(throughput(timed_ring, 5, timed)[0])
        for name, way in ways.items():
            if way is not None:
                rate, missing = throughput(way, 5, messages)
                rates[name].append(rate)
                lost += missing if name == OURS else 0
    figures = {name: count(name, told, "/s") for name, told in rates.items()}
    ours = figures[OURS]
    marks: tuple[Mark, ...] = (
        at_least("at least 5,000 times the timed mode", ratio(ours, figures[TIMED]), 5000),
        at_least("at least 2 times Redis", ratio(ours, figures[REDIS]), 2),
        at_most("deliveries lost", lost, 0),
    )
    return Row(
        "broadcast throughput",
        "first of many posts in a row → last of five receivers has read the last",
        ours,
        (figures[TIMED], figures[REDIS], figures[ZEROMQ]),
        marks,
        "On so few cores the poster shares its core with those it wakes.",
        f"{5 * (messages + 1) * repetitions:,} deliveries by the ring were counted by those who read them.",
    )
