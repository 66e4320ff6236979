"""A real BBS for the tests: the daemon as a process, callers as sockets with pyte as their eye.

Nothing sleeps: whoever waits, waits for a condition on a caller's own screen, with a deadline, reading all callers'
sockets meanwhile is not needed because each has the kernel's buffer.
"""

import io
import json
import os
import re
import selectors
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import IO, ClassVar, Self, TypeVar

import psutil
import pyte

from tests.nursery import Forked, Process, nursery, run
from tests.ports import free_port
from tests.processes import serving
from tests.terminal import Screen
from tests.thoroughness import SOAK
from tests.waiting import wait_until
from yawc_poker.doors import kinds
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.sysop.__main__ import main as sysop

DEADLINE = 45.0
ANNOUNCED = re.compile(r"^\*\*\* | has just logged (in|out)\.$")
IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
TTYPE, NAWS = 24, 31
"""The protocol's own numbers, not those that the program has."""

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


CallerT = TypeVar("CallerT", bound="Caller")


def connected(port: int, address: str = "127.0.0.1", before: bytes = b"") -> socket.socket:
    """Return a socket that is connected from this address; `before` is said first, as by a proxy."""
    line = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE, source_address=(address, 0))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.sendall(before)
    return line


class Caller(ABC):
    """A caller with a screen, 80x24 unless told otherwise. By which line they come is a subclass's.

    That says how keys and windows are sent (`send`, `line`, `resize`), and what received bytes mean (`_receive`).
    """

    def __init__(self, columns: int = 80, rows: int = 24, name: str = "") -> None:
        self.screen = Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.received = 0
        """Bytes that have come."""
        self.raw = bytearray()
        """All that was shown."""
        self.is_open = True
        self.name = name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()

    # --- the line -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def fileno(self) -> int:
        """Return the line's descriptor."""

    @abstractmethod
    def send(self, data: bytes | str) -> None:
        """Type."""

    @abstractmethod
    def line(self, text: str) -> None:
        """Type a text and ENTER."""

    @abstractmethod
    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size."""

    @abstractmethod
    def hang_up(self) -> None:
        """End the line."""

    @abstractmethod
    def _taken(self, seconds: float) -> bytes | None:
        """Wait for bytes from the line, at most so long, and return them; b"": it has ended; None: nothing came."""

    def _receive(self, data: bytes) -> None:
        """Take bytes that came by the line: those of the terminal, unless it is more than that."""
        self._show(data)

    def _show(self, data: bytes) -> None:
        self.raw += data
        self._stream.feed(data)

    def _read(self, seconds: float) -> bool:
        """Wait for something, at most so long, and take it; return whether anything came."""
        data = self._taken(seconds)
        if data:
            self.received += len(data)
            self._receive(data)
        elif data is not None:
            self.is_open = False
        return bool(data)

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

    def press(self, keys: bytes | str) -> None:
        """Type with a fresh eye: nothing that stood on the screen before can be taken for the answer."""
        self.drain()
        self.screen.reset()
        self.send(keys)

    def listen(self, seconds: float) -> bool:
        """Wait for something, at most so long; False if nothing came."""
        return self._read(seconds)

    def drain(self) -> None:
        """Read what is there already."""
        while self.is_open and self._read(0):
            pass

    def skim(self) -> None:
        """Take what is there from the line, unseen, which is cheap; the screen is wrong until `redraw`."""
        data = self._taken(0) or b""
        self.received += len(data)
        self.is_open = bool(data)

    def redraw(self) -> None:
        """Ask for the whole screen, by a window with another row."""
        self.screen.reset()
        self.resize(self.screen.columns, self.screen.lines + 1)

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
        return self._comes_in()

    def log_in(self, name: str, password: str = "secret-1") -> Self:
        return self.comes_back(name, password)._comes_in()

    def comes_back(self, name: str, password: str = "secret-1") -> Self:
        """Log in; whoever has a seat is led there."""
        self.name = name
        self.see("Name:")
        self.line(name)
        self.see("Password:")
        self.line(password)
        return self

    def _comes_in(self) -> Self:
        """Wait for the main prompt; who has a terminal that nobody knows chooses the screen before."""
        self.wait(lambda: self._is_at_prompt() or "[S]" in self.lines[self.screen.cursor.y], "the prompt")
        if not self._is_at_prompt():
            self.send("s")
        return self.at_prompt()

    def at(self, prompt: str) -> Self:
        """Wait until the cursor stands right behind this prompt, at the beginning of its line."""
        self.wait(lambda: self.prompt == prompt, f"prompt {prompt!r}")
        return self

    @property
    def is_answered(self) -> bool:
        """Whether more is told above the prompt than what was announced, which draws the prompt anew meanwhile."""
        above = self.lines[: self.screen.cursor.y]
        return any(line.strip() and not ANNOUNCED.search(line) for line in above)

    def answered(self) -> Self:
        """Wait until there is an answer above the prompt."""
        self.wait(lambda: self.is_answered, "an answer")
        return self

    def at_prompt(self) -> Self:
        """Come to the main prompt; whoever has left a table is in the casino, and leaves that, too."""
        self.wait(lambda: self._is_at_prompt() or self.prompt == "Casino> ", "the prompt")
        if not self._is_at_prompt():
            self.send("q")
        self.wait(self._is_at_prompt, "the main prompt")
        return self

    def _is_at_prompt(self) -> bool:
        return self.lines[self.screen.cursor.y].startswith("Testville") and self._at_angle()

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


def at_main_prompt(caller: Caller) -> bool:
    """Return whether the cursor stands at the main prompt itself, not the main menu's."""
    return caller.prompt.startswith("Testville (") and caller.prompt.endswith(")> ")


