"""Callers for whom a proxy calls, at the doors for telnet and for telnet in TLS: the PROXY protocol before all else.

Owns how a header is taken off a connection. Whoever sends one and is no proxy has typed it. A proxy must send one:
where it need not be there, what a caller types could be taken for it (the protocol's specification, section 2).

Invariant: not a byte behind the header is read.
"""

import logging
import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from telnetd.doors.proxy_header import LONGEST, BadHeader, ProxyHeader, proxy_header
from telnetd.doors.sockets import ended_by_wakeup, has_hung_up
from yawc_poker.bbs.service import Ask, FirstWords, Service
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance
from yawc_poker.transport import HUNG_UP, LineClosed, SocketTransport, lost

log = logging.getLogger(__name__)

HEADER_SECONDS: Final = 5.0
"""How long a proxy may take; one sends the header as soon as it is connected."""
PACE_SECONDS: Final = 0.1
"""The least time between two looks at a header that came in part: a drop at a time, it costs others no more."""
LOOK_SECONDS: Final = 0.2
"""How long one that calls for itself is given to hang up."""
MISSING: Final = "no PROXY header"
TOO_LATE: Final = "no PROXY header in time"
HINT: Final = b"This port takes calls by way of a proxy only.\r\n"
"""What is sent to whoever calls from a proxy's address and is none."""


def header_first(service: Service) -> FirstWords:
    """Return what a proxy must say before there is a process for its connection."""
    return FirstWords(
        behind_header(lambda _: True),
        HEADER_SECONDS,
        TOO_LATE,
        lambda said: service.refusal(TOO_LATE, HINT),
        logging.WARNING,
    )


def behind_header(are_complete: Callable[[bytes], bool]) -> Callable[[bytes], bool]:
    """Return what tells whether a proxy's header is complete, and the words behind it are (`FirstWords`)."""

    def both(said: bytes) -> bool:
        try:
            header = proxy_header(said)
        except BadHeader:
            return True
        return header is not None and are_complete(said[header.length :])

    return both


def serve_proxied(
    service: Service, connection: socket.socket, peer: str, open_instance: OpenInstance, ask: Ask
) -> Exit:
    """Learn whose call it is from the header, and have the door's service serve them (`Service.answer_proxied`)."""
    try:
        with ended_by_wakeup():
            caller = _caller(connection, peer)
            refused = ask(caller)
    except BadHeader as error:
        log.warning("%s: no session: %s", peer, error)
        _turn_away(connection, service.refusal(str(error), HINT))
        return Exit.OK
    except LineClosed as closed:
        log.debug("%s: no session: %s", peer, closed)
        connection.close()
        return Exit.OK
    except Exception:
        log.exception("connection of %s ended by a bug", peer)
        return Exit.BUG
    if refused:  # the listener has logged it
        _turn_away(connection, service.refusal(refused, f"{refused}\r\n".encode()))
        return Exit.OK
    return service.answer(connection, caller, open_instance)


def _caller(connection: socket.socket, peer: str) -> str:
    """Return the address of the caller; the proxy's own if it calls for itself. Raise `BadHeader` or `LineClosed`."""
    header = take_header(connection, time.monotonic() + HEADER_SECONDS)
    if not header.length:
        raise BadHeader(MISSING)
    if header.address in {None, peer} and _only_looks(connection):  # by version 1 HAProxy's check names HAProxy
        raise LineClosed(HUNG_UP)
    return header.address or peer


def _only_looks(connection: socket.socket) -> bool:
    """Return whether a proxy that calls for itself hangs up at once: it wants to know whether anybody answers."""
    poller = select.poll()
    poller.register(connection, select.POLLIN | select.POLLRDHUP)
    poller.poll(LOOK_SECONDS * 1000)
    return has_hung_up(connection, even_with_input=False)


def take_header(connection: socket.socket, deadline: float) -> ProxyHeader:
    """Return the header at the beginning of a TCP connection, and take it off; `NO_HEADER` if there is none.

    Raise `BadHeader`, also if it is not there by `deadline` (monotonic seconds), or `LineClosed`.
    """
    seen = b""
    try:
        while (header := proxy_header(seen)) is None:
            if seen:
                time.sleep(PACE_SECONDS)
            left = deadline - time.monotonic()
            if left <= 0:
                raise BadHeader(TOO_LATE)
            connection.settimeout(left)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, len(seen) + 1)  # wait for more than that
            more = connection.recv(LONGEST, socket.MSG_PEEK)
            if len(more) == len(seen):
                raise LineClosed(HUNG_UP)  # the end of what there is wakes, too
            seen = more
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        if header.length:
            connection.recv(header.length)
    except TimeoutError:
        raise BadHeader(TOO_LATE) from None
    except OSError as error:
        raise lost(error) from error
    return header


def _turn_away(connection: socket.socket, words: bytes) -> None:
    """Send a last word and hang up. Never raise."""
    transport = SocketTransport(connection)
    with suppress(LineClosed):
        transport.send(words)
    transport.close()
