"""Hours under fire: `make soak HOURS=2`, or `python -m tests.stress.soak [--hours 2] [--callers 100] [--seed 1]`.

Three parts, each with a BBS of its own and with monkeys (`monkeys`) among the callers. For half of the time all faults
happen, fewer of them, so that people come to play; for a quarter those that end no process, so that leaks show
(`leaks`); for the last quarter three hosts with one database, which fail as at `make stress HOSTS=3`. Each has the
verdict of `make stress`. A part that cannot run here is a problem, too.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from tests.cluster.site import why_not
from tests.stress.figures import say
from tests.stress.leaks import alone_with_memory
from tests.stress.listener import prepare_driver
from tests.stress.run import Asked, Run
from tests.stress.several import HostsRun

SLACK: Final = 20.0
"""Seconds by which everything may be late: a machine has other work in such a time."""
PROGRESS: Final = 60.0
HOSTS: Final = 3
MONKEYS: Final = 5
"""Callers for each of them."""
DEADLY: Final = ("kill", "stop", "holder", "listener kill", "listener stop")


class Part(NamedTuple):
    """A part of the time."""

    name: str
    time: float
    """Its share."""
    hosts: int
    share: float
    """Of the usual number of faults."""
    shares: Mapping[str, float] = {}
    """The same of some kinds."""


PARTS: Final = (
    Part("every fault", 0.5, 1, 0.3, {"listener kill": 0.1}),
    Part("no process is ended", 0.25, 1, 0.3, dict.fromkeys(DEADLY, 0.0)),
    Part("three hosts", 0.25, HOSTS, 0.3, {"listener kill": 0.1, "host kill": 0.5, "failover": 0.5}),
)


def main(arguments: list[str] | None = None) -> int:
    """Run all parts; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--callers", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None, help="of the faults; a random one is chosen and printed")
    chosen = parser.parse_args(arguments)
    seed = Random().randrange(10**6) if chosen.seed is None else chosen.seed
    prepare_driver()
    is_alone = alone_with_memory()
    found, posted = [], 0
    for part in PARTS:
        seconds = chosen.hours * 3600 * part.time
        say(f"--- {part.name}: {chosen.callers} callers, {seconds:g} s, seed {seed}")
        if part.hosts > 1 and (reason := why_not()):
            found.append(f"{part.name}: {reason}")
            continue
        folder = Path(tempfile.mkdtemp(prefix="yawc-soak-"))
        asked = Asked(
            callers=chosen.callers,
            seconds=seconds,
            seed=seed,
            monkeys=max(1, chosen.callers // MONKEYS),
            slack=SLACK,
            is_alone=is_alone,
            progress=PROGRESS,
            share=part.share,
            shares=part.shares,
        )
        run = HostsRun(folder, asked, part.hosts) if part.hosts > 1 else Run(folder, asked)
        wrong = run.go()
        posted += run.ring.posted
        found += [f"{part.name}: {line}" for line in wrong]
        if wrong:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
    say(f"commands posted in all parts: {posted}")
    for line in found:
        say(line)
    say(f"verdict: {'clean' if not found else f'{len(found)} problems'} (seed {seed})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
