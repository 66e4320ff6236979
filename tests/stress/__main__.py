"""Stress test: callers play while sessions and listener are killed and stopped and connections break.

Besides the callers who play poker some play Mau-Mau, by telnet and by the wire, at the same tables, and some play
Doppelkopf, for points or for CUBES. At each game one plays with the house. Callers come by telnet, in TLS, and as pages
do, each by another door at the next call.

    python -m tests.stress [--callers 200] [--seconds 60] [--seed 1] [--hosts 1] [--tournament maumau | --night]

With `--hosts 3` all of them play at three hosts with one database, whose server has the slow disk (`several`). With
`--tournament` all of them play a tournament of that game to its end instead (`evening`); with `--night` they are
scripts that try to milk house players (`night`).

Prints progress every five seconds, then figures and a verdict; the exit code is 0 for a clean one. One process drives
all callers; the listener and its sessions are the real ones, on a data directory of their own.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.cluster.site import why_not
from tests.stress.evening import LENGTHS, Evening
from tests.stress.figures import say
from tests.stress.listener import prepare_driver
from tests.stress.night import Night
from tests.stress.run import Asked, Run
from tests.stress.several import HostsRun

SHOWN = 30
"""Maximum problems printed."""


def main(arguments: list[str] | None = None) -> int:
    """Run once; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="of the faults; a random one is chosen and printed")
    parser.add_argument("--hosts", type=int, default=1, help="so many, each in a network namespace; wants root")
    parser.add_argument("--tournament", choices=[*LENGTHS], help="all callers play one, at one host")
    parser.add_argument("--night", action="store_true", help="scripts play with house players, at one host")
    chosen = parser.parse_args(arguments)
    if (chosen.tournament is not None or chosen.night) and chosen.hosts > 1:
        parser.error("a tournament and a night are played at one host")
    if chosen.hosts > 1 and (reason := why_not()):
        parser.error(reason)
    seed = Random().randrange(10**6) if chosen.seed is None else chosen.seed
    prepare_driver()
    folder = Path(tempfile.mkdtemp(prefix="yawc-stress-"))
    say(f"{chosen.callers} callers, {chosen.seconds:g} s, seed {seed}")
    found = _run(folder, Asked(chosen.callers, chosen.seconds, seed), chosen).go()
    for line in found[:SHOWN]:
        say(line)
    say(f"verdict: {'clean' if not found else f'{len(found)} problems'} (seed {seed})")
    if found:
        say(f"kept: {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


def _run(folder: Path, asked: Asked, chosen: argparse.Namespace) -> Run:
    """Return the run that was asked for."""
    if chosen.tournament is not None:
        return Evening(folder, asked, chosen.tournament)
    if chosen.night:
        return Night(folder, asked)
    return HostsRun(folder, asked, chosen.hosts) if chosen.hosts > 1 else Run(folder, asked)


if __name__ == "__main__":
    sys.exit(main())
