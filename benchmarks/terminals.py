"""Callers by ssh: from the start of `yawc-door` to the name prompt, and the memory of it and of its session.

The peer is `yawc-poker`, a session that attaches to the BBS by itself. Both are started as sshd starts them: on a
pseudo-terminal of their own, with the caller's address in the environment.
"""

import os
import select
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import psutil

from benchmarks.crowd import CONFIG, LOGIN, PATIENCE
from benchmarks.report import Measured, Row, at_most, figure
from tests.end_to_end.bbs import Bbs
from tests.end_to_end.door_program import lay_out
from tests.kernel import memory
from tests.processes import serving
from tests.waiting import wait_until

REPETITIONS = 5
CALLS = 20
"""Of a repetition; one after the other."""
EVERY = 0.1
"""Seconds between two calls: fewer than the listener's long-term rate."""
AT_ONCE, ALONE = 100, 12
"""Callers by each program whose memory is read. Among few sessions, each would count more of what they share; an
interpreter of its own shares little."""


class Call:
    """A program on a terminal of its own, up to the name prompt."""

    def __init__(self, command: Sequence[str], number: int) -> None:
        self._master, slave = os.openpty()
        termios.tcsetwinsize(slave, (24, 80))
        address = f"192.0.2.{number % 250 + 1}"
        environ = {**os.environ, "TERM": "xterm-256color", "SSH_CONNECTION": f"{address} 50022 192.0.2.1 22"}
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=environ
        )
        os.close(slave)
        self._read_until(LOGIN.encode())
        self.took = time.perf_counter() - began
        """Seconds from the start to the prompt."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._master)
        self.process.kill()
        self.process.wait()

    def _read_until(self, text: bytes) -> None:
        seen = b""
        while text not in seen:
            ready = select.select([self._master], [], [], PATIENCE)[0]
            assert ready, f"no prompt, but {seen!r}"
            seen += os.read(self._master, 65536)


def measure(quick: bool) -> Measured:
    """Call one BBS by both programs in turn, several times; then by several at once."""
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name, Bbs(Path(name) / "data", CONFIG) as bbs:
        door = [str(lay_out(Path(name) / "program")), "--data", str(bbs.data)]
        console = [sys.executable, "-m", "yawc_poker", "--data", str(bbs.data)]
        for command in (door, console):
            _starts(command, 3)
        repetitions = range(1 if quick else REPETITIONS)
        starts = [(_starts(door, CALLS), _starts(console, CALLS // 4)) for _ in repetitions]
        with _several(console, 3 if quick else ALONE) as pids:
            alone = [memory(pid, "Pss") for pid in pids]
        before = _children(bbs)
        with _several(door, 3 if quick else AT_ONCE) as pids:
            doors = [memory(pid, "Pss") for pid in pids]
            sessions = [memory(pid, "Pss") for pid in _children(bbs) - before]
    return Measured(_rows(starts, doors, sessions, alone))


def _starts(command: Sequence[str], count: int) -> list[float]:
    found = []
    for number in range(count):
        with Call(command, number) as call:
            found.append(call.took)
        time.sleep(EVERY)
    return found


@contextmanager
def _several(command: Sequence[str], count: int) -> Iterator[list[int]]:
    """Bring several to the name prompt at once, and yield their processes."""
    with ExitStack() as stack:
        yield [stack.enter_context(Call(command, number)).process.pid for number in range(count)]


def _children(bbs: Bbs) -> set[int]:
    """Return the sessions that the listener has forked, once those who have hung up are gone."""
    listener = psutil.Process(bbs.process.pid)
    found: set[int] = set()

    def look() -> bool:
        known, found_now = set(found), {one.pid for one in serving(listener.pid)}
        found.clear()
        found.update(found_now)
        time.sleep(EVERY)
        return known == found_now

    wait_until(look, "sessions to end")
    return found


def _rows(
    starts: Sequence[tuple[list[float], list[float]]], doors: list[int], sessions: list[int], alone: list[int]
) -> tuple[Row, ...]:
    ours, theirs = figure("ours", [one for one, _ in starts]), figure("yawc-poker", [one for _, one in starts])
    session, door = figure("ours", [sessions], "B"), figure("its yawc-door", [doors], "B")
    return (
        Row(
            "new callers by ssh",
            "start of yawc-door on a terminal → name prompt",
            ours,
            (theirs,),
            (at_most("p50 at most 15 ms", ours.p50, 0.015, "s"),),
            note="What sshd does before is the same for both, and not in it.",
        ),
        Row(
            "memory per caller by ssh",
            "PSS of the session at the name prompt",
            session,
            (door, figure("yawc-poker", [alone], "B")),
            (at_most("at most 4 MB above its yawc-door", session.p50, 4e6, "B"),),
            note=f"{len(sessions)} callers at once; sshd's own processes are not in it.",
        ),
    )
