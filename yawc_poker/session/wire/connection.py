"""A wire client's socket: bytes in, bytes out, and the only place in a wire session that waits.

Owns the socket, never blocks but in `wait`; what the client does not read waits in a bounded buffer. Signals go before
bytes, as in a telnet session's loop.
"""

import selectors
import signal
import socket
from collections.abc import Iterator

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.transport import HUNG_UP, LineClosed, OutputBuffer, lost

READ = 4096
"""Most bytes taken at once; a client's action has three."""
OUTPUT_LIMIT = 64 * 1024
"""Bytes a client may leave unread; a whole game's are about ten thousand."""
GRACE = 0.5
"""Seconds that `close` may take to hand over what is pending."""

_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 60_000),
)


class WireLine:
    """A connected socket; every call but `wait` and `close` returns at once."""

    def __init__(self, connection: socket.socket, peer: str, inbox: SignalInbox, alarms: Alarms) -> None:
        self.peer = peer
        self._socket = connection
        self._inbox = inbox
        self._alarms = alarms
        self._output = OutputBuffer(OUTPUT_LIMIT)
        connection.setblocking(False)
        if connection.family in {socket.AF_INET, socket.AF_INET6}:
            for level, option, value in _OPTIONS:
                connection.setsockopt(level, option, value)

    def wait(self) -> Iterator[bytes | str]:
        """Wait, then give what came: names of alarms, "bell", "end", and bytes last. Raises `LineClosed`."""
        self.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._inbox.fileno(), selectors.EVENT_READ)
            writing = selectors.EVENT_WRITE if len(self._output) else 0
            selector.register(self._socket, selectors.EVENT_READ | writing)
            ready = {key.fd: events for key, events in selector.select()}
        if self._inbox.fileno() in ready:
            yield from self._rang()
        if ready.get(self._socket.fileno(), 0) & selectors.EVENT_READ:
            yield self._received()

    def _rang(self) -> Iterator[str]:
        caught = self._inbox.drain()
        if signal.SIGTERM in caught:
            yield "end"
        if signal.SIGALRM in caught:
            yield from self._alarms.due()
        if signal.SIGUSR1 in caught:
            yield "bell"

    def _received(self) -> bytes:
        try:
            data = self._socket.recv(READ)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise lost(error) from error
        if not data:
            raise LineClosed(HUNG_UP)
        return data

    def send(self, data: bytes) -> None:
        """Queue bytes. Raises `LineClosed` where the client has left too many unread."""
        self._output.put(data)

    def flush(self) -> None:
        """Give the kernel what it takes now. Raises `LineClosed`."""
        self._output.write_to(self._socket.send)

    def close(self) -> None:
        """Hand over what is pending, within `GRACE`, and close. Never raises."""
        try:
            self._socket.settimeout(GRACE)
            self._output.write_to(self._socket.send)
            self._socket.shutdown(socket.SHUT_WR)
        except (LineClosed, OSError):
            pass
        self._socket.close()
