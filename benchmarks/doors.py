"""The same session by every door, beside plain telnet: the call, the echo of a key, the memory that a caller takes.

All doors are measured in turn, by the same client code: telnet, telnet in TLS, a browser's WebSocket, and `yawc-door`
on a pseudo-terminal, as sshd runs it. What sshd itself adds is not in it.
"""

import os
import shutil
import socket
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.eyes import PAUSE, Wire
from benchmarks.report import Mark, Measured, Row, at_most, figure, ratio
from benchmarks.table import echoes
from tests.certificates import make_certificate
from tests.end_to_end.bbs import Bbs, Caller, socket_of
from tests.end_to_end.browser import Tab
from tests.end_to_end.door_program import DoorCaller, lay_out
from tests.end_to_end.pty_caller import PtyCaller
from tests.end_to_end.tls import TlsCaller, section
from tests.frames import masked, server_frame
from tests.kernel import memory
from tests.ports import free_ports
from tests.processes import serving

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
max_per_address = 400
max_sessions = 400
"""
PLAIN, TLS, BROWSER, SSH = "telnet", "TLS", "browser", "ssh"
TIMES = {("call", TLS): 3.0, ("key", TLS): 3.0, ("typed", TLS): 2.0, ("memory", TLS): 1.2}
"""At most so many times what telnet takes."""
DATA = b"d"
"""The kind of frame that carries the terminal's bytes (`telnetd/extras/web/frames.py`)."""

Runs = defaultdict[tuple[str, str], list[list[float]]]
"""The values of each repetition, by what is measured and by door."""


class TabWire:
    """A browser's line, as bytes for the terminal and from it."""

    def __init__(self, tab: Tab) -> None:
        self._socket: socket.socket = tab.socket
        self._left = b""

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._socket.fileno()

    def sendall(self, data: bytes) -> None:
        """Send a frame with at most 124 bytes of text."""
        self._socket.sendall(masked(DATA + data))

    def recv(self, size: int) -> bytes:
        """Return what came for the terminal: perhaps nothing, as in a frame of other news."""
        self._left += self._socket.recv(size)
        found = b""
        while (whole := server_frame(self._left)) is not None:
            payload, self._left = whole
            found += payload[1:] if payload[:1] == DATA else b""
        return found


class PtyWire:
    """The terminal of a caller by ssh."""

    def __init__(self, caller: PtyCaller) -> None:
        self._number = caller.fileno()

    def fileno(self) -> int:
        """Return the terminal's descriptor."""
        return self._number

    def sendall(self, data: bytes) -> None:
        """Type these bytes."""
        os.write(self._number, data)

    def recv(self, size: int) -> bytes:
        """Return what the terminal was sent."""
        return os.read(self._number, size)


def wire_of(caller: Caller) -> Wire:
    """Return what bytes go by to a caller's session and back."""
    match caller:
        case Tab():
            return TabWire(caller)
        case PtyCaller():
            return PtyWire(caller)
        case _:
            return socket_of(caller)


def measure(quick: bool) -> Measured:
    """Measure all doors in turn; TLS is left out where no certificate can be made."""
    runs: Runs = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name:
        folder = Path(name)
        tls_port, web_port = free_ports(2)
        files = make_certificate(folder) if shutil.which("openssl") is not None else None
        config = f"{CONFIG}[web]\n" + ("" if files is None else section(tls_port, files))
        with Bbs(folder / "data", config, web_port=web_port) as bbs:
            program = lay_out(folder / "program")
            doors: dict[str, Callable[[], Caller]] = {PLAIN: bbs.call}
            if files is not None:
                trusted = files.cert
                doors[TLS] = lambda: TlsCaller(tls_port, trusted)
            doors[BROWSER] = lambda: Tab(web_port)
            doors[SSH] = lambda: DoorCaller(program, bbs.data, "192.0.2.7")
            _measure(bbs, doors, runs, quick=quick)
    return Measured([row for door in (TLS, BROWSER, SSH) for row in _rows(runs, door)])


def _measure(bbs: Bbs, doors: dict[str, Callable[[], Caller]], runs: Runs, *, quick: bool) -> None:
    for _ in range(1 if quick else REPETITIONS):
        for door, call in doors.items():
            calls = [_called(call) for _ in range(2 if quick else CALLS)]
            runs["call", door].append([took for took, _ in calls])
            for _, caller in calls:
                caller.hang_up()
    callers = {door: _logged_in(bbs, call, door, 2 if quick else CALLERS) for door, call in doors.items()}
    for door, (_, sessions) in callers.items():
        runs["memory", door].append([memory(pid, "Pss") for pid in sessions])
    seated = {door: people[0].sit() for door, (people, _) in callers.items()}
    for _ in range(1 if quick else REPETITIONS):
        for door, caller in seated.items():
            runs["key", door].append(echoes(wire_of(caller), 2 if quick else KEYS, PAUSE))
            runs["typed", door].append(echoes(wire_of(caller), 2 if quick else TYPED_KEYS, TYPED))
    for people, _ in callers.values():
        for caller in people:
            caller.hang_up()


def _called(call: Callable[[], Caller]) -> tuple[float, Caller]:
    """Call once and stay; return the seconds up to the name prompt."""
    time.sleep(EVERY)
    began = time.perf_counter()
    caller = call()
    caller.see("Name:")
    return time.perf_counter() - began, caller


def _logged_in(bbs: Bbs, call: Callable[[], Caller], door: str, count: int) -> tuple[Sequence[Caller], set[int]]:
    """Return callers at the main prompt and their sessions' processes."""
    before = _children(bbs)
    people = [call().register(f"{door} {chr(ord('a') + number)}") for number in range(count)]
    return people, _children(bbs) - before


def _children(bbs: Bbs) -> set[int]:
    return {child.pid for child in serving(bbs.process.pid)}


def _rows(runs: Runs, door: str) -> list[Row]:
    """Return the rows of a door beside plain telnet."""

    def row(key: str, what: str, measured: str, unit: str = "s") -> Row:
        ours, plain = figure("ours", runs[key, door], unit), figure(PLAIN, runs[key, PLAIN], unit)
        times = TIMES.get((key, door))
        marks: tuple[Mark, ...] = ()
        if times is not None:
            marks = (at_most(f"at most {times:g} times telnet", ratio(ours, plain), times),)
        return Row(what, measured, ours, (plain,), marks, note="Without sshd." if door == SSH else "")

    return [
        row("call", f"a call by {door}", "connect → name prompt, with any handshake"),
        row("key", f"key echo by {door}", "key byte sent → echoed byte received"),
        row("typed", f"key echo by {door}, as typed", "key byte sent → echoed byte received"),
        row("memory", f"memory per caller by {door}", "PSS of each session at the main prompt", "B"),
    ]
