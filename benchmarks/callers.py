"""Figures of a running BBS: memory per caller, connect to name prompt, bytes of a redraw after a bet.

    python -m benchmarks.callers [--callers 100]

Starts the real daemon on a free port, calls it by telnet, and prints what it measured; the redraw stands beside a
limit measured in the same run, the bytes of a full repaint.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import psutil

from tests.end_to_end.bbs import FAST, Bbs, Caller

CONNECTS = 100


def memory(bbs: Bbs, callers: int) -> None:
    """Print the PSS of the listener and of each session, logged in and in the lobby, then at the table."""
    people = [bbs.call().register(f"Caller {number}") for number in range(callers)]
    listener = psutil.Process(bbs.process.pid)
    sessions = [child.memory_full_info().pss for child in listener.children()]
    print(f"PSS a session, {callers} logged in: median {_mb(statistics.median(sessions))}, most {_mb(max(sessions))}")
    print(f"PSS of the listener: {_mb(listener.memory_full_info().pss)}")
    seated = people[:5]
    for caller in seated:
        caller.sit()
    play(seated)
    pids = [bbs.session(caller.name) for caller in seated]
    played = [process.memory_full_info().pss for process in pids]
    print(f"PSS of the five who have played a game: median {_mb(statistics.median(played))}")
    for caller in people:
        caller.hang_up()


def play(people: list[Caller]) -> None:
    """Play one game to the showdown."""
    people[0].send("s")
    for caller in people:
        caller.bet("5")
        caller.hear(f"{caller.name} bets 5")
    for caller in people:
        caller.see("[D]")
        caller.send("1d")
    people[0].see("[H]")
    people[0].send("h7\r")
    for caller in people[1:]:
        caller.bet()
    for caller in people:
        caller.see("[R]")
        caller.send("r")
    people[0].hear("wins")


def connects(bbs: Bbs) -> None:
    """Print the time from connect to the name prompt, one call at a time."""
    times = []
    for _ in range(CONNECTS):
        started = time.perf_counter()
        caller = bbs.call()
        _wait_for_name_prompt(caller)
        times.append(time.perf_counter() - started)
        caller.hang_up()
    times.sort()
    print(f"connect to name prompt: p50 {_ms(times[len(times) // 2])}, p99 {_ms(times[int(len(times) * 0.99)])}")


def _wait_for_name_prompt(caller: Caller) -> None:
    caller.wait(lambda: b"Name:" in caller.raw, "the name prompt")


def redraw(bbs: Bbs) -> None:
    """Print the bytes that a watching caller receives for somebody else's bet, beside a full repaint."""
    anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    carl.until("Turn:", "Anna")
    before = carl.received
    anna.bet("5")
    carl.hear("Anna bets 5")
    carl.until("Turn:", "Bert")
    print(f"bytes to a watcher after a bet: {carl.received - before}")
    bert.until("Turn:", "Bert")
    before = carl.received
    carl.send("\x0c")
    carl.wait(lambda: carl.received - before > 500, "the repaint")
    carl.drain()
    print(f"bytes of a full repaint (^L): {carl.received - before}")


def _mb(count: float) -> str:
    return f"{count / 1e6:.2f} MB"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callers", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = FAST.replace("max_per_address = 200", f"max_per_address = {options.callers + 50}")
        with Bbs(Path(folder) / "data", config) as bbs:
            connects(bbs)
            redraw(bbs)
        with Bbs(Path(folder) / "more", config) as bbs:
            memory(bbs, options.callers)


if __name__ == "__main__":
    main()
