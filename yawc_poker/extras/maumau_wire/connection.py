"""A wire client's connection: bytes in, bytes out, and the only place in a wire session that waits.

What the client does not read waits in a bounded buffer. Signals go before bytes, as in a caller's loop.
"""

import select
import socket
from collections.abc import Iterator

from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Event
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.transport import SocketTransport

READ = 4096
"""Most bytes taken at once; a client's action has three."""
OUTPUT_LIMIT = 64 * 1024
"""Bytes a client may leave unread; a whole game's are about ten thousand."""


class WireLine:
    """A connected socket. Every call but `wait` and `close` returns at once."""

    def __init__(self, connection: socket.socket, peer: str, inbox: SignalInbox, alarms: Alarms) -> None:
        self.peer = peer
        self._transport = SocketTransport(connection, OUTPUT_LIMIT)
        self._loop = EventLoop(inbox, alarms)

    def wait(self) -> Iterator[bytes | Event]:
        """Wait, then yield what came: events, and bytes last. Raise `LineClosed`."""
        self.flush()
        transport, events = self._transport, self._loop.events
        self._loop.watch(transport.fileno(), select.POLLIN | (select.POLLOUT if transport.pending else 0))
        ready = self._loop.wait(0.0 if transport.buffered else None)
        while events:
            yield events.popleft()
        if transport.buffered or any(what & ~select.POLLOUT for _, what in ready):
            yield transport.receive(READ)

    def send(self, data: bytes) -> None:
        """Queue bytes. Raise `LineClosed` where the client has left too many unread."""
        self._transport.send(data)

    def flush(self) -> None:
        """Pass to the kernel what it takes now. Raise `LineClosed`."""
        self._transport.flush()

    def close(self) -> None:
        """Send what is pending, and close, within half a second. Never raise."""
        self._transport.close()
