"""Bytes of a redraw: the cost of a bet for each watcher, beside a full repaint and beside curses.

A real game over telnet. pyte gives a caller's screens before and after another player's bet, cell by cell. Curses draws
the same two screens on an xterm-256color of its own, and the bytes of the second are counted. Its cursor is switched
off beforehand, as ours is for a watcher.
"""

import fcntl
import os
import pty
import re
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import tty
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec
import pyte

from benchmarks.peers.optimiser import Run
from benchmarks.report import Figure, Measured, Row, at_most, figure, ratio
from benchmarks.table import CONFIG, NAMES
from tests.end_to_end.bbs import Bbs, Caller

REPETITIONS = 5
ROUNDS = 2
COLUMNS, ROWS = 80, 24
DEADLINE = 20.0
QUIET = 0.05
"""Seconds without a byte after which a screen is taken to be complete."""
COLOURS = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
"""The names of pyte, in the order of their numbers."""

QUIET_CONFIG = CONFIG.format(unlock="acknowledged") + "tick_seconds = 3600\n"
"""Long enough that no clock is redrawn meanwhile."""
_STYLES = re.compile(rb"\x1b\[([0-9;]*)m")

Screen = list[Run]


class Redraw:
    """One bet as one watcher saw it."""

    def __init__(self, watcher: Caller) -> None:
        _settle(watcher)
        self._watcher = watcher
        self._received = watcher.received
        self._before = len(watcher.raw)
        self.sent = 0
        self.screens: list[Screen] = []

    def seen(self, better: Caller, following: Caller) -> None:
        """Wait until the screen shows the bet and the next turn; count the bytes."""
        self._watcher.hear(f"{better.name} bets")
        self._watcher.until("Turn:", following.name)
        _settle(self._watcher)
        self.sent = self._watcher.received - self._received
        raw = bytes(self._watcher.raw)
        self.screens = [_screen(raw[: self._before]), _screen(raw)]


def _settle(caller: Caller) -> None:
    while caller.listen(QUIET):
        pass


def _screen(raw: bytes) -> Screen:
    """Return the screen of a terminal that has received this; pyte's italics stand for dim, which it does not know."""
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.ByteStream(screen).feed(_STYLES.sub(_dim_as_italics, raw))
    return [run for row in range(ROWS) for run in _runs(row, [screen.buffer[row][column] for column in range(COLUMNS)])]


def _dim_as_italics(styles: re.Match[bytes]) -> bytes:
    return b"\x1b[" + b";".join(b"3" if style == b"2" else style for style in styles[1].split(b";")) + b"m"


def _runs(row: int, cells: Sequence[pyte.screens.Char]) -> Iterator[Run]:
    column = 0
    for (front, ground, bold, dim, reverse), same in groupby(cells, _look):
        text = "".join(cell.data for cell in same)
        run = Run(row, column, text, front, ground, bold, dim, reverse)
        if text.strip() or run.ground >= 0 or run.reverse:
            yield run
        column += len(text)


def _look(cell: pyte.screens.Char) -> tuple[int, int, bool, bool, bool]:
    return _colour(cell.fg), _colour(cell.bg), cell.bold, cell.italics, cell.reverse


def _colour(name: str) -> int:
    return COLOURS.index(name) if name in COLOURS else -1


# --- ours -------------------------------------------------------------------------------------------------------------


def start(people: Sequence[Caller]) -> None:
    """Start a game and play to its second round of bets, which lasts until somebody wants to see."""
    people[0].send("s")
    for caller in people:
        caller.bet()
        caller.hear(f"{caller.name} bets")
    for caller in people:
        caller.see("[D] Done")
        caller.send("d")


def bets(people: Sequence[Caller]) -> Iterator[Redraw]:
    """Make everybody bet once; all watch except the better and the next player."""
    for number, better in enumerate(people):
        following = people[(number + 1) % len(people)]
        redraws = [Redraw(caller) for caller in people if caller not in (better, following)]
        better.bet()
        for redraw in redraws:
            redraw.seen(better, following)
            yield redraw


def repaint(caller: Caller) -> int:
    """Request a full repaint; return its bytes."""
    _settle(caller)
    before = caller.received
    caller.send("\x0c")
    caller.wait(lambda: caller.received > before, "the repaint")
    _settle(caller)
    return caller.received - before


# --- curses -----------------------------------------------------------------------------------------------------------


def optimised(screens: Sequence[Screen], folder: Path) -> list[int]:
    """Draw screens with curses, one after the other; return the bytes sent for each."""
    file = folder / "screens.json"
    file.write_bytes(msgspec.json.encode(screens))
    orders, theirs = socket.socketpair()
    master, slave = pty.openpty()
    tty.setraw(slave)  # so that the kernel adds no bytes
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "benchmarks.peers.optimiser", str(file), str(theirs.fileno())]
    known = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    try:
        with subprocess.Popen(command, stdin=slave, stdout=slave, pass_fds=[theirs.fileno()], env=known):
            theirs.close()
            sent = [_drawn(orders, master) for _ in screens]
            orders.close()
            return sent
    finally:
        orders.close()
        for descriptor in (master, slave):
            os.close(descriptor)


def _drawn(orders: socket.socket, master: int) -> int:
    """Draw the next screen with curses; return the bytes received."""
    orders.send(b".")
    return _read(master, orders)


def _read(master: int, orders: socket.socket) -> int:
    """Read the terminal until the other side reports that it is done and is silent; return the bytes."""
    count, is_done = 0, False
    with selectors.DefaultSelector() as selector:
        selector.register(master, selectors.EVENT_READ)
        selector.register(orders, selectors.EVENT_READ)
        while ready := selector.select(QUIET if is_done else DEADLINE):
            for key, _ in ready:
                if key.fd == master:
                    count += len(os.read(master, 65536))
                else:
                    orders.recv(1)
                    selector.unregister(orders)
                    is_done = True
    assert is_done, "curses draws nothing"
    return count


# --- the row ----------------------------------------------------------------------------------------------------------


def measure(quick: bool) -> Measured:
    """Play rounds of bets, then have curses draw the same screens."""
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name:
        folder = Path(name)
        with Bbs(folder / "data", QUIET_CONFIG) as bbs:
            people = bbs.seat(*NAMES)
            start(people)
            runs, repaints = [], []
            for _ in range(1 if quick else REPETITIONS):
                runs.append([redraw for _ in range(ROUNDS) for redraw in bets(people)])
                repaints.append([repaint(caller) for caller in people])
        drawn = optimised([screen for run in runs for redraw in run for screen in redraw.screens], folder)[1::2]
    ours = figure("ours", [[redraw.sent for redraw in run] for run in runs], "B")
    size = len(runs[0])
    curses = figure("curses' optimiser", [drawn[at : at + size] for at in range(0, len(drawn), size)], "B")
    return Measured([_row(ours, figure("full repaint of ours", repaints, "B"), curses)])


def _row(ours: Figure, full: Figure, curses: Figure) -> Row:
    share = ratio(ours, full)
    return Row(
        "bytes of a redraw",
        "after a bet, to one who looks on",
        ours,
        (full, curses),
        (
            at_most("at most 8 % of the full repaint", None if share is None else 100 * share, 8, "%"),
            at_most("at most 1.2 times curses", ratio(ours, curses), 1.2),
        ),
        note="Curses draws the same two screens, cell by cell and style by style, on an xterm-256color of its own.",
    )
