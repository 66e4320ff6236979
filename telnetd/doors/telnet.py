"""A caller's socket as a `Line`: the telnet codec between a non-blocking socket and a session.

Owns the socket from its construction to `close`. Never waits but in `close`, which takes `GRACE` at most, and never
sends more than the kernel takes: what is left waits in a bounded buffer.
"""

import select
import socket
import time
from contextlib import suppress
from enum import IntEnum
from typing import Final

from telnetd.telnet.codec import Telnet
from telnetd.telnet.events import (
    AreYouThere,
    CharsetAccepted,
    Data,
    Environment,
    Event,
    Interrupt,
    TerminalType,
    WindowSize,
)
from yawc_poker.terminal.kinds import SILENT, Charset, charset, charset_of_locale, is_known, terminal
from yawc_poker.transport import HUNG_UP, LineClosed, OutputBuffer, lost

READ: Final = 512
"""Most bytes that one `receive` takes from the socket. More than a person types; a flood of the dearest bytes is worth
a millisecond of processor time, which is as long as others may have to wait for it."""
GRACE: Final = 0.5
"""Seconds that `close` may take."""
INTERRUPT: Final = b"\x03"

_TCP_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 60_000),  # milliseconds that sent bytes may stay unacknowledged
    # What the kernel keeps for one caller; left to itself it would keep megabytes of what is not read, either way.
    (socket.SOL_SOCKET, socket.SO_RCVBUF, 32 * 1024),
    (socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024),
)


class _Source(IntEnum):
    """Who says what the terminal shows; a better source is not overruled by a worse one."""

    NOBODY = 0
    TERMINAL_TYPE = 1
    LOCALE = 2
    AGREEMENT = 3


class TelnetLine:
    """One telnet caller; see `yawc_poker.terminal.line.Line`."""

    def __init__(self, sock: socket.socket, peer: str) -> None:
        """Take over a connected socket and queue the first offers; nothing is sent before `flush`."""
        self.peer = self.origin = peer
        self.kind, self.charset = SILENT
        self.columns, self.rows = 80, 24
        self.disturbed = False
        self._source = _Source.NOBODY
        self._socket = sock
        self._output = OutputBuffer()
        self._codec = Telnet(is_known)
        sock.setblocking(False)
        _tune(sock)
        self._codec.start()
        self._output.put(self._codec.output())

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel."""
        return len(self._output)

    @property
    def negotiated(self) -> bool:
        """Whether the caller's side has told terminal and window, or refused to. Some never do: wait 0.5 s at most."""
        return self._codec.answered

    def fileno(self) -> int:
        """Give the socket's descriptor; -1 once closed."""
        return self._socket.fileno()

    def receive(self) -> bytes:
        """Take what was typed, at most `READ` bytes of it, and answer the protocol. Raises `LineClosed`."""
        try:
            data = self._socket.recv(READ)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise lost(error) from error
        if not data:
            raise LineClosed(HUNG_UP)
        events = self._codec.receive(data)
        typed = b"".join([event.data if isinstance(event, Data) else self._take(event) for event in events])
        self._send_replies()
        return typed

    def send(self, data: bytes) -> None:
        """Queue bytes for the terminal. Raises `LineClosed`."""
        self._output.put(self._codec.encode(data))

    def flush(self) -> None:
        """Give the kernel what it takes now. Raises `LineClosed`."""
        self._output.write_to(self._write)

    def keep_alive(self) -> None:
        """Send a NOP, unless something is on its way anyhow. Raises `LineClosed`."""
        if not self.pending:
            self._codec.nop()
            self._send_replies()

    def close(self) -> None:
        """Say the last words, hang up, close. Takes `GRACE` at most; never raises, also the second time."""
        if self._socket.fileno() < 0:
            return
        deadline = time.monotonic() + GRACE
        with suppress(OSError, LineClosed):
            self._flush_until(deadline)
            self._socket.shutdown(socket.SHUT_WR)
            self._hear_out(deadline)
        with suppress(OSError):
            self._socket.close()

    def _write(self, data: bytearray) -> int:
        return self._socket.send(data, socket.MSG_NOSIGNAL)

    def _send_replies(self) -> None:
        if replies := self._codec.output():
            self._output.put(replies)
            self.flush()

    def _take(self, event: Event) -> bytes:
        """Learn what an event tells, or give what it types."""
        match event:
            case Interrupt():
                return INTERRUPT
            case AreYouThere():
                self.disturbed = True
            case WindowSize(columns, rows):
                self.columns, self.rows = columns, rows
            case TerminalType(name):
                self._learn_terminal(name)
            case CharsetAccepted(name):
                self._learn_charset(charset(name), _Source.AGREEMENT)
            case Environment(variables):
                self._learn_charset(charset_of_locale(dict(variables)), _Source.LOCALE)
        return b""

    def _learn_terminal(self, name: str) -> None:
        if is_known(name) or self._source is _Source.NOBODY:
            self.kind, guess = terminal(name)
            self._learn_charset(guess, _Source.TERMINAL_TYPE)

    def _learn_charset(self, told: Charset | None, source: _Source) -> None:
        if told is not None and source >= self._source:
            self.charset, self._source = told, source

    def _flush_until(self, deadline: float) -> None:
        self.flush()
        while self.pending and self._wait(select.POLLOUT, deadline):
            self.flush()

    def _hear_out(self, deadline: float) -> None:
        """Discard what the caller still sends until he hangs up too.

        A socket that is closed over unread bytes answers them with a reset, which takes the last words off his screen.
        """
        while time.monotonic() < deadline and self._wait(select.POLLIN, deadline) and self._socket.recv(READ):
            pass

    def _wait(self, event: int, deadline: float) -> bool:
        poller = select.poll()
        poller.register(self._socket, event)
        return bool(poller.poll(max(0.0, deadline - time.monotonic()) * 1000))


def _tune(sock: socket.socket) -> None:
    """Have a dead peer noticed within about a minute, and keys answered at once; only TCP knows how."""
    if sock.family in (socket.AF_INET, socket.AF_INET6):
        # The caller may be gone already; the first read will say so.
        with suppress(OSError):
            for level, option, value in _TCP_OPTIONS:
                sock.setsockopt(level, option, value)
