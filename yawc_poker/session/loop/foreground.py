"""A program of its own at a terminal, such as `yawcctl top`: its screen, one connection, and signals at once.

Owns the terminal for as long as it runs, and the wait; what is drawn, what the connection brings and what a key means
are its subclass's. It is no session: nothing here knows a BBS.
"""

import select
import signal
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from math import inf
from typing import Final

from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Resized, Terminated
from yawc_poker.ipc.signals import JOB_SIGNALS, SignalInbox
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.keys import REDRAW
from yawc_poker.terminal.tty import Job, TtyLine
from yawc_poker.transport import LineClosed

_ENDS: Final = frozenset({signal.SIGTERM, signal.SIGHUP, signal.SIGINT})


class Foreground(ABC):
    """A terminal, a connection and signals."""

    def __init__(self, line: TtyLine, connection: int, patience: float = inf) -> None:
        """`connection` is a descriptor; it is drawn anew after `patience` at the latest, in seconds."""
        self.line = line
        self.display = Display(line)
        self.is_over = False
        """Nothing more is shown."""
        self._inbox = SignalInbox((*_ENDS, signal.SIGWINCH, *JOB_SIGNALS))
        self._loop = EventLoop(self._inbox, ends=_ENDS, on_job=Job(line, self.display).hear)
        self._keyboard = Keyboard(self.display)
        self._connection = connection
        self._patience = patience
        self._loop.watch(connection)

    def run(self) -> None:
        """Draw and wait until it is over, or the terminal is gone; then give the terminal back."""
        try:
            with suppress(LineClosed):
                while not self.is_over:
                    self.draw()
                    self.line.flush()
                    self._serve(self._wait())
        finally:
            self.display.restore()
            self._inbox.close()
            self.line.close()

    @abstractmethod
    def draw(self) -> None:
        """Draw what is to be seen now."""

    @abstractmethod
    def receive(self) -> None:
        """Take what the connection has brought."""

    @abstractmethod
    def press(self, key: str) -> None:
        """Handle a key."""

    def hang_up(self) -> None:
        """Wait for the connection no more."""
        self._loop.forget(self._connection)

    def _wait(self) -> set[int]:
        """Wait until something comes, or a key is whole; return the descriptors that are ready."""
        self._loop.watch(self.line.fileno(), select.POLLIN | (select.POLLOUT if self.line.pending else 0))
        escape = self._keyboard.escape_at
        left = min(self._patience, inf if escape is None else max(0.0, escape - time.monotonic()))
        return {descriptor for descriptor, _ in self._loop.wait(None if left == inf else left)}

    def _serve(self, ready: set[int]) -> None:
        events = [*self._loop.events]
        self._loop.events.clear()
        if Terminated() in events:
            self.is_over = True
            return
        if Resized() in events:
            self.line.resized()
        if self._connection in ready:
            self.receive()
        if self.line.fileno() in ready:
            self._keyboard.feed(self.line.receive())
        for key in self._keyboard.keys(time.monotonic()):
            if key == REDRAW:
                self.display.forget()
            else:
                self.press(key)
