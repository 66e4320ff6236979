"""One WebSocket from the server's side, by wsproto, with bounds on what the page may send. Pure.

Owns putting fragments together, answering pings, and the bounds: a message of `LIMIT` bytes in `MOST_FRAGMENTS` frames,
`MOST_CONTROLS` pings and pongs a second. Nothing is kept of a frame that is longer than it may be.
"""

from collections import deque
from typing import Final

from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong, TextMessage

from telnetd.extras.web.frames import ENDED, LIMIT, NOT_UNDERSTOOD, REFUSED, TOO_LONG, Violation

MOST_FRAGMENTS: Final = 64
MOST_CONTROLS: Final = 10
"""Pings and pongs that may come within `SECOND`."""
SECOND: Final = 1.0
_LONGEST_REASON: Final = 120
"""Bytes of the reason in a close frame; the protocol has room for 123."""
_SHORTEST: Final = 125
"""Bytes of a frame whose length takes one byte."""


class WebSocket:
    """A WebSocket after its handshake."""

    def __init__(self) -> None:
        self._connection = Connection(ConnectionType.SERVER)
        self._message = bytearray()
        self._fragments = 0
        self._controls: deque[float] = deque(maxlen=MOST_CONTROLS)
        self._replies = bytearray()
        self.pongs = 0
        """Answers to our pings so far."""
        self.closed_by: int | None = None
        """The code by which the page has closed the WebSocket; None: it is open."""

    def receive(self, data: bytes, now: float) -> list[bytes]:
        """Return the messages that are complete with these bytes. Raise `Violation`.

        `now` is seconds of any steady clock. Afterwards `replies` has what must be sent.
        """
        if self.closed_by is not None:
            return []  # nothing counts behind a close frame
        self._connection.receive_data(data)
        found = (self._take(event, now) for event in self._connection.events())
        return [message for message in found if message is not None]

    def receive_first(self, data: bytes, now: float) -> tuple[bytes | None, bytes]:
        """Return the first message, None if it is not complete, and the bytes behind it. Raise as `receive`.

        The bytes behind it belong to whoever serves the WebSocket from then on.
        """
        for at in range(len(data)):
            if messages := self.receive(data[at : at + 1], now):
                return messages[0], data[at + 1 :]
        return None, b""

    def replies(self) -> bytes:
        """Return the protocol's own answers since the last call."""
        answers = bytes(self._replies)
        self._replies.clear()
        return answers

    def message(self, payload: bytes) -> bytes:
        """Return a binary message as it is sent; nothing once the WebSocket closes."""
        return self._sent(BytesMessage(data=payload))

    def ping(self) -> bytes:
        """Return a ping, which the browser answers by itself."""
        return self._sent(Ping(payload=b""))

    def close(self, code: int, reason: str = "") -> bytes:
        """Return the frame that closes the WebSocket, or that answers the other side's; nothing the second time."""
        if self._connection.state not in {ConnectionState.OPEN, ConnectionState.REMOTE_CLOSING}:
            return b""
        short = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
        return self._connection.send(CloseConnection(code=code, reason=short or None))

    def _sent(self, event: Event) -> bytes:
        return self._connection.send(event) if self._connection.state is ConnectionState.OPEN else b""

    def _take(self, event: Event, now: float) -> bytes | None:
        match event:
            case BytesMessage():
                return self._part(event)
            case TextMessage():
                raise Violation(NOT_UNDERSTOOD, "a text frame")
            case Ping():
                self._count(now)
                self._replies += self._sent(event.response())
            case Pong():
                self._count(now)
                self.pongs += 1
            case CloseConnection():
                if self._connection.state is ConnectionState.OPEN:  # what came could not be parsed
                    raise Violation(int(event.code), event.reason or "broken frames")
                self.closed_by = int(event.code)
            case _:
                raise TypeError(f"{event!r} is no event of a server's WebSocket")
        return None

    def _part(self, event: BytesMessage) -> bytes | None:
        self._message += event.data
        if len(self._message) > LIMIT:
            raise Violation(TOO_LONG, "a frame that is too long")
        if not event.message_finished:
            self._fragments += event.frame_finished
            if self._fragments > MOST_FRAGMENTS:
                raise Violation(REFUSED, "a message in too many fragments")
            return None
        message = bytes(self._message)
        self._message.clear()
        self._fragments = 0
        return message

    def _count(self, now: float) -> None:
        if len(self._controls) == MOST_CONTROLS and now - self._controls[0] < SECOND:
            raise Violation(REFUSED, "too many pings")
        self._controls.append(now)


def answer_to_close(code: int) -> int:
    """Return the code by which a close frame is answered; some codes stand for none and are never sent."""
    return code if 1000 <= code < 5000 and code not in {1004, 1005, 1006, 1015} else ENDED


def page_sends(payload: bytes) -> bytes:
    """Return a frame of at most 125 bytes as a page sends it, masked by zeros."""
    assert len(payload) <= _SHORTEST, "a frame of this length has another head"
    return bytes([0x82, 0x80 | len(payload)]) + bytes(4) + payload