def main_prompt(caller: Caller) -> None:
    caller.wait(lambda: at_main_prompt(caller), "the main prompt")


def ask(caller: Caller, keys: str) -> str:
    """Press keys at the main prompt and return all that is told until it comes back."""
    caller.press(keys)
    caller.wait(lambda: at_main_prompt(caller) and caller.is_answered, "an answer, and the main prompt")
    return caller.text


class SocketCaller(Caller):
    """A caller whose line is a socket, in TLS or not."""

    def __init__(self, line: socket.socket, columns: int = 80, rows: int = 24) -> None:
        super().__init__(columns, rows)
        self.socket = line
        """For whoever times single bytes; what is read from it, this caller's eye never sees."""

    def fileno(self) -> int:
        return self.socket.fileno()

    def hang_up(self) -> None:
        self.socket.close()
        self.is_open = False

    def _recv(self) -> bytes:
        try:
            return self.socket.recv(65536)
        except ConnectionError:
            return b""

    def _taken(self, seconds: float) -> bytes | None:
        if isinstance(self.socket, ssl.SSLSocket) and self.socket.pending() > 0:
            return self._recv()
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            return self._recv() if selector.select(max(0.0, seconds)) else None


class TelnetCaller(SocketCaller):
    """A telnet caller: an xterm unless told otherwise; one of no kind answers no negotiation."""

    def __init__(self, line: socket.socket, columns: int = 80, rows: int = 24, kind: bytes = b"XTERM-256COLOR") -> None:
        super().__init__(line, columns, rows)
        self.commands = bytearray()
        """The telnet commands that were received, without those of options."""
        self._kind = kind
        self._pending = b""

    def send(self, data: bytes | str) -> None:
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def line(self, text: str) -> None:
        self.send(text + "\r\n")

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.send(bytes([IAC, SB, NAWS, columns >> 8, columns & 255, rows >> 8, rows & 255, IAC, SE]))

    def _receive(self, data: bytes) -> None:
        self._show(self._plain(self._pending + data))

    def _plain(self, data: bytes) -> bytes:
        """Take telnet commands out and answer the two that matter."""
        plain, at, self._pending = bytearray(), 0, b""
        while (found := data.find(IAC, at)) >= 0:
            plain += data[at:found]
            length = self._command(data[found:])
            if length == 0:
                self._pending = data[found:]
                return bytes(plain)
            at = found + length
        return bytes(plain + data[at:])

    def _command(self, data: bytes) -> int:
        """Take a command at the beginning of the data; return its length, 0 if it is not whole."""
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


