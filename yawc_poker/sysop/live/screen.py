"""`yawcctl top` on a terminal: what comes from the BBS is drawn until the sysop leaves.

What draws takes longer to load than all other commands: `top` imports this only where it has a terminal.
"""

import argparse
import os
import select
import signal
import sys
import time
from contextlib import closing

from yawc_poker.casino.monitoring.glance import Glance
from yawc_poker.control import protocol
from yawc_poker.control.client import read
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Resized, Terminated
from yawc_poker.ipc.signals import JOB_SIGNALS, SignalInbox
from yawc_poker.sysop.live.feed import Feed
from yawc_poker.sysop.live.picture import picture
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Canvas, Frame, Style
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.keys import BREAK, ESCAPE, REDRAW
from yawc_poker.terminal.kinds import DUMB, terminal
from yawc_poker.terminal.tty import Job, TtyLine
from yawc_poker.transport import LineClosed

_ENDS = frozenset({signal.SIGTERM, signal.SIGHUP, signal.SIGINT})
_LEAVE = frozenset({"q", "Q", BREAK, ESCAPE})


def can_draw() -> bool:
    """Return whether the terminal moves its cursor."""
    return terminal(os.environ.get("TERM", ""))[0] != DUMB


def show(chosen: argparse.Namespace) -> None:
    """Show the BBS until the sysop leaves. Raise `CannotAsk`, `Failed`."""
    with closing(Feed(chosen, protocol.Top(every=chosen.every))) as feed:
        line = TtyLine(sys.stdout.fileno())
        inbox = SignalInbox((*_ENDS, signal.SIGWINCH, *JOB_SIGNALS))
        try:
            _Screen(feed, line, inbox).run()
        except LineClosed:
            pass
        finally:
            inbox.close()
            line.close()


class _Screen:
    """The loop: a terminal, the BBS and signals at once."""

    def __init__(self, feed: Feed, line: TtyLine, inbox: SignalInbox) -> None:
        self._feed = feed
        self._line = line
        self._display = Display(line)
        self._loop = EventLoop(inbox, ends=_ENDS, on_job=Job(line, self._display).hear)
        self._keyboard = Keyboard(self._display)
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

    def _frame(self) -> Frame:
        columns, rows = self._line.columns, self._line.rows
        canvas = Canvas(columns, rows)
        if self._latest is None:
            canvas.put(0, 0, "Waiting for the BBS.")
            return canvas.frame()
        for number, (text, style) in enumerate(picture(self._latest, self._before, columns, rows)):
            canvas.put(0, number, f"{text:<{columns}}" if style == Style.BAR else text, style)
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
            elif key == REDRAW:
                self._display.forget()
