"""A real BBS for the tests: the daemon as a process, callers as sockets with pyte as their eye.

Nothing sleeps: whoever waits, waits for a condition on a caller's own screen, with a deadline, reading all callers'
sockets meanwhile is not needed because each has the kernel's buffer.
"""

import json
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

import psutil
import pyte

from tests.ports import free_port
from yawc_poker.doors import kinds

DEADLINE = 45.0
IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
TTYPE, NAWS = 24, 31

FAST = """
[bbs]
name = "Testville"
start_cubes = 100
cubes_per_hour = 0
allowance = 0
hold_seconds = 0
[telnet]
registrations_per_hour = 0
max_per_address = 200
[poker]
turn_seconds = 60
master_seconds = 60
pause_seconds = 0.3
[house]
players = 0
[engine]
tick_seconds = 0.2
duty_seconds = 0.5
rehearse = false
"""
"""Short clocks; who hangs up loses the seat at once (`test_dropped_line.py` has the other way); no house players, which
`test_house.py` has; no rehearsal, which takes longer than most tests:
`test_pages.py` and the stress test have one."""


_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x1b]*\x1b\\|[()].|.)")


class Gone(Exception):
    """The connection ended."""


class Caller:
    """A telnet caller: an xterm of 80x24 unless told otherwise; one of no kind answers no negotiation."""

    _before = b""

    def __init__(
        self,
        port: int,
        columns: int = 80,
        rows: int = 24,
        kind: bytes = b"XTERM-256COLOR",
        address: str = "127.0.0.1",
        before: bytes = b"",
    ) -> None:
        """`before` is said first, as by a proxy."""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._kind = kind
        self._pending = b""
        self.received = 0
        self.raw = bytearray()
        self.commands = bytearray()
        self.is_open = True
        self.name = ""
        self._before = before
        self._socket = self._connected(port, address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()

    def _connected(self, port: int, address: str) -> socket.socket:
        """Return a socket that is connected from this address."""
        connected = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE, source_address=(address, 0))
        connected.sendall(self._before)
        return connected

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def prompt(self) -> str:
        """The cursor's line, up to the cursor."""
        cursor = self.screen.cursor
        return str(self.screen.display[cursor.y][: cursor.x])

    @property
    def transcript(self) -> str:
        """All text ever received, without escape sequences."""
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace"))

    def left(self, first: int, last: int) -> str:
        """Columns 1-40 of these lines, counted from 1 as the spec does."""
        return "\n".join(line[:40].rstrip() for line in self.screen.display[first - 1 : last])

    def right(self, first: int, last: int) -> str:
        return "\n".join(line[40:].rstrip() for line in self.screen.display[first - 1 : last])

    def field(self, label: str) -> str:
        """A value of region 2, by its label."""
        for line in self.right(1, 5).split("\n"):
            if label in line:
                return line.partition(label)[2].strip().rstrip("│║|").strip()
        return ""

    @property
    def messages(self) -> list[str]:
        """Region 6 in the order of time, oldest first."""
        rows = self.lines[12:22]
        newest = next((at for at, row in enumerate(rows) if "->" in row[:4]), None)
        if newest is None:
            return []
        ordered = rows[newest + 1 :] + rows[: newest + 1]
        return [row.removeprefix("->").strip() for row in ordered if row.strip()]

    @property
    def cubes(self) -> int:
        found = re.search(r"(\d+) CUBES", self.lines[11])
        assert found, self.text
        return int(found[1])

    # --- waiting and typing -------------------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], bool], what: str, deadline: float = DEADLINE) -> None:
        until = time.monotonic() + deadline
        while not condition():
            left = until - time.monotonic()
            if left <= 0 or not self.is_open:
                state = "timed out" if self.is_open else "connection ended"
                raise AssertionError(f"{self.name}: {state} waiting for {what}; the screen shows:\n{self.text}")
            self._read(left)

    def see(self, *texts: str, deadline: float = DEADLINE) -> None:
        """Wait until all texts are on the screen."""
        self.wait(lambda: all(text in self.text for text in texts), repr(texts), deadline)

    def until(self, label: str, value: str) -> None:
        """Wait until a field of region 2 has a value."""
        self.wait(lambda: self.field(label) == value, f"{label} {value}")

    def owns(self, *cubes: int) -> None:
        """Wait until the status line says one of these."""
        self.wait(lambda: self.cubes in cubes, f"{cubes} CUBES")

    def hear(self, text: str) -> None:
        """Wait for a message of region 6 that contains the text.

        A table shows who sits down its last messages, so on a BBS with a past a text names the player.
        """
        self.wait(lambda: any(text in message for message in self.messages), f"message {text!r}")

    def ended(self, deadline: float = DEADLINE) -> None:
        """Wait until the other side has closed the connection."""
        until = time.monotonic() + deadline
        while self.is_open and time.monotonic() < until:
            self._read(until - time.monotonic())
        assert not self.is_open, self.text

    def send(self, data: bytes | str) -> None:
        self._socket.sendall(data.encode() if isinstance(data, str) else data)

    def press(self, keys: bytes | str) -> None:
        """Type with a fresh eye: nothing that stood on the screen before can be taken for the answer."""
        self.drain()
        self.screen.reset()
        self.send(keys)

    def line(self, text: str) -> None:
        self.send(text + "\r\n")

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.send(bytes([IAC, SB, NAWS, columns >> 8, columns & 255, rows >> 8, rows & 255, IAC, SE]))

    def flood(self, piece: bytes, most: int) -> None:
        """Send a piece over and over, as much as the other side takes without a pause of a tenth of a second."""
        sent, data = 0, piece * (65536 // len(piece))
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_WRITE)
            while sent < most and selector.select(0.1):
                sent += self._socket.send(data)

    def hang_up(self) -> None:
        self._socket.close()
        self.is_open = False

    def listen(self, seconds: float) -> bool:
        """Wait for something, at most so long; False if nothing came."""
        return self._read(seconds)

    def drain(self) -> None:
        """Read what is there already."""
        while self.is_open and self._read(0):
            pass

    def skim(self) -> None:
        """Take what is there from the line, unseen, which is cheap; the screen is wrong until `redraw`."""
        data = self._socket.recv(65536)
        self.received += len(data)
        self.is_open = bool(data)

    def redraw(self) -> None:
        """Ask for the whole screen, by a window with another row."""
        self.screen.reset()
        self.resize(self.screen.columns, self.screen.lines + 1)

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def socket(self) -> socket.socket:
        """For whoever times single bytes; what is read from it, this caller's eye never sees."""
        return self._socket

    def _is_readable(self, seconds: float) -> bool:
        """Wait for something to read, at most so long."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            return bool(selector.select(max(0.0, seconds)))

    def _read(self, seconds: float) -> bool:
        if not self._is_readable(seconds):
            return False
        try:
            data = self._socket.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self.is_open = False
            return False
        self.received += len(data)
        plain = bytes(self._plain(self._pending + data))
        self.raw += plain
        self._stream.feed(plain)
        return True

    def _plain(self, data: bytes) -> Iterator[int]:
        """Take telnet commands out and answer the two that matter."""
        at, self._pending = 0, b""
        while at < len(data):
            if data[at] != IAC:
                yield data[at]
                at += 1
                continue
            length = self._command(data[at:])
            if length == 0:
                self._pending = data[at:]
                return
            at += length

    def _command(self, data: bytes) -> int:
        if len(data) < 2:
            return 0
        if data[1] == SB:
            end = data.find(bytes([IAC, SE]))
            if end >= 0 and self._kind and data[2:4] == bytes([TTYPE, 1]):
                self.send(bytes([IAC, SB, TTYPE, 0]) + self._kind + bytes([IAC, SE]))
            return end + 2 if end >= 0 else 0
        if data[1] in (DO, DONT, WILL, WONT):
            if len(data) < 3:
                return 0
            if data[1] == DO and self._kind:
                self.send(bytes([IAC, WILL if data[2] in (TTYPE, NAWS) else WONT, data[2]]))
                if data[2] == NAWS:
                    self.resize(self.screen.columns, self.screen.lines)
            return 3
        self.commands.append(data[1])
        return 2

    # --- what callers do ----------------------------------------------------------------------------------------------

    def register(self, name: str, password: str = "secret-1") -> Self:
        self.name = name
        self.see("Name:")
        self.line(name)
        self.see(f"{name}", "(y/n)")
        self.send("y")
        self.see("Password:")
        self.line(password)
        self.see("Repeat the password:")
        self.line(password)
        return self.at_prompt()

    def log_in(self, name: str, password: str = "secret-1") -> Self:
        self.name = name
        self.see("Name:")
        self.line(name)
        self.see("Password:")
        self.line(password)
        return self.at_prompt()

    def at(self, prompt: str) -> Self:
        """Wait until the cursor stands right behind this prompt, at the beginning of its line."""
        self.wait(lambda: self.prompt == prompt, f"prompt {prompt!r}")
        return self

    def at_prompt(self) -> Self:
        self.wait(lambda: self.lines[self.screen.cursor.y].startswith("Testville") and self._at_angle(), "the prompt")
        return self

    def _at_angle(self) -> bool:
        cursor = self.screen.cursor
        return self.screen.display[cursor.y][: cursor.x].endswith("> ")

    def sit(self) -> Self:
        self.send("S")
        self.see("[2]")
        self.send("2")
        self.see("(y/n)")
        self.send("y")
        self.see("Master:", "Pot:")
        return self

    def bet(self, amount: str = "") -> None:
        self.see("[B]")
        self.send("b")
        self.send(f"{amount}\r")


class Bbs:
    """The daemon with a data directory of its own."""

    telnetd: ClassVar[tuple[str, ...]] = ("telnetd",)
    yawcctl_module: ClassVar[tuple[str, ...]] = ("yawc_poker.sysop",)
    """The modules that are run, with the arguments before all others."""

    def __init__(
        self, data: Path, config: str = FAST, program: Path | None = None, wire_port: int = 0, web_port: int = 0
    ) -> None:
        """`wire_port` is for clients of Mau-Mau's protocol, `web_port` for browsers; 0: there are none."""
        self.wire_port = wire_port
        self.web_port = web_port
        """`program` is a folder with another copy of the packages to run."""
        self.data = data
        self._program = program
        self.config = config
        self._config = data.parent / f"{data.name}.toml"
        self._config.write_text(config)
        self.log = data.parent / f"{data.name}.log"
        self.process: subprocess.Popen[str]
        self.under: list[str] = []
        """A command that the daemon is run under, such as one that takes privileges away."""
        self.port = free_port()
        self._callers: list[Caller] = []

    def start(self) -> Self:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [*self.under, sys.executable, "-m", *self.telnetd, *self.options()],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self._program,
                start_new_session=True,  # so that a test can signal its whole group
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
        assert found, f"{line!r}; {self.log.read_text()}"
        self.port = int(found[1])
        return self

    def options(self) -> list[str]:
        """Return the daemon's command line; a restarted one takes the port it had."""
        known = {kind.option.flag for kind in kinds().values() if kind.option is not None}
        ports = {"--wire-port": self.wire_port, "--web-port": self.web_port}
        own = [f"{flag}={port}" for flag, port in ports.items() if port or flag in known]
        return [*f"--config {self._config} --data {self.data} --host 127.0.0.1 --port {self.port}".split(), *own]

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for caller in self._callers:
            caller.hang_up()
        if self.process.poll() is None:
            assert self.stop() == 0, self.log.read_text()
        self.close()
        if error is not None:
            sys.stderr.write(self.log.read_text())

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE)

    def close(self) -> None:
        """Close the pipe of a daemon that has ended."""
        self.process.wait(DEADLINE)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def call(
        self, columns: int = 80, rows: int = 24, kind: bytes = b"XTERM-256COLOR", address: str = "127.0.0.1"
    ) -> Caller:
        """Call from an address of this machine (all of 127.0.0.0/8 are)."""
        caller = Caller(self.port, columns, rows, kind, address)
        self._callers.append(caller)
        return caller

    def everybody_out(self) -> None:
        """Hang up all callers and wait until their sessions have ended."""
        for caller in self._callers:
            caller.hang_up()
        self._callers.clear()
        _, left = psutil.wait_procs(psutil.Process(self.process.pid).children(), DEADLINE)
        assert not left, left

    def seat(self, *names: str) -> list[Caller]:
        """Register these names and have them sit down in this order."""
        callers = [self.call().register(name) for name in names]
        for caller in callers:
            caller.sit()
        return callers

    def session(self, name: str) -> psutil.Process:
        """The process of a user's session, from the log."""
        found = re.findall(rf"\[(\d+)\] user '{re.escape(name)}' logged in", self.log.read_text())
        assert found, self.log.read_text()
        return psutil.Process(int(found[-1]))

    def audit(self) -> dict[str, object]:
        """Run yawcctl audit; it must be clean."""
        report: dict[str, object] = json.loads(self.yawcctl("audit", "--json"))
        return report

    def yawcctl(self, *arguments: str) -> str:
        """Run a command of the sysop's, which must succeed, and give what it prints."""
        command = [sys.executable, "-m", *self.yawcctl_module, "--data", str(self.data), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