def socket_of(caller: Caller) -> socket.socket:
    """Return the socket of a caller who has one."""
    assert isinstance(caller, SocketCaller), caller
    return caller.socket


def cut(caller: Caller) -> None:
    """Break a caller's line off by a reset."""
    socket_of(caller).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    caller.hang_up()


def further_ports(wire: int, web: int) -> list[str]:
    """Return the options for doors of extras, 0: closed; one that is not there need not be."""
    known = {kind.option.flag for kind in kinds().values() if kind.option is not None}
    ports = {"--wire-port": wire, "--web-port": web}
    return [f"{flag}={port}" for flag, port in ports.items() if port or flag in known]


class Bbs:
    """The daemon with a data directory of its own."""

    telnetd: ClassVar[tuple[str, ...]] = ("telnetd",)
    yawcctl_module: ClassVar[tuple[str, ...]] = ("yawc_poker.sysop",)
    """The modules that are run, with the arguments before all others."""
    is_forked: ClassVar[bool] = "PYTEST_VERSION" in os.environ and not SOAK
    """Whether they are forked from a process that has loaded them, where they can be (`tests.nursery`).

    Benchmarks start them: what a nursery forks shares other pages.
    """

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
        self.process: Process
        self.under: list[str] = []
        """A command that the daemon is run under, such as one that takes privileges away."""
        self.port = free_port()
        self._callers: list[Caller] = []

    def start(self) -> Self:
        with self.log.open("a") as log:
            loaded = nursery(*self.telnetd) if self.is_forked and not (self.under or self._program) else None
            self.process = self._started(log) if loaded is None else Forked(loaded, self.options(), log.fileno())
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
        assert found, f"{line!r}; {self.log.read_text()}"
        self.port = int(found[1])
        return self

    def _started(self, log: IO[str]) -> Process:
        return subprocess.Popen(
            [*self.under, sys.executable, "-m", *self.telnetd, *self.options()],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=self._program,
            start_new_session=True,  # so that a test can signal its whole group
        )

    def options(self) -> list[str]:
        """Return the daemon's command line; a restarted one takes the port it had."""
        own = further_ports(self.wire_port, self.web_port)
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
        """Call by telnet from an address of this machine (all of 127.0.0.0/8 are)."""
        return self.called(TelnetCaller(connected(self.port, address), columns, rows, kind))

    def called(self, caller: CallerT) -> CallerT:
        """Return a caller who called in another way, and hang them up at the end."""
        self._callers.append(caller)
        return caller

    def everybody_out(self) -> None:
        """Hang up all callers and wait until their sessions have ended."""
        for caller in self._callers:
            caller.hang_up()
        self._callers.clear()
        _, left = psutil.wait_procs(serving(self.process.pid), DEADLINE)
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

    def stopped(self, name: str) -> psutil.Process:
        """Stop a user's session while it holds no lock, and return it: with one it would be put out for that."""
        session = self.session(name)
        with closing(Segment.attach(segment_name(self.data))) as segment:
            while True:
                session.suspend()
                wait_until(lambda: session.status() == psutil.STATUS_STOPPED, f"{name}'s session to be stopped")
                if not any(lock.is_held and lock.holder == session.pid for lock in segment.locks):
                    return session
                session.resume()

    def is_sound(self) -> None:
        """Fail unless `yawcctl audit` says that the books are sound; it is asked in this process, which is cheap."""
        with redirect_stdout(io.StringIO()) as said:
            code = sysop(["--data", str(self.data), "audit", "--json"])
        assert code == 0, said.getvalue()

    def audit(self) -> dict[str, object]:
        """Run yawcctl audit; it must be clean."""
        report: dict[str, object] = json.loads(self.yawcctl("audit", "--json"))
        return report

    def yawcctl(self, *arguments: str) -> str:
        """Run a command of the sysop's, which must succeed, and give what it prints."""
        module, *before = self.yawcctl_module
        done = run(module, [*before, "--data", str(self.data), *arguments], is_forked=self.is_forked)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def yawcctl(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the sysop's, which may fail, for the BBS of a data directory."""
    return run("yawc_poker.sysop", ["--data", str(data), *arguments], is_forked=Bbs.is_forked)
