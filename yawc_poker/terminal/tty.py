"""The terminal this process runs on, as a `Line`: the console, a terminal emulator, OpenSSH's ForceCommand.

Owns the terminal's settings while the line is open, and gives them back in `close`. The descriptors it was started
with are left as they are: it opens the terminal once more, so that "do not block" does not reach the shell, which
shares those; only where that is impossible does it set the shared flag, and `close` takes it back.

Never asks the terminal anything; never touches signals: its owner catches SIGWINCH and calls `resized`.
"""

import fcntl
import os
import select
import termios
import time
import tty
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from yawc_poker.terminal.kinds import LOCALE, Charset, charset_of_locale, terminal
from yawc_poker.transport import HUNG_UP, LineClosed, OutputBuffer, lost

MOST_READ = 16 * 1024
"""Bytes that one `receive` takes at most."""
LAST_WORDS = 0.5
"""Seconds that `close` gives to what is still to be sent."""


class TtyLine:
    """A `Line` on a tty. Raises `OSError` or `termios.error` where `descriptor` is no terminal (or a dead one)."""

    def __init__(self, descriptor: int = 0, environ: Mapping[str, str] = os.environ) -> None:
        self._settings = termios.tcgetattr(descriptor)
        self.peer = _name(descriptor)
        self.origin = _ssh_address(environ) or self.peer
        self.disturbed = False
        self.kind, guess = terminal(environ.get("TERM", ""))
        self.charset: Charset = _charset(guess, environ)
        self.columns, self.rows = 80, 24
        self._out = OutputBuffer()
        self._flags: int | None = None
        self._fd = self._open(descriptor)
        self._closed = False
        tty.setraw(self._fd, termios.TCSANOW)
        self.resized()

    def _open(self, descriptor: int) -> int:
        try:
            return os.open(self.peer, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:  # the terminal belongs to somebody else, as after su
            own = os.dup(descriptor)
            self._flags = fcntl.fcntl(own, fcntl.F_GETFL)
            fcntl.fcntl(own, fcntl.F_SETFL, self._flags | os.O_NONBLOCK)
            return own

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel."""
        return len(self._out)

    def fileno(self) -> int:
        """Give the descriptor to wait on."""
        return self._fd

    def resized(self) -> None:
        """Read the window's size anew; a terminal that does not know its size has 80x24."""
        try:
            rows, columns = termios.tcgetwinsize(self._fd)
        except (OSError, termios.error):
            return
        self.columns, self.rows = columns or 80, rows or 24

    def receive(self) -> bytes:
        """Take what was typed; b"" if there is nothing. Raises `LineClosed`."""
        self.resized()
        try:
            data = os.read(self._fd, MOST_READ)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise lost(error) from error
        if not data:
            raise LineClosed(HUNG_UP)
        return data

    def send(self, data: bytes) -> None:
        """Queue bytes. Raises `LineClosed` beyond `OUTPUT_LIMIT`."""
        self._out.put(data)

    def flush(self) -> None:
        """Give the kernel what it takes now. Raises `LineClosed`."""
        self._out.write_to(lambda data: os.write(self._fd, data))

    def keep_alive(self) -> None:
        """Do nothing: a dead terminal is noticed at once."""

    def close(self) -> None:
        """Send what is pending, for half a second at most, and give the terminal back as it was. Never raises."""
        if self._closed:
            return
        self._closed = True
        self._say_last_words()
        try:
            termios.tcsetattr(self._fd, termios.TCSANOW, self._settings)
            if self._flags is not None:
                fcntl.fcntl(self._fd, fcntl.F_SETFL, self._flags)
        except (OSError, termios.error):
            pass  # hung up: there is nothing left to restore
        os.close(self._fd)

    def _say_last_words(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        end = time.monotonic() + LAST_WORDS
        try:
            self.flush()
            while self.pending and (left := end - time.monotonic()) > 0:
                poll.poll(left * 1000)
                self.flush()
        except (LineClosed, OSError):
            pass


def _name(descriptor: int) -> str:
    """Give the terminal's name; where it has none, as one from outside in a container, the one that is always right."""
    try:
        return os.ttyname(descriptor)
    except OSError:
        return "/dev/tty"


def _ssh_address(environ: Mapping[str, str]) -> str:
    """Return the address that an ssh caller comes from, as sshd left it in the environment; empty: there is none.

    Whoever starts a program can leave anything there. It is believed because this session is one of this machine's,
    with the rights of the BBS, and sshd lets no caller set these (AcceptEnv in deploy/sshd-forcecommand.conf).
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
