"""Hostile callers and their effect on ordinary ones.

    python -m tests.hostile [--seconds 20] [--guests 12] [--only TEXT]

Starts the real daemon, seats ordinary callers at tables and measures how long each of their keys takes to show. Then it
runs one kind of hostile callers after the other, and measures again. All of them would have machines of their own: this
process goes first on a processor, and the hostile ones get what nobody else wants (SCHED_IDLE). During a storm of calls
the sysop is at work, too.

Prints a table in Markdown. The exit code is 0 if no ordinary caller's 99th percentile reached three times its quiet
value, each command of the sysop was answered within a second, the listener is alive, the ledger is sound and nothing is
left over. In twenty seconds there are so few acts that their 99th percentile is the second longest: a kind that reaches
the limit is measured once more, next to another quiet time. Then both times count together, against all quiet times so
far.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import psutil

from tests.hostile.browsers import PREFIX
from tests.hostile.client import Client
from tests.hostile.guests import KINDS, Guest, Samples
from tests.hostile.sysop import Sysop
from tests.hostile.villains import BANNED, ENCRYPTED, PROXY, STORMS, every_act
from tests.processes import serving
from tests.stress import verdict
from tests.stress.figures import Figures
from tests.stress.listener import Listener, prepare_driver
from tests.stress.loop import Loop
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.session.loop.cpu_budget import FLOOD_SECONDS
from yawc_poker.session.prefork.slices import go_first

SEATED = 4
"""Ordinary callers per table; the fifth seat is for hostile ones."""
PACE = 0.2
"""Seconds between two keys of an ordinary caller."""
LIMIT = 3.0
"""Allowed multiple of the quiet 99th percentile."""
SYSOP_SECONDS = 1.0
"""Seconds within which each command of the sysop must be answered."""
OPENSSL = shutil.which("openssl")
"""Makes the listener's certificate; without it the door for TLS stays shut."""
SETTLE = FLOOD_SECONDS + 10
"""Seconds after an act for all its sessions to end: a hang-up may be queued behind megabytes of input."""
CONFIG = """
[bbs]
name = "Testville"
hold_seconds = 0
start_cubes = 1000000
cubes_per_hour = 0
[telnet]
registrations_per_hour = 0
max_sessions = 500
max_per_address = 20
login_seconds = 12
proxies = ["{proxy}"]
[poker]
tables = {tables}
"""


