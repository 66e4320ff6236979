"""The terminal this process runs on, as a `Line`: the console, a terminal emulator; or one that is handed over.

Owns the terminal's settings while the line is open, and restores them in `close`. The descriptors it was started with
are left as they are: it opens the terminal once more, so that O_NONBLOCK does not reach the shell, which shares those.
Another user's is opened as /dev/tty, if this process is controlled by it. Only where that is impossible, too, it sets
the shared flag, and `close` clears it.

Never asks the terminal anything. Its owner catches SIGWINCH and calls `resized`, and by a `Job` the signals at which a
shell gets the terminal back and gives it again: whoever opens a terminal for a screen has one.
"""

import fcntl
import os
import signal
import termios
import time
import tty
from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from yawc_poker.doors import AT_CONSOLE, BY_SSH
from yawc_poker.terminal.controlling import open_controlling
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keys import REDRAW
from yawc_poker.terminal.kinds import LOCALE, Charset, charset_of_locale, terminal
from yawc_poker.terminal.line import MOST_SIDE, Line
from yawc_poker.transport import LineClosed, Transport

LAST_WORDS = 0.5
"""Seconds that `close` may take to send what is pending."""


class _TtyTransport(Transport):
    """A terminal's descriptor, which does not block."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._fd = descriptor

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        os.close(self._fd)
        self._fd = -1  # the number may be another file's soon

    def _read(self, most: int) -> bytes:
        return os.read(self._fd, most)

    def _write(self, data: bytearray) -> int:
        return os.write(self._fd, data)


class TtyLine(Line):
    """A `Line` on a tty. Raise `OSError` or `termios.error` where `descriptor` is no terminal (or a dead one)."""

    def __init__(self, descriptor: int = 0, environ: Mapping[str, str] = os.environ) -> None:
        self.restores: Callable[[], None] = lambda: None
        """Takes what was drawn off the screen; called before the terminal is given to a shell."""
        self._settings = termios.tcgetattr(descriptor)
        self._flags: int | None = None
        self._closed = False
        self.peer = _name(descriptor)
        self._fd = self._open(descriptor)
        address = _ssh_address(environ)
        super().__init__(_TtyTransport(self._fd), self.peer, BY_SSH if address else AT_CONSOLE)
        self.origin = address or self.peer
        self.terminal_name = environ.get("TERM", "")
        self.kind, guess = terminal(self.terminal_name)
        self.charset = _charset(guess, environ)
        self._set_raw()
        self.resized()

    def _set_raw(self) -> None:
        """Let each key come as it is, but for XON and XOFF, if the terminal's user has them stop its output."""
        tty.setraw(self._fd, termios.TCSANOW)
        settings = termios.tcgetattr(self._fd)
        settings[0] |= self._settings[0] & (termios.IXON | termios.IXOFF | termios.IXANY)
        termios.tcsetattr(self._fd, termios.TCSANOW, settings)

    def give_back(self) -> None:
        """Send what is pending, for half a second at most, and restore the terminal's settings. Never raise.

        Do nothing once the line is closed, as `take_again` does.
        """
        if self._closed:
            return
        with suppress(LineClosed, OSError):
            self._transport.drain(time.monotonic() + LAST_WORDS)
        try:
            termios.tcsetattr(self._fd, termios.TCSANOW, self._settings)
            if self._flags is not None:
                fcntl.fcntl(self._fd, fcntl.F_SETFL, self._flags)
        except (OSError, termios.error):
            pass  # hung up: there is nothing left to restore

    def take_again(self) -> None:
        """Set the terminal as it has to be for a screen, whatever a shell has made of it meanwhile. Never raise."""
        if self._closed:
            return
        with suppress(OSError, termios.error):
            if self._flags is not None:
                fcntl.fcntl(self._fd, fcntl.F_SETFL, self._flags | os.O_NONBLOCK)
            self._set_raw()
        self.resized()

    def _open(self, descriptor: int) -> int:
        with suppress(OSError):  # the terminal belongs to another user, as after su
            return os.open(self.peer, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        with suppress(OSError):
            return open_controlling(descriptor)
        own = os.dup(descriptor)
        self._flags = fcntl.fcntl(own, fcntl.F_GETFL)
        fcntl.fcntl(own, fcntl.F_SETFL, self._flags | os.O_NONBLOCK)
        return own

    def resized(self) -> None:
        """Read the window's size anew; a terminal that does not know its size has 80x24."""
        try:
            rows, columns = termios.tcgetwinsize(self._fd)
        except (OSError, termios.error):
            return
        self.columns, self.rows = min(columns, MOST_SIDE) or 80, min(rows, MOST_SIDE) or 24

    def receive(self) -> bytes:
        """Return what was typed; b"" if there is nothing. Raise `LineClosed`."""
        self.resized()
        return super().receive()

    def close(self) -> None:
        """Send what is pending, for half a second at most, and restore the terminal. Never raise."""
        if not self._closed:
            self.give_back()
            self._closed = True
            self._transport.close()


class Job:
    """This process as a job of the shell's on whose terminal it runs: it stops and goes on as others do.

    Its owner's `SignalInbox` catches `JOB_SIGNALS` besides its own, and the owner draws anew after each.
    """

    def __init__(self, line: TtyLine, display: Display) -> None:
        self._line = line
        self._display = display
        line.restores = display.restore

    def hear(self, number: int) -> str:
        """Take one of these: stop until the shell lets this process go on; take the terminal again. Return `REDRAW`."""
        if number == signal.SIGTSTP:
            self._line.restores()
            self._line.give_back()
            _stop()
        self._line.take_again()
        with suppress(LineClosed):  # the owner will see it
            self._display.mistrust()
        return REDRAW


def _stop() -> None:
    """Do what SIGTSTP does if nobody catches it: stop, unless there is no shell that could let this process go on."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTSTP})  # here it stops
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTSTP})
    signal.signal(signal.SIGTSTP, before)


def _name(descriptor: int) -> str:
    """Return the terminal's name, /dev/tty where it has none, as a terminal from outside a container."""
    try:
        return os.ttyname(descriptor)
    except OSError:
        return "/dev/tty"


def _ssh_address(environ: Mapping[str, str]) -> str:
    """Return the address that an ssh caller comes from, as sshd left it in the environment; empty: there is none.

    Any parent process could set it. It is believed because this session runs on this machine with the rights of the
    BBS, and sshd lets no caller set these variables.
    """
    for name in ("SSH_CONNECTION", "SSH_CLIENT"):
        first, _, _ = environ.get(name, "").partition(" ")
        try:
            return str(ip_address(first.partition("%")[0]))
        except ValueError:
            continue
    return ""


def _charset(guess: Charset, environ: Mapping[str, str]) -> Charset:
    """Take the locale's charset, but for terminals of the CP437 family: over SSH the locale is this host's own.

    A locale that names none, as `C` and `de_DE` do, is of ASCII or an old charset with ASCII in it.
    """
    if guess == "cp437":
        return guess
    named = any(environ.get(name) for name in LOCALE)
    return charset_of_locale(environ) or ("ascii" if named else guess)


def as_started() -> dict[str, str]:
    """Return the environment as this process was given it.

    Where the locale is C, or not installed, Python sets LC_CTYPE to UTF-8 for itself and its children (PEP 538). That
    says nothing about the terminal.
    """
    given = dict(os.environ)
    with suppress(OSError):
        if b"\0LC_CTYPE=" not in b"\0" + Path("/proc/self/environ").read_bytes():
            given.pop("LC_CTYPE", None)
    return given
