"""What each part of the work before the first fork brings: a session's own memory with all of them, and without each.

python -m benchmarks.prefork        # some ten minutes; of this interpreter

It prints a row for each part that `session/prefork/parts.py` names: pages of a session's own (Private_Dirty, MB) at the
name prompt, at the main prompt, and after some games. session/prefork/README.md has the figures.
"""

import os
import statistics
import tempfile
from pathlib import Path

from benchmarks import memory
from benchmarks.crowd import Crowd
from tests.end_to_end.bbs import Bbs
from yawc_poker.session.prefork.parts import PARTS, VARIABLE

CALLERS = 16
GAMES = (1, 10, 50)


def row() -> list[float]:
    """Return the memory of sessions in bytes: at both prompts, then by games."""
    with (
        tempfile.TemporaryDirectory(prefix="yawc-bench-") as name,
        Bbs(Path(name) / "data", memory.NEXT_AT_ONCE) as bbs,
    ):
        stages = memory.stages(Crowd(bbs), bbs, CALLERS, GAMES, stay=memory.PLAYERS, what="Private_Dirty")
    grown = [statistics.mean(own) for _, own in stages.grown]
    return [statistics.median(stages.login), statistics.median(stages.prompt), *grown]


def main() -> None:
    """Print the rows."""
    for part in ("", *PARTS):
        os.environ[VARIABLE] = part
        figures = "  ".join(f"{one / 1e6:5.2f}" for one in row())
        print(f"{f'without {part}' if part else 'all':20}{figures}", flush=True)


if __name__ == "__main__":
    main()
