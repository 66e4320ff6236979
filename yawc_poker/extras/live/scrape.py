"""Metrics over HTTP: one request, one answer.

Owns the few lines of HTTP that a scraper speaks: `GET /metrics` returns the text, anything else a 404 or a 400. It
reads a bounded request by a deadline. It takes no lock, no place in the directory and no database.

    curl --unix-socket DATA/metrics.sock http://yawc/metrics
"""

import logging
import socket
import time

from yawc_poker.bbs.service import Service
from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.extras.live.metrics import CONTENT_TYPE, exposition
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance

log = logging.getLogger(__name__)

MOST_BYTES = 8192
"""Of a request, its headers included."""
DEADLINE_SECONDS = 5.0
"""For a request to come, and for the answer to be taken."""

_PLAIN = "text/plain; charset=utf-8"


class _BadRequest(Exception):
    """Not HTTP, or too much of it."""


def serve_metrics(connection: socket.socket, open_instance: OpenInstance, seconds: float = DEADLINE_SECONDS) -> Exit:
    """Serve one scrape in this process, within `seconds`. Never raise."""
    until = time.monotonic() + seconds
    try:
        with connection:
            _send(connection, _answer(connection, open_instance, until), until)
    except OSError as error:  # also for the deadline
        log.info("a scrape was broken off: %s", error)
    except Exception:
        log.exception("a scrape ended by a bug")
        return Exit.BUG
    return Exit.OK


class MetricsService(Service):
    """The door for scrapers."""

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve one look at the metrics."""
        return serve_metrics(connection, open_instance)

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return the answer to a scrape for which the listener has no process."""
        return _response("503 Service Unavailable", f"{reason}\n")


def _answer(connection: socket.socket, open_instance: OpenInstance, until: float) -> bytes:
    try:
        target = _request(connection, until)
    except _BadRequest as error:
        return _response("400 Bad Request", f"{error}\n")
    if target.partition("?")[0] != "/metrics":
        return _response("404 Not Found", "There is only /metrics.\n")
    try:
        return _response("200 OK", exposition(Snapshot.of(open_instance().segment)), CONTENT_TYPE)
    except (SegmentError, OSError) as error:
        log.error("no metrics: %s", error)
        return _response("503 Service Unavailable", f"{error}\n")


def _request(connection: socket.socket, until: float) -> str:
    """Read a request to the end of its headers and return its target."""
    data = b""
    while b"\r\n\r\n" not in data and b"\n\n" not in data:
        if len(data) >= MOST_BYTES:
            raise _BadRequest("The request is too long.")
        connection.settimeout(max(until - time.monotonic(), 0.001))
        more = connection.recv(MOST_BYTES - len(data))
        if not more:
            raise _BadRequest("The request ends too soon.")
        data += more
    words = data.split(b"\n", 1)[0].decode("latin-1").split()
    if len(words) != 3 or words[0] != "GET" or not words[2].startswith("HTTP/1."):
        raise _BadRequest("Only GET is understood.")
    return words[1]


def _response(status: str, text: str, kind: str = _PLAIN) -> bytes:
    body = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def _send(connection: socket.socket, answer: bytes, until: float) -> None:
    """Send, then read on for a little: a socket closed with unread input resets the connection and loses the answer."""
    connection.settimeout(max(until - time.monotonic(), 0.001))
    connection.sendall(answer)
    connection.shutdown(socket.SHUT_WR)
    left = 8 * MOST_BYTES
    while left > 0 and (more := connection.recv(left)):
        left -= len(more)
        connection.settimeout(max(until - time.monotonic(), 0.001))
