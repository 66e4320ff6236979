"""Requests and responses of one HTTP connection, by h11, and the rules that are stricter than h11's. Pure.

Owns what a request may be: a head of `HEAD_LIMIT` bytes without a body, without folded or bare lines, for a path, or
for a whole address that names the host as the header `Host` does. What a proxy in front might read in another way than
we do is refused, so that no request can be smuggled behind another.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import h11
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection
from wsproto.events import Request as UpgradeRequest
from wsproto.utilities import ProtocolError

from telnetd.extras.web.frames import SUBPROTOCOL
from yawc_poker.addresses import Address, Network, parse_address

HEAD_LIMIT: Final = 8 * 1024
_ODD_LINES: Final = re.compile(rb"(?<!\r)\n|\r(?!\n)|\n[ \t]")
"""A line that ends without CR, a CR that ends no line, a line that goes on in the next one."""
_HEAD_END: Final = re.compile(rb"\n\r?\n")
_TARGET: Final = re.compile(r"(?:(?P<scheme>(?i:https?))://(?P<host>[^/?#@]+)(?=[/?]|$))?(?P<path>/?[!-~]*)")
_HOST: Final = re.compile(r"[0-9A-Za-z.:\[\]-]+")
_PORTS: Final = {"http": ":80", "https": ":443"}
_NONCE: Final = re.compile(r"[A-Za-z0-9+/]{22}==")

SECURITY: Final = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self';"
        " manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
"""Headers of every response."""

HTTPS_ONLY: Final = ("Strict-Transport-Security", "max-age=31536000")
"""A header of every response of a door that encrypts: the browser comes by HTTPS from now on, for a year."""

Headers = Sequence[tuple[str, str]]


class BadRequest(Exception):
    """A request that is not served; `str()` is one line, `status` the number of the response."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Request(NamedTuple):
    """A request without a body."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    """The names in lower case."""

    def get(self, name: str) -> str:
        """Return the values of a header, joined by commas; empty: there is none."""
        return ", ".join(value for one, value in self.headers if one == name)

    @property
    def wants_websocket(self) -> bool:
        """Whether another protocol is asked for."""
        return bool(self.get("upgrade"))

    def accepts(self, coding: str) -> bool:
        """Return whether a response in this content coding is wanted."""
        for part in self.get("accept-encoding").lower().split(","):
            name, _, weight = part.partition(";")
            if name.strip() == coding:
                return weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
        return False


class Response(NamedTuple):
    """A response."""

    status: int
    headers: Headers
    body: bytes = b""


def text_response(status: int, text: str, more: Headers = ()) -> Response:
    """Return a response in words."""
    return Response(status, (("Content-Type", "text/plain; charset=utf-8"), *more), text.encode() + b"\n")


def has_head(said: bytes) -> bool:
    """Return whether this begins with a whole head of a request, or begins none."""
    return bool(said) and (said[0] <= ord(" ") or _HEAD_END.search(said) is not None)


class HttpConnection:
    """Requests of one connection, one after the other."""

    def __init__(self) -> None:
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
        self._head = bytearray()

    @property
    def is_idle(self) -> bool:
        """Whether nothing of a request has come since the last one."""
        return not self._head

    @property
    def rest(self) -> bytes:
        """The bytes behind the request that was returned last."""
        return self._connection.trailing_data[0]

    def receive(self, data: bytes) -> Request | None:
        """Return the next request, None if more bytes are needed; `data` may be empty. Raise `BadRequest`."""
        self._head += data  # no longer than h11's buffer, which refuses more than `HEAD_LIMIT` and this
        try:
            if data:
                self._connection.receive_data(data)
            event = self._connection.next_event()
        except h11.RemoteProtocolError as error:
            raise BadRequest(error.error_status_hint, f"no HTTP: {error}") from None
        return self._checked(event) if isinstance(event, h11.Request) else None

    def _checked(self, event: h11.Request) -> Request:
        length = len(self._head) - len(self.rest)
        head = bytes(self._head[:length])
        del self._head[:length]
        if _ODD_LINES.search(head):
            raise BadRequest(400, "lines that are folded or end in an unusual way")
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
        request = Request(event.method.decode("latin-1"), _path(event.target, headers), headers)
        if request.get("transfer-encoding") or request.get("content-length") not in {"", "0"}:
            raise BadRequest(413, "a request with a body")
        self._connection.next_event()  # its end, as it has no body
        return request

    def respond(self, response: Response, request: Request, *, closes: bool) -> tuple[bytes, bool]:
        """Return the bytes of a response, and whether another request may follow; `closes`: none may."""
        headers = [*response.headers, *SECURITY, ("Content-Length", str(len(response.body)))]
        if closes:
            headers.append(("Connection", "close"))
        connection = self._connection
        sent = connection.send(h11.Response(status_code=response.status, headers=headers)) or b""
        if response.body and request.method != "HEAD" and response.status != 304:
            sent += connection.send(h11.Data(data=response.body)) or b""
        sent += connection.send(h11.EndOfMessage()) or b""
        goes_on = connection.our_state is h11.DONE and connection.their_state is h11.DONE
        if goes_on:
            connection.start_next_cycle()
        return sent, goes_on


def last_response(response: Response) -> bytes:
    """Return a response by itself, behind which the connection closes."""
    reason = _REASONS.get(response.status, "Bad Request")
    length = ("Content-Length", str(len(response.body)))
    headers = [*response.headers, *SECURITY, length, ("Connection", "close")]
    lines = [f"HTTP/1.1 {response.status} {reason}", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1") + response.body


def to_https(data: bytes) -> Response:
    """Return the response to what somebody says without encryption to a door that encrypts: where to ask instead."""
    words = "This port speaks HTTPS only: ask by an address that begins with https://."
    try:
        request = HttpConnection().receive(data)
    except BadRequest as error:
        return text_response(error.status, words)
    if request is None or request.method not in {"GET", "HEAD"} or not _HOST.fullmatch(request.get("host")):
        return text_response(400, words)
    return text_response(307, words, (("Location", f"https://{request.get('host')}{request.path}"),))


_REASONS: Final[Mapping[int, str]] = {
    307: "Temporary Redirect",
    400: "Bad Request",
    403: "Forbidden",
    408: "Request Timeout",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


def _path(target: bytes, headers: Headers) -> str:
    """Return the path of a target, which may be a whole address (RFC 9112, 3.2.2). Raise `BadRequest`."""
    found = _TARGET.fullmatch(target.decode("latin-1"))
    if found is None or not (found["host"] or found["path"].startswith("/")):
        raise BadRequest(400, "a target that is no path")
    if found["host"] is not None:
        port = _PORTS[found["scheme"].lower()]
        named = {value.lower().removesuffix(port) for name, value in headers if name == "host"}
        if named - {found["host"].lower().removesuffix(port)}:
            raise BadRequest(400, "a target at another host than the header names")
    return found["path"].partition("?")[0] or "/"


# --- the way to a WebSocket -------------------------------------------------------------------------------------------


def upgraded(request: Request) -> bytes:
    """Return the response that makes the connection a WebSocket of our subprotocol. Raise `BadRequest`."""
    if not _NONCE.fullmatch(request.get("sec-websocket-key")):
        raise BadRequest(400, "no WebSocket handshake: no key of 16 bytes")
    connection = WSConnection(ConnectionType.SERVER)
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers]
    try:
        connection.initiate_upgrade_connection(headers, request.path)
        asked = next(iter(connection.events()), None)
        if request.method != "GET" or not isinstance(asked, UpgradeRequest):
            raise BadRequest(400, "no WebSocket handshake")
        if SUBPROTOCOL not in asked.subprotocols:
            raise BadRequest(400, f"no {SUBPROTOCOL} among the subprotocols")
        return connection.send(AcceptConnection(subprotocol=SUBPROTOCOL)) or b""
    except (ProtocolError, h11.ProtocolError, UnicodeDecodeError) as error:
        raise BadRequest(400, f"no WebSocket handshake: {error}") from None


def is_own_origin(request: Request, origins: Sequence[str]) -> bool:
    """Return whether a page that opens a session is this host's, or of one of these origins."""
    origin = request.get("origin").lower()
    scheme, _, host = origin.partition("://")
    if scheme not in _PORTS or not host:
        return False
    port = _PORTS[scheme]
    own = request.get("host").lower()
    return host.removesuffix(port) == own.removesuffix(port) or origin in {one.lower().rstrip("/") for one in origins}


# --- whose request a proxy passes on ----------------------------------------------------------------------------------


def forwarded_for(header: str, proxies: Sequence[Network]) -> str | None:
    """Return the address that an X-Forwarded-For header tells: the last one that is no proxy's. None: it tells none.

    Each proxy adds whom it was called by at the end, so what stands before the first stranger is the stranger's word.
    """
    told: str | None = None
    for part in reversed(header.split(",")):
        address = _address(part.strip())
        if address is None:
            return told
        told = str(address)
        if not any(address in network for network in proxies):
            return told
    return told


def _address(text: str) -> Address | None:
    """Return an address that may have a port behind it, and brackets around it."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    return parse_address(text)