def main(arguments: list[str] | None = None) -> int:
    """Run all acts; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each act, and for the quiet before")
    parser.add_argument("--guests", type=int, default=12, help="ordinary callers")
    parser.add_argument("--only", default="", help="acts whose name contains this")
    chosen = parser.parse_args(arguments)
    prepare_driver()
    folder = Path(tempfile.mkdtemp(prefix="yawc-hostile-"))
    acts = [act for act in every_act() if chosen.only in act and (OPENSSL or not act.startswith(ENCRYPTED))]
    problems = Run(folder, chosen.guests, chosen.seconds).go(acts)
    for line in problems:
        say(line)
    say(f"verdict: {'clean' if not problems else f'{len(problems)} problems'}")
    if problems:
        say(f"kept: {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


def say(line: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Run:
    """One run: a BBS, its ordinary callers, and all acts of hostile ones."""

    def __init__(self, folder: Path, guests: int, seconds: float) -> None:
        self.seconds = seconds
        self.tables = max(1, -(-guests // SEATED))
        self.figures = Figures()
        self.loop = Loop()
        self.listener = Listener(folder, CONFIG.format(tables=self.tables, proxy=PROXY), self.figures)
        self.tls_port = self.listener.tls_port
        self.listener.start()
        go_first()
        self.guests = [self._guest(number) for number in range(guests)]
        self.problems: list[str] = []
        self.between = Samples()
        """What is asked while nothing is measured: this process looks through all others then, and reads late."""
        Sysop(self.listener.data).ban(BANNED)
        segment = Segment.attach(segment_name(self.listener.data))
        self.keys = [lock.key for lock in segment.locks]
        segment.close()

    def _guest(self, number: int) -> Guest:
        client = Client(self.listener.port, f"127.9.0.{number + 1}")
        client.log_in(f"N{number}")
        client.sit(number // SEATED)
        return Guest(number, client, self.loop, Random(number), PACE)

    def go(self, acts: list[str]) -> list[str]:
        """Measure without hostile callers, then during each act; return the problems, one line each."""
        self.loop.run_for(3.0)
        quiet = self._measured(lambda: self.loop.run_for(self.seconds))
        say(f"| hostile act | what happened | other callers' p99, key (act) | ratio to quiet |\n{'|---' * 4}|")
        say(f"| none | {_counted(quiet)} | {_shown(quiet)} | 1 |")
        for act in acts:
            samples = self._suffer(act, quiet)
            if self._late(act, samples, quiet):
                # The p99 of 20 seconds is that of some ten late keys, or two late acts: look at twice as many.
                again = self._measured(lambda: self.loop.run_for(self.seconds))
                say(f"| none, before the next | {_counted(again)} | {_shown(again)} | 1 |")
                samples += self._suffer(act, again)
                quiet += again
                say(f"| {act}, both times | {_counted(samples)} | {_shown(samples)} | {_ratios(samples, quiet)} |")
                self.problems += self._late(act, samples, quiet)
        calm = self._measured(lambda: self.loop.run_for(self.seconds))
        say(f"| none, again | {_counted(calm)} | {_shown(calm)} | {_ratios(calm, quiet)} |")
        self._close()
        return self.problems

    def _measured(self, during: Callable[[], object]) -> Samples:
        samples = Samples()
        self._write_down_in(samples)
        during()
        self._write_down_in(self.between)
        return samples

    def _write_down_in(self, samples: Samples) -> None:
        for guest in self.guests:
            guest.samples = samples

    def _suffer(self, act: str, quiet: Samples) -> Samples:
        """Run an act; return how long the others waited meanwhile."""
        seen = self.listener.log.stat().st_size
        did: Counter[str] = Counter()
        samples = self._measured(lambda: did.update(self._stormed(act) if act in STORMS else self._done(act)))
        what = ", ".join(f"{name} {_number(number)}" for name, number in did.items())
        said = _told(self.listener.log, seen)
        say(f"| {act} | {what}; log: {said or 'nothing'} | {_shown(samples)} | {_ratios(samples, quiet)} |")
        self._judge(act, samples)
        self._settle(act)
        return samples

    def _late(self, act: str, samples: Samples, quiet: Samples) -> list[str]:
        """Return where the others waited too long, one line each."""
        return [
            f"{act}: {kind} {_ratios(samples, quiet)}"
            for kind in KINDS
            if samples.p(kind, 0.99) >= LIMIT * quiet.p(kind, 0.99)
        ]

    def _done(self, act: str) -> dict[str, int]:
        """Run an act; return the counts that the hostile callers report."""
        command = ["chrt", "--idle", "0", sys.executable, "-m", "tests.hostile.villains", act]
        browsers = self.listener.web_port if act.startswith(PREFIX) else self.listener.port
        port = self.tls_port if act.startswith(ENCRYPTED) else browsers
        command += f"--port {port} --seconds {self.seconds} --tables {self.tables}".split()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as villains:
            self.loop.run(lambda: villains.poll() is not None)
            assert villains.stdout is not None
            told: dict[str, int] = json.loads(villains.stdout.read() or "{}")
        return told

    def _stormed(self, act: str) -> dict[str, int]:
        """Run an act with the sysop at work meanwhile; return the same."""
        with Sysop(self.listener.data) as sysop:
            told = self._done(act)
        say(f"the sysop during {act}: {sysop.told()}")
        self.problems += [f"{act}: the sysop asks in vain, {line}" for line in sysop.failed]
        if sysop.slowest >= SYSOP_SECONDS:
            self.problems.append(f"{act}: the sysop waited {sysop.slowest:.1f} s")
        return told

    def _judge(self, act: str, samples: Samples) -> None:
        if samples.lost:
            self.problems.append(f"{act}: {samples.lost} keys unanswered")
        self.problems += [f"{act}: {guest.gone}" for guest in self.guests if guest.gone]
        if self.listener.process is None or self.listener.process.poll() is not None:
            self.problems.append(f"{act}: the listener is dead")

    def _settle(self, act: str) -> None:
        """Wait until the sessions of the hostile callers have ended."""
        assert self.listener.process is not None
        listener = psutil.Process(self.listener.process.pid)
        until = time.monotonic() + SETTLE
        self.loop.run(lambda: len(serving(listener.pid)) <= len(self.guests) or time.monotonic() > until)
        if (left := len(serving(listener.pid)) - len(self.guests)) > 0:
            self.problems.append(f"{act}: {left} sessions still live {SETTLE:g} s after it")
        self.loop.run_for(1.0)

    def _close(self) -> None:
        if self.between.lost:
            self.problems.append(f"between the acts: {self.between.lost} keys unanswered")
        code = self.listener.stop()
        if code != 0:
            self.problems.append(f"the listener ended with {code}")
        self.problems += [f"left over: {one}" for one in self.listener.left_over()]
        self.problems += [
            f"left over: {one}" for one in verdict.objects_left(segment_name(self.listener.data), self.keys)
        ]
        _, audit = verdict.books_of(Databases(self.listener.data))
        self.problems += [f"ledger: {line}" for line in audit]
        self.problems += [f"log: {line}" for line in verdict.bugs_in(self.listener.log)]


def _shown(samples: Samples) -> str:
    return " ".join(f"{samples.p(kind, 0.99) * 1000:.1f} ms" for kind in KINDS)


def _ratios(samples: Samples, quiet: Samples) -> str:
    return " ".join(f"{samples.p(kind, 0.99) / max(quiet.p(kind, 0.99), 1e-9):.1f}" for kind in KINDS)


def _counted(samples: Samples) -> str:
    return f"{samples.count('key')} keys, {samples.count('act')} acts"


def _number(number: int) -> str:
    return f"{number / 1e6:.1f} M" if number >= 1e6 else str(number)


def _told(log: Path, start: int) -> str:
    """Return the most frequent kinds of log lines since then, with their numbers."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().decode(errors="replace").splitlines()
    kinds = Counter(_kind(line) for line in lines)
    return ", ".join(f"{text} ({number})" for text, number in kinds.most_common(3))


def _kind(line: str) -> str:
    """Return a log line without time, process, names and addresses."""
    text = re.sub(r"^.*?\[\d+\] ", "", line)
    return re.sub(r"'[^']*'|\b[\d.]*\d\b", "_", text)[:80]


if __name__ == "__main__":
    sys.exit(main())
