"""The door for browsers: what the listener holds for it, and the process that is forked for one of its connections.

Also a page's side of a call, for the rehearsal before the first fork.
"""

import logging
import socket
from functools import partial
from typing import Final

import msgspec

from telnetd.doors.proxies import behind_header
from telnetd.doors.sockets import ended_by_wakeup
from telnetd.doors.tls import Encryption, is_hello
from telnetd.extras.web.files import PageFiles, read_page
from telnetd.extras.web.frames import SUBPROTOCOL, Terminal
from telnetd.extras.web.http import has_head, last_response, to_https
from telnetd.extras.web.line import WebLine
from telnetd.extras.web.settings import WebSettings
from telnetd.extras.web.visit import HEAD_SECONDS, SESSION, TOO_SLOW, Site, Visit, bad_request, refusal, usual
from telnetd.extras.web.websocket import page_sends
from yawc_poker.addresses import networks
from yawc_poker.bbs.rehearsal import Side
from yawc_poker.bbs.service import Ask, FirstWords, Service
from yawc_poker.config import Config
from yawc_poker.page.links import Link
from yawc_poker.page.protocol import spoken
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance, serve, takes_callers
from yawc_poker.transport import LineClosed, SocketTransport, Transport

log = logging.getLogger(__name__)

_UPGRADE: Final = (
    f"GET {SESSION} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    f"Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Protocol: {SUBPROTOCOL}\r\n\r\n"
).encode()
_HELLO: Final = page_sends(b"t" + msgspec.json.encode(Terminal("xterm-256color", "en")))
_OPENING: Final = page_sends(b"w\x00\x50\x00\x18") + page_sends(b"v\x01") + b"\x8a\x80" + bytes(4)
"""The window's size, that the page is seen, and a pong."""
_RESUME_SECONDS: Final = 0.1
"""In a rehearsal: nobody comes back."""


class WebService(Service):
    """What the listener holds for the door, as it is for the next caller."""

    def __init__(self, config: Config) -> None:
        """Read the page's files, and the certificate if there is one; raise `ListenError`."""
        settings = config.of(WebSettings)
        self._encryption = Encryption(settings.cert, settings.key, "browsers") if settings.cert else None
        self.side = Side(self.rehearsed, _OPENING, lambda typed: page_sends(b"d" + typed))
        self._take(config)

    def _take(self, config: Config) -> None:
        self.settings = config.of(WebSettings)
        self.files: PageFiles = read_page(self.settings.name or config.bbs.name, address=self.settings.address)
        self.proxies = networks(self.settings.proxies)

    def reload(self, config: Config) -> None:
        """Take the settings over. A door that speaks HTTP goes on to do so, and one that speaks HTTPS likewise."""
        self._take(config)
        if self._encryption is not None and self.settings.cert:
            self._encryption.replace(self.settings.cert, self.settings.key)

    def prepare(self) -> bool:
        """Take a renewed certificate over."""
        return self._encryption is not None and self._encryption.follow()

    def first_words(self, peer: str) -> FirstWords | None:
        """Return the head of a request, or the client's hello, also behind a proxy's header."""
        said_first, answer = (has_head, _too_slow) if self._encryption is None else (is_hello, _no_tls)
        return FirstWords(
            behind_header(said_first) if self.is_proxy(peer) else said_first,
            HEAD_SECONDS,
            TOO_SLOW,
            answer,
            logging.DEBUG,  # browsers connect ahead, for requests that may never come
        )

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return the response to a connection that the listener refuses."""
        if self._encryption is not None:
            return b""  # what is no TLS, a browser does not show
        words = line.decode().strip() or "Please call again later."
        return last_response(usual(refusal(words), is_encrypted=False))

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve a browser."""
        return self._serve(connection, peer, open_instance, None)

    def answer_proxied(self, connection: socket.socket, peer: str, open_instance: OpenInstance, ask: Ask) -> Exit:
        """Serve a connection of a proxy's, which tells whose call it is."""
        return self._serve(connection, peer, open_instance, ask)

    def _serve(self, connection: socket.socket, peer: str, open_instance: OpenInstance, ask: Ask | None) -> Exit:
        may_come = partial(takes_callers, open_instance)
        is_encrypted = self._encryption is not None
        site = Site(self._open, self.files, self.settings.origins, self.proxies, may_come, is_encrypted)
        visit = Visit(site, connection, peer, ask)
        try:
            with ended_by_wakeup():
                opened = visit.run()
        except LineClosed as closed:
            log.debug("%s: no session: %s", visit.peer, closed)
            visit.close()
            return Exit.OK
        except Exception:
            log.exception("connection of %s ended by a bug", visit.peer)
            return Exit.BUG
        if opened is None:
            visit.close()
            return Exit.OK
        line = WebLine(visit.transport, visit.peer, *opened, self.settings.resume_seconds)
        told = opened.terminal
        link = Link(told.place, told.invitation)
        return serve(line, open_instance, language=spoken(told.language), link=link)

    def rehearsed(self, transport: Transport, peer: str) -> WebLine:
        """Return a page's line over a transport, after its way to here as by any browser. Raise `LineClosed`."""
        browser, connection = socket.socketpair()
        with browser:
            browser.sendall(_UPGRADE + _HELLO)
            visit = Visit(Site(SocketTransport, self.files, (), (), lambda: True), connection, peer, None)
            opened = visit.run()
        visit.close()
        if opened is None:
            raise LineClosed("no session")
        return WebLine(transport, peer, *opened, _RESUME_SECONDS)

    def _open(self, connection: socket.socket) -> Transport:
        """Return the bytes of a connection (an `Open`)."""
        if self._encryption is None:
            return SocketTransport(connection)
        return self._encryption.open(connection, HEAD_SECONDS, _in_plain)


def _too_slow(said: bytes) -> bytes:
    """Return the response to a browser that has said this much of a request and no more; b"" for nothing."""
    return last_response(usual(bad_request(408), is_encrypted=False)) if said else b""


def _no_tls(said: bytes) -> bytes:
    """Return the same where TLS is expected."""
    return b"" if said else _in_plain(b"")


def _in_plain(data: bytes) -> bytes:
    """Return the response to a browser that says this, or nothing, where TLS is expected (a `Hint`)."""
    return last_response(usual(to_https(data), is_encrypted=False))
