"""The control connection, seen from the BBS: one request in, lines out, and no long wait for the other end.

Owns every wait of a control process: for the request, for room to write, for the next look of `watch`. Each has a
deadline, and ends at once when this process is asked to end (`Dismissed`) or the other side is gone (`Gone`). It holds
one request and one answer in memory.
"""

import os
import select
import socket
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from yawc_poker.control.protocol import LONGEST_REQUEST, BadRequest
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Terminated
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.caller.endings import Dismissed
from yawc_poker.transport import process_at

REQUEST_SECONDS = 5.0
"""How long a request may take to come."""
SEND_SECONDS = 10.0
"""How long an answer may take to be read."""


class Gone(Exception):
    """The other side has hung up, or does not read; `str()` says which."""


class ControlLine:
    """One connection to the control socket; closes it, and a descriptor that came with the request, at the end."""

    def __init__(self, connection: socket.socket, inbox: SignalInbox) -> None:
        connection.setblocking(False)
        self._connection = connection
        self._loop = EventLoop(inbox)
        self.descriptor: int | None = None
        """The file that came with the request (SCM_RIGHTS)."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
        self._connection.close()

    @property
    def user(self) -> int:
        """The uid at the other end, as the kernel knows it."""
        _, uid = process_at(self._connection)
        return uid

    def request(self, seconds: float = REQUEST_SECONDS) -> bytes:
        """Read the request, without its end of line; a side that has finished sending needs none.

        Raise `BadRequest` for one that is too long or too slow.
        """
        until = time.monotonic() + seconds
        read = bytearray()
        while (ends := read.find(b"\n")) < 0:
            if len(read) >= LONGEST_REQUEST:
                raise BadRequest(f"the request is longer than {LONGEST_REQUEST} bytes")
            if not self._wait(select.POLLIN, until):
                raise BadRequest(f"the request did not come within {seconds:g} seconds")
            data = self._receive(LONGEST_REQUEST - len(read))
            if not data:
                break
            read += data
        if not read:
            raise Gone("hung up without a request")
        return bytes(read[: ends if ends >= 0 else None])

    def send(self, data: bytes, seconds: float = SEND_SECONDS) -> None:
        """Send it all, waiting for the other side to read; raise `Gone`."""
        until = time.monotonic() + seconds
        left = memoryview(data)
        while left:
            try:
                left = left[self._connection.send(left) :]
            except BlockingIOError:
                if not self._wait(select.POLLOUT, until):
                    raise Gone(f"did not read for {seconds:g} seconds") from None
            except OSError as error:
                raise Gone(f"hung up: {error.strerror}") from None

    def pause(self, seconds: float) -> None:
        """Wait so long; raise `Gone` as soon as the other side has closed the connection."""
        if self._wait(0, time.monotonic() + seconds):
            raise Gone("hung up")

    def _wait(self, events: int, until: float) -> int:
        """Wait for one of `events`, or for the other side to be gone, and return what came; 0: the time is up."""
        self._loop.watch(self._connection.fileno(), events)
        while (left := until - time.monotonic()) > 0:
            ready = self._loop.wait(left)
            ended = Terminated() in self._loop.events
            self._loop.events.clear()  # the last word is sent after this, and may wait
            if ended:
                raise Dismissed
            if ready:
                return ready[0][1]
        return 0

    def _receive(self, room: int) -> bytes:
        """Read a piece; keep the first descriptor that ever comes along, close all others."""
        try:
            data, brought, _, _ = socket.recv_fds(self._connection, room, 1)
        except OSError as error:
            raise Gone(f"hung up: {error.strerror}") from None
        for descriptor in brought:
            if self.descriptor is None:
                self.descriptor = descriptor
            else:
                with suppress(OSError):
                    os.close(descriptor)
        return data
