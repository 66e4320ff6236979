"""Telnet in TLS beside plain telnet: the call, the echo of a key, the memory that a caller takes.

Both doors are measured in turn, by the same client code.
"""

import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from benchmarks.eyes import PAUSE
from benchmarks.report import Measured, Row, at_most, figure, ratio
from benchmarks.table import echoes
from tests.certificates import make_certificate
from tests.end_to_end.bbs import Caller
from tests.end_to_end.tls import TlsBbs
from tests.kernel import memory

REPETITIONS = 5
CALLS, EVERY = 20, 0.05
"""Calls of a repetition by each door, and the seconds between them: the listener's long-term rate is 30 a second."""
KEYS, TYPED, TYPED_KEYS = 200, 0.1, 20
"""Keys one after the other; the pause of a fast typist, and such keys."""
CALLERS = 10
"""Whose memory is read, at the main prompt, by each door."""
CONFIG = """
[bbs]
name = "Testville"
cubes_per_hour = 0
[telnet]
registrations_per_hour = 0
max_per_address = 200
"""
PLAIN, TLS = "telnet", "TLS"

Runs = defaultdict[tuple[str, str], list[list[float]]]
"""The values of each repetition, by what is measured and by door."""


def measure(quick: bool) -> Measured:
    """Measure both doors in turn; nothing where no certificate can be made."""
    runs: Runs = defaultdict(list)
    if shutil.which("openssl") is not None:
        with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name:
            folder = Path(name)
            with TlsBbs(folder / "data", make_certificate(folder), CONFIG) as bbs:
                _measure(bbs, runs, quick=quick)
    return Measured(_rows(runs, TLS))


def _measure(bbs: TlsBbs, runs: Runs, *, quick: bool) -> None:
    doors: dict[str, Callable[[], Caller]] = {PLAIN: bbs.call, TLS: bbs.call_in_tls}
    for _ in range(1 if quick else REPETITIONS):
        for door, call in doors.items():
            runs["call", door].append([_called(call) for _ in range(2 if quick else CALLS)])
    bbs.everybody_out()
    callers = {door: _logged_in(bbs, call, door, 2 if quick else CALLERS) for door, call in doors.items()}
    for door, (_, sessions) in callers.items():
        runs["memory", door].append([memory(pid, "Pss") for pid in sessions])
    seated = {door: people[0].sit() for door, (people, _) in callers.items()}
    for _ in range(1 if quick else REPETITIONS):
        for door, caller in seated.items():
            runs["key", door].append(echoes(caller, 2 if quick else KEYS, PAUSE))
            runs["typed", door].append(echoes(caller, 2 if quick else TYPED_KEYS, TYPED))


def _called(call: Callable[[], Caller]) -> float:
    """Call once and stay; return the seconds up to the name prompt."""
    time.sleep(EVERY)
    began = time.perf_counter()
    call().see("Name:")
    return time.perf_counter() - began


def _logged_in(bbs: TlsBbs, call: Callable[[], Caller], door: str, count: int) -> tuple[Sequence[Caller], set[int]]:
    """Return callers at the main prompt and their sessions' processes."""
    before = _children(bbs)
    people = [call().register(f"{door} {chr(ord('a') + number)}") for number in range(count)]
    return people, _children(bbs) - before


def _children(bbs: TlsBbs) -> set[int]:
    return {child.pid for child in psutil.Process(bbs.process.pid).children()}


def _rows(runs: Runs, door: str) -> list[Row]:
    """Return the rows of a door beside plain telnet."""

    def row(key: str, what: str, measured: str, times: float, unit: str = "s") -> Row:
        ours, plain = figure("ours", runs[key, door], unit), figure(PLAIN, runs[key, PLAIN], unit)
        mark = at_most(f"at most {times:g} times telnet", ratio(ours, plain), times)
        return Row(what, measured, ours, (plain,), (mark,))

    return [
        row("call", f"a call by {door}", "connect → name prompt, with the handshake", 3),
        row("key", f"key echo by {door}", "key byte sent → echoed byte received", 3),
        row("typed", f"key echo by {door}, as typed", "key byte sent → echoed byte received", 2),
        row("memory", f"memory per caller by {door}", "PSS of each session at the main prompt", 1.2, "B"),
    ]
