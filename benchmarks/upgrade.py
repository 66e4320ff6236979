"""How long callers wait who connect while the listener is upgraded in place (SIGUSR2).

    python -m benchmarks.upgrade [--callers 200] [--upgrades 10]

Starts the real daemon and seats the callers at tables, five at each, with clocks five times as fast as usual. Then it
makes calls, one at a time and 25 a second, before, during and after each upgrade, and prints the time from connecting
to the name prompt: the usual one, and the longest of each upgrade.
"""

import argparse
import signal
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.end_to_end.bbs import FAST, Bbs, Caller, TelnetCaller, connected

AROUND = 20
"""Calls before the upgrades, and after each."""
EVERY_SECONDS = 0.04
"""Seconds between calls: a bit slower than the listener's long-term rate."""


def call(bbs: Bbs) -> float:
    """Call, wait for the name prompt, hang up; return the seconds until the prompt."""
    started = time.perf_counter()
    with TelnetCaller(connected(bbs.port)) as caller:
        caller.wait(lambda: b"Name:" in caller.raw, "the name prompt")
        took = time.perf_counter() - started
    time.sleep(max(0.0, EVERY_SECONDS - took))
    return took


def upgrade(bbs: Bbs) -> Iterator[float]:
    """Upgrade the listener; return the times of the calls made meanwhile."""
    before = bbs.log.read_text().count("this is version")
    bbs.process.send_signal(signal.SIGUSR2)
    while bbs.log.read_text().count("this is version") == before:
        yield call(bbs)
    for _ in range(AROUND):
        yield call(bbs)


def seat(bbs: Bbs, callers: int) -> list[Caller]:
    """Seat everybody, five at a table."""
    people = [bbs.call().register(f"Caller {number}") for number in range(callers)]
    for number, caller in enumerate(people):
        caller.send("s")
        caller.see("[2]")
        caller.send("2")
        caller.see("Which table")
        caller.line(str(number // 5 + 1))
        caller.see("(y/n)")
        caller.send("y")
        caller.see("Master:", "Pot:")
    return people


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callers", type=int, default=200)
    parser.add_argument("--upgrades", type=int, default=10)
    options = parser.parse_args()
    tables = max(2, -(-options.callers // 5))
    fast = FAST.replace("tick_seconds = 0.2", "tick_seconds = 1").replace("duty_seconds = 0.5", "duty_seconds = 12")
    config = fast.replace("[poker]", f"[poker]\ntables = {tables}").replace("= 200", f"= {options.callers + 1000}")
    with tempfile.TemporaryDirectory() as folder, Bbs(Path(folder) / "data", config) as bbs:
        people = seat(bbs, options.callers)
        usual = [call(bbs) for _ in range(AROUND)]
        print(f"usual, {len(people)} seated: median {statistics.median(usual):.3f} s, longest {max(usual):.3f} s")
        longest = [max(upgrade(bbs)) for _ in range(options.upgrades)]
        print(f"longest over each of {options.upgrades} upgrades: {', '.join(f'{one:.3f}' for one in longest)} s")
        print(f"longest of all: {max(longest):.3f} s")


if __name__ == "__main__":
    main()
