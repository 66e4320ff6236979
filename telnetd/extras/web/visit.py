"""One connection at the door for browsers, until it ends or becomes a session.

It serves the page and its files until the browser has them, or becomes a WebSocket. Then it is a new session, or it is
handed to the session that the page had before. Everything before the session has a deadline and a bound.
"""

import logging
import os
import socket
import time
from collections.abc import Callable, Sequence
from email.utils import formatdate
from typing import Final, NamedTuple

from msgspec.structs import replace

from telnetd.doors.proxies import take_header
from telnetd.doors.proxy_header import BadHeader
from telnetd.extras.web.files import PageFiles
from telnetd.extras.web.frames import PROTOCOL_ERROR, REFUSED, Hello, Resume, Terminal, Violation, read
from telnetd.extras.web.http import (
    HTTPS_ONLY,
    BadRequest,
    HttpConnection,
    Request,
    Response,
    forwarded_for,
    is_own_origin,
    last_response,
    text_response,
    upgraded,
)
from telnetd.extras.web.resumption import Handoff, hand_over, relay
from telnetd.extras.web.websocket import WebSocket
from yawc_poker.addresses import Network
from yawc_poker.bbs.service import BANNED_WORDS, Ask
from yawc_poker.transport import HUNG_UP, LineClosed, SocketTransport, Transport

log = logging.getLogger(__name__)

HEAD_SECONDS: Final = 10.0
"""For a whole request to come, for the first frame of a WebSocket, and for each part of a response to be taken."""
IDLE_SECONDS: Final = 2.0
"""How long a connection may wait for another request: browsers ask for all files of the page at once."""
MOST_REQUESTS: Final = 100
"""By one connection."""
SESSION: Final = "/session"
HEALTH: Final = "/health"
"""Where a proxy asks whether callers may come in."""
TOO_SLOW: Final = "no request in time"
_READ: Final = 4096
_PART: Final = 64 * 1024
"""Bytes of a response that are sent at once."""

Open = Callable[[socket.socket], Transport]
"""Returns the bytes of a connection, after the handshake of TLS if there is one. Raises `LineClosed`."""


def usual(response: Response, *, is_encrypted: bool) -> Response:
    """Return a response with the time, and, from a door that encrypts, that browsers come by HTTPS only."""
    more = [("Date", formatdate(usegmt=True)), *([HTTPS_ONLY] if is_encrypted else [])]
    return response._replace(headers=[*more, *response.headers])


def refusal(words: str) -> Response:
    """Return the response to a caller who is refused, in these words: for good, or for now."""
    if words == BANNED_WORDS:
        return text_response(403, words)
    return text_response(503, words, (("Retry-After", "10"),))


def bad_request(status: int) -> Response:
    """Return the response to a request that is not served."""
    words = "A page of another site opens no session here." if status == 403 else "Bad request."
    return text_response(status, words)


def _opens_session(request: Request) -> bool:
    return request.path == SESSION and request.wants_websocket


class Site(NamedTuple):
    """What is served."""

    open: Open
    files: PageFiles
    origins: Sequence[str]
    """Origins besides the page's own whose pages may open a session."""
    proxies: Sequence[Network]
    takes_callers: Callable[[], bool]
    is_encrypted: bool = False
    """By TLS, in this program."""


class Opened(NamedTuple):
    """A WebSocket whose page begins a session."""

    websocket: WebSocket
    terminal: Terminal
    rest: bytes
    """What the page has sent behind its first frame."""


