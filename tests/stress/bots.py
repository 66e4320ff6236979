"""Bots play Mau-Mau by the wire against the real server, game after game; the books must agree with what they saw.

    python -m tests.stress.bots [--games 1000] [--clients 4] [--rounds 4] [--seed 1]

Prints progress, then figures and a verdict; the exit code is 0 if no bot saw an error of the protocol, the totals of
every game are the same for all its bots and in the server's history, and every game's proof holds.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tests.end_to_end.wire import a_bbs, totals
from yawc_poker.extras.maumau_wire.client.bot import Disagreement, GameResult, play_games
from yawc_poker.extras.maumau_wire.client.connection import ServerGone
from yawc_poker.extras.maumau_wire.protocol.client import Confused

LOG = 3000
"""Characters of the server's log shown when something is wrong."""
PROGRESS = 100
"""Games between two lines of progress."""


def main(arguments: list[str] | None = None) -> int:
    """Play; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="of what the bots choose")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="yawc-bots-") as folder:
        fault = _run(Path(folder), chosen)
    say(f"verdict: {fault or 'clean'}")
    return 1 if fault else 0


def _run(folder: Path, chosen: argparse.Namespace) -> str:
    """Play all games; return the problems, none if all is right."""
    told: list[GameResult] = []
    began = time.monotonic()

    def tell(result: GameResult) -> None:
        told.append(result)
        if result.game % PROGRESS == 0:
            say(f"{time.monotonic() - began:6.1f} s; {result.game} games; the last one: {result.totals}")

    with a_bbs(folder / "data", chosen.clients, rounds=chosen.rounds) as bbs:
        try:
            play_games("127.0.0.1", bbs.wire_port, chosen.clients, chosen.games, Random(chosen.seed), tell)
        except (ServerGone, Confused, Disagreement) as error:
            say(bbs.log.read_text()[-LOG:])
            return f"game {len(told) + 1}: {error}"
        seconds = time.monotonic() - began
        bbs.audit()
        written = totals(bbs.data)
    actions = sum(result.actions for result in told)
    speed = f"{actions} actions, {actions / seconds:.0f} a second"
    say(f"{len(told)} games of {chosen.clients} bots in {seconds:.0f} s: {speed}")
    say(f"most points in a game: {max(max(result.totals) for result in told)}")
    return "" if written == [result.totals for result in told] else "the history has other totals"


def say(line: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
