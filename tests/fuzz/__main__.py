"""Coverage-guided fuzzing with atheris of all code that handles bytes from outside.

    python -m tests.fuzz [--seconds 600] [--only TEXT] [--build build/fuzz]

Every target runs in a process of its own for its share of the time, as many at once as there are processors. Corpora
stay in the build directory, so the next run begins where this one ended. Prints a row for each target; the exit code is
0 if no input raised, broke an assertion, took longer than `SLOWEST` seconds or more memory than `MEMORY` MB. An input
that did is kept in the build directory; `python -m tests.fuzz --again FILE --only TARGET` shows what it does.
"""

import argparse
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.seeds import SEEDS, corpus, dictionary
from yawc_poker.ipc.segment import NoSegment, Segment, segment_name

SLOWEST = 10
"""Maximum seconds per input; instrumented and on a busy machine, one takes some milliseconds."""
MEMORY = 512
"""Maximum size of a process in MB."""
PATIENCE = 60.0
"""Seconds that a fuzzer may take beyond its share, to load its corpus and for its last input."""
LONGEST = 1000
"""Maximum bytes of an input."""
HEADS = ("target", "inputs", "a second", "corpus", "slowest s", "most MB", "found")
SESSIONS = {"session", "prompt", "poker", "Mau-Mau"}
_SHOWN = 40


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzers and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0, help="for all targets together")
    parser.add_argument("--only", default="", help="targets whose name contains this")
    parser.add_argument("--build", type=Path, default=Path("build/fuzz"), help="where corpora and findings are kept")
    parser.add_argument("--again", type=Path, default=None, help="give a target this one input")
    chosen = parser.parse_args(arguments)
    targets = [target for target in SEEDS if chosen.only in target]
    if chosen.again is not None:
        return subprocess.call(_command(targets[0], Path(_folder()), [str(chosen.again)]))
    slots = os.cpu_count() or 1
    share = chosen.seconds * min(slots, len(targets)) / sum(map(weight, targets))
    say(f"| {' | '.join(HEADS)} |\n{'|---' * len(HEADS)}|")
    return 1 if _all(targets, chosen.build, share, slots) else 0


def weight(target: str) -> int:
    """Return a target's share of the time: whole sessions get more, because they are slow and cover most code."""
    return 3 if target in SESSIONS else 1


def say(line: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _all(targets: list[str], build: Path, share: float, slots: int) -> int:
    """Run all targets, some at a time; return the number of those with findings."""
    waiting, running, found = list(targets), list[Fuzzing](), 0
    while waiting or running:
        while waiting and len(running) < slots:
            target = waiting.pop(0)
            running.append(start(target, build, share * weight(target)))
        _wait_for_one(running)
        for one in [one for one in running if one.process.poll() is not None]:
            running.remove(one)
            found += finish(one)
    return found


class Fuzzing(NamedTuple):
    """A running fuzzer of one target."""

    target: str
    process: subprocess.Popen[bytes]
    data: Path
    log: Path
    corpus: Path
    deadline: float
    """In monotonic seconds: one that runs longer hangs."""


def _wait_for_one(running: list[Fuzzing]) -> None:
    """Wait until a fuzzer has ended, or kill those that hang."""
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        for one in running:
            pidfd = os.pidfd_open(one.process.pid)
            stack.callback(os.close, pidfd)
            selector.register(pidfd, selectors.EVENT_READ)
        selector.select(max(0.0, min(one.deadline for one in running) - time.monotonic()))
    for one in running:
        if time.monotonic() > one.deadline:
            one.process.kill()
            one.process.wait()


def start(target: str, build: Path, seconds: float) -> Fuzzing:
    """Start to fuzz a target."""
    here = build / target
    inputs = here / "corpus"
    inputs.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(corpus(target)):
        (inputs / f"seed-{number}").write_bytes(seed)
    (here / "words").write_text(dictionary())
    data, log = Path(_folder()), here / "log"
    options = [f"-max_total_time={max(1, round(seconds))}", f"-max_len={LONGEST}", f"-timeout={SLOWEST}"]
    options += [f"-rss_limit_mb={MEMORY}", f"-dict={here / 'words'}", f"-artifact_prefix={here}/"]
    with log.open("wb") as out:
        command = _command(target, data, [*options, "-print_final_stats=1", str(inputs)])
        process = subprocess.Popen(command, stdout=out, stderr=out)
    return Fuzzing(target, process, data, log, inputs, time.monotonic() + seconds + PATIENCE)


def finish(one: Fuzzing) -> bool:
    """Print the result and clean up; return whether there was a finding."""
    with suppress(NoSegment):
        Segment.destroy(segment_name(one.data))
    shutil.rmtree(one.data)
    text = one.log.read_text(errors="replace")
    names = ("number_of_executed_units", "average_exec_per_sec", "slowest_unit_time_sec", "peak_rss_mb")
    inputs, speed, slowest, memory = (_figure(text, name) for name in names)
    found = one.process.returncode != 0
    row = (one.target, inputs, speed, str(len(list(one.corpus.iterdir()))), slowest, memory, "yes" if found else "no")
    say(f"| {' | '.join(row)} |")
    if found:
        say("\n".join(text.splitlines()[-_SHOWN:]))
    if one.process.returncode == -signal.SIGKILL:
        say(f"{one.target} did not end in time and was killed")
    return found


def _figure(text: str, name: str) -> str:
    found = re.search(rf"stat::{name}:\s+(\d+)", text)
    return found[1] if found else "?"


def _command(target: str, data: Path, options: list[str]) -> list[str]:
    return [sys.executable, "-m", "tests.fuzz.one", target, str(data), *options]


def _folder() -> str:
    """Create a data directory, if possible in memory, so that databases cost no disk access."""
    return tempfile.mkdtemp(prefix="yawc-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)


if __name__ == "__main__":
    sys.exit(main())
