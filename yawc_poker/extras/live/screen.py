"""`yawcctl top` on a terminal: what comes from the BBS is drawn until the sysop leaves.

What draws takes longer to load than all other commands: `top` imports this only where it has a terminal.
"""

import argparse
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing

import msgspec

from yawc_poker.control.client import CannotAsk, Failed, connect, read
from yawc_poker.control.protocol import FAILED, AnyRequest, BadRequest, read_answer, write_request
from yawc_poker.extras.live.picture import picture
from yawc_poker.extras.live.protocol import Glance, Top
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Resized, Terminated
from yawc_poker.ipc.signals import JOB_SIGNALS, SignalInbox
from yawc_poker.terminal import display, frame, keyboard, keys, kinds, tty
from yawc_poker.transport import LineClosed

_ENDS = frozenset({signal.SIGTERM, signal.SIGHUP, signal.SIGINT})
_LEAVE = frozenset({"q", "Q", keys.BREAK, keys.ESCAPE})
_MOST = 1 << 20


def can_draw() -> bool:
    """Return whether the terminal moves its cursor."""
    return kinds.terminal(os.environ.get("TERM", ""))[0] != kinds.DUMB


def show(chosen: argparse.Namespace) -> None:
    """Show the BBS until the sysop leaves. Raise `CannotAsk`, `Failed`."""
    with closing(_Feed(chosen, Top(every=chosen.every))) as feed:
        line = tty.TtyLine(sys.stdout.fileno())
        inbox = SignalInbox((*_ENDS, signal.SIGWINCH, *JOB_SIGNALS))
        try:
            _Screen(feed, line, inbox).run()
        except LineClosed:
            pass
        finally:
            inbox.close()
            line.close()


class _Feed:
    """Rows of an endless answer of the running BBS, as they come. Raise `CannotAsk` where none runs."""

    def __init__(self, chosen: argparse.Namespace, request: AnyRequest) -> None:
        self._connection = connect(chosen.data, chosen.timeout)
        self._read = bytearray()
        try:
            self._connection.sendall(write_request(request))
        except OSError as error:
            self._connection.close()
            raise CannotAsk(f"the BBS on {chosen.data} hung up: {error.strerror}") from None
        self._connection.setblocking(False)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._connection.fileno()

    def rows(self) -> Iterator[msgspec.Raw]:
        """Yield the rows that have come. Raise `Failed` at the end of the answer, whatever it is."""
        try:
            data = self._connection.recv(_MOST)
        except BlockingIOError:
            return
        except OSError as error:
            raise Failed(FAILED, f"the BBS hung up: {error.strerror}") from None
        if not data:
            raise Failed(FAILED, "the BBS ended")
        self._read += data
        while (end := self._read.find(b"\n")) >= 0:
            line = bytes(self._read[: end + 1])
            del self._read[: end + 1]
            yield from self._row(line)

    def _row(self, line: bytes) -> Iterator[msgspec.Raw]:
        try:
            answer = read_answer(line)
        except BadRequest as error:
            raise Failed(FAILED, str(error)) from None
        if isinstance(answer.end, int):
            raise Failed(answer.end or FAILED, answer.error or "the BBS ended")
        if isinstance(answer.row, msgspec.Raw):
            yield answer.row


class _Screen:
    """The loop: a terminal, the BBS and signals at once."""

    def __init__(self, feed: _Feed, line: tty.TtyLine, inbox: SignalInbox) -> None:
        self._feed = feed
        self._line = line
        self._display = display.Display(line)
        self._loop = EventLoop(inbox, ends=_ENDS, on_job=tty.Job(line, self._display).hear)
        self._keyboard = keyboard.Keyboard(self._display)
        self._latest: Glance | None = None
        self._before: Glance | None = None
        self._ends = False
        self._loop.watch(feed.fileno())

    def run(self) -> None:
        """Show what comes until the sysop leaves. Raise `Failed`, `LineClosed`."""
        try:
            while not self._ends:
                self._display.draw(self._frame())
                self._line.flush()
                self._look(self._wait())
        finally:
            self._display.restore()

    def _frame(self) -> frame.Frame:
        columns, rows = self._line.columns, self._line.rows
        canvas = frame.Canvas(columns, rows)
        if self._latest is None:
            canvas.put(0, 0, "Waiting for the BBS.")
            return canvas.frame()
        for number, (text, style) in enumerate(picture(self._latest, self._before, columns, rows)):
            canvas.put(0, number, f"{text:<{columns}}" if style == frame.Style.BAR else text, style)
        return canvas.frame()

    def _wait(self) -> set[int]:
        """Wait until something comes, or a key is whole; return the descriptors that are ready."""
        self._loop.watch(self._line.fileno(), select.POLLIN | (select.POLLOUT if self._line.pending else 0))
        escape = self._keyboard.escape_at
        seconds = None if escape is None else max(0.0, escape - time.monotonic())
        return {descriptor for descriptor, _ in self._loop.wait(seconds)}

    def _look(self, ready: set[int]) -> None:
        events = [*self._loop.events]
        self._loop.events.clear()
        self._ends = Terminated() in events
        if Resized() in events:
            self._line.resized()
        if self._feed.fileno() in ready:
            for answer in self._feed.rows():
                self._before, self._latest = self._latest, read(answer, Glance)
        if self._line.fileno() in ready:
            self._keyboard.feed(self._line.receive())
        for key in self._keyboard.keys(time.monotonic()):
            if key in _LEAVE:
                self._ends = True
            elif key == keys.REDRAW:
                self._display.forget()