class Visit:
    """One connection until it ends, or becomes a session."""

    def __init__(self, site: Site, connection: socket.socket, peer: str, ask: Ask | None) -> None:
        """`ask`: the connection is a proxy's."""
        self.peer = peer
        """Where the caller is, as far as it is known."""
        self._connection = connection
        self._transport: Transport | None = None
        self._site = site
        self._ask = ask
        self._is_of_one = ask is None
        """All requests of this connection are one caller's."""
        self._refused = ""
        self._is_passed_on = False

    @property
    def transport(self) -> Transport:
        """The connection's bytes."""
        assert self._transport is not None, "asked for the bytes of a connection that is not open"
        return self._transport

    def run(self) -> Opened | None:
        """Serve requests; return a session that begins, None: there is none. Raise `LineClosed`."""
        http = HttpConnection()
        try:
            if self._ask is not None:
                self._read_proxy_header()
            self._transport = self._site.open(self._connection)
            for number in range(MOST_REQUESTS):
                request = self._next_request(http, is_first=number == 0)
                if request is None:
                    return None
                self._learn_caller(request)
                if _opens_session(request):
                    return self._open_session(request, http.rest)
                if not self._respond(http, request, is_last=number + 1 == MOST_REQUESTS):
                    return None
        except (BadRequest, BadHeader) as error:
            log.info("%s: refused request: %s", self.peer, error)
            if isinstance(error, BadRequest):
                self._send(last_response(self._usual(bad_request(error.status))))
        return None

    def close(self) -> None:
        """End the connection, unless it was passed on: then it lives in another process."""
        if self._transport is not None and not self._is_passed_on:
            self._transport.close()

    # --- requests -----------------------------------------------------------------------------------------------------

    def _next_request(self, http: HttpConnection, *, is_first: bool) -> Request | None:
        """Return the next request; None: there is no other. Raise `BadRequest` or `LineClosed`."""
        now = time.monotonic()
        deadline = now + (HEAD_SECONDS if is_first else IDLE_SECONDS)
        request = http.receive(b"")
        while request is None:
            if not self.transport.wait_for_input(deadline):
                if http.is_idle:
                    return None
                raise BadRequest(408, TOO_SLOW)
            data = self.transport.receive(_READ)
            if data and http.is_idle:
                deadline = time.monotonic() + HEAD_SECONDS
            request = http.receive(data)
        return request

    def _respond(self, http: HttpConnection, request: Request, *, is_last: bool) -> bool:
        """Send the response; return whether another request may follow."""
        if self._refused:
            self._send(last_response(self._usual(refusal(self._refused))))
            return False
        response = self._health() if request.path == HEALTH else self._site.files.respond(request)
        data, goes_on = http.respond(self._usual(response), request, closes=is_last or not self._is_of_one)
        self._send(data)
        return goes_on

    def _usual(self, response: Response) -> Response:
        """Return a response with the headers that all of this door have."""
        return usual(response, is_encrypted=self._site.is_encrypted)

    def _health(self) -> Response:
        if self._site.takes_callers():
            return text_response(200, "Callers may come in.")
        return text_response(503, "No callers may come in now.")

    def _send(self, data: bytes) -> None:
        """Send all of it, part by part. Raise `LineClosed` if the other side does not read."""
        for at in range(0, len(data), _PART):
            self.transport.send(data[at : at + _PART])
            self.transport.drain(time.monotonic() + HEAD_SECONDS)
            if self.transport.pending:
                raise LineClosed(TOO_SLOW)

    # --- whose call it is ---------------------------------------------------------------------------------------------

    def _read_proxy_header(self) -> None:
        """Take the header of the PROXY protocol off, if there is one. Raise `BadHeader` or `LineClosed`."""
        header = take_header(self._connection, time.monotonic() + HEAD_SECONDS)
        if header.length:
            self._is_of_one = True
            self._declare(header.address or self.peer)

    def _learn_caller(self, request: Request) -> None:
        """Take over the address that a proxy names in the request."""
        if self._ask is not None and not self._is_of_one:
            address = forwarded_for(request.get("x-forwarded-for"), self._site.proxies) or self.peer
            self._declare(address, is_file=not _opens_session(request))

    def _declare(self, address: str, *, is_file: bool = False) -> None:
        assert self._ask is not None
        self.peer = address
        self._refused = self._ask(address, is_file=is_file)

    # --- sessions -----------------------------------------------------------------------------------------------------

    def _open_session(self, request: Request, rest: bytes) -> Opened | None:
        """Make the connection a WebSocket and read its first frame. Raise `BadRequest` or `LineClosed`."""
        answer = upgraded(request)
        if not is_own_origin(request, self._site.origins):
            raise BadRequest(403, "origin")
        self._send(answer)
        websocket = WebSocket()
        try:
            if self._refused:
                raise Violation(REFUSED, self._refused)
            first, rest = self._first_frame(websocket, rest)
            if websocket.closed_by is not None:
                raise LineClosed(HUNG_UP)
            match read(first):
                case Hello(terminal):
                    return Opened(websocket, terminal, rest)
                case Resume(token, terminal):
                    self._hand_over(Handoff(token, terminal, self.peer, rest))
                    return None
                case _:
                    raise Violation(PROTOCOL_ERROR, "a first frame that is neither t nor s")
        except Violation as violation:
            log.info("%s: refused request: %s", self.peer, violation)
            self._send(websocket.close(violation.code, str(violation)))
            return None

    def _first_frame(self, websocket: WebSocket, data: bytes) -> tuple[bytes, bytes]:
        """Return the first frame, and the bytes behind it. Raise `Violation` or `LineClosed`."""
        deadline = time.monotonic() + HEAD_SECONDS
        while True:
            first, rest = websocket.receive_first(data, time.monotonic())
            self._send(websocket.replies())
            if first is not None or websocket.closed_by is not None:
                return first or b"", rest
            if not self.transport.wait_for_input(deadline):
                raise Violation(REFUSED, "no first frame in time")
            data = self.transport.receive(_READ)

    def _hand_over(self, handoff: Handoff) -> None:
        """Pass the connection to the session that the page had before. Raise `Violation` if that does not take it."""
        if isinstance(self.transport, SocketTransport):
            hand_over(self.transport.fileno(), handoff)
        else:
            self._relay(handoff)
        self._is_passed_on = True

    def _relay(self, handoff: Handoff) -> None:
        """Pass the other end of this process on, which decrypts and encrypts until either side ends.

        The session cannot take over what TLS knows of its connection. Raise `Violation` as `_hand_over` does.
        """
        ours, theirs = socket.socketpair()
        with ours, theirs:
            hand_over(theirs.fileno(), replace(handoff, carrier=os.getpid()))
            theirs.close()
            inner = SocketTransport(ours)
            try:
                relay(self.transport, inner)
            finally:
                inner.close()
                self.transport.close()
