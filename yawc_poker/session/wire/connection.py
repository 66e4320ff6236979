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
from yawc_poker.transport import SocketTransport

READ = 4096
"""Most bytes taken at once; a client's action has three."""
OUTPUT_LIMIT = 64 * 1024
"""Bytes a client may leave unread; a whole game's are about ten thousand."""


class WireLine:
    """A connected socket; every call but `wait` and `close` returns at once."""

    def __init__(self, connection: socket.socket, peer: str, inbox: SignalInbox, alarms: Alarms) -> None:
        self.peer = peer
        self._transport = SocketTransport(connection, OUTPUT_LIMIT)
        self._inbox = inbox
        self._alarms = alarms

    def wait(self) -> Iterator[bytes | str]:
        """Wait, then give what came: names of alarms, "bell", "end", and bytes last. Raises `LineClosed`."""
        self.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._inbox.fileno(), selectors.EVENT_READ)
            writing = selectors.EVENT_WRITE if self._transport.pending else 0
            selector.register(self._transport, selectors.EVENT_READ | writing)
            ready = {key.fd: events for key, events in selector.select()}
        if self._inbox.fileno() in ready:
            yield from self._rang()
        if ready.get(self._transport.fileno(), 0) & selectors.EVENT_READ:
            yield self._transport.receive(READ)

    def _rang(self) -> Iterator[str]:
        caught = self._inbox.drain()
        if signal.SIGTERM in caught:
            yield "end"
        if signal.SIGALRM in caught:
            yield from self._alarms.due()
        if signal.SIGUSR1 in caught:
            yield "bell"

    def send(self, data: bytes) -> None:
        """Queue bytes. Raises `LineClosed` where the client has left too many unread."""
        self._transport.send(data)

    def flush(self) -> None:
        """Give the kernel what it takes now. Raises `LineClosed`."""
        self._transport.flush()

    def close(self) -> None:
        """Send what is pending, and close, within half a second. Never raises."""
        self._transport.close()
