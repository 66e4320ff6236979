"""A session that outlives its line: the way of a new connection to the process that has the session.

Each token has a Unix socket in the abstract namespace, named by a hash of it: a name stands in /proc for everybody to
read, and does not tell the token. The process that was forked for the new connection knocks there, shows the token, and
passes its socket on (SCM_RIGHTS). Both sides look at each other's user (SO_PEERCRED), as anybody may bind such a name.

README.md has the races.
"""

import hashlib
import hmac
import logging
import os
import secrets
import select
import socket
import time
from contextlib import ExitStack, suppress
from typing import Final, NamedTuple

import msgspec

from telnetd.extras.web.frames import TOKEN_BYTES, TRY_AGAIN, UNKNOWN_TOKEN, Terminal, Violation
from yawc_poker.transport import GRACE, HUNG_UP, LineClosed, Transport, process_at

log = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 2.0
"""How long a session may take to answer; for one that does not, the page calls again."""
KNOCK_SECONDS: Final = 0.5
"""How long who knocks may take to say what for: it is said in the same moment."""
_MOST: Final = 16 * 1024
_TAKEN: Final = b"1"


class Handoff(msgspec.Struct, frozen=True):
    """What is told of a connection that is passed on."""

    token: str
    terminal: Terminal
    peer: str
    rest: bytes
    """What the page has sent behind the frame with the token."""
    carrier: int = 0
    """The process that passes on what comes and goes, because it encrypts it; 0: none."""


class Arrival(NamedTuple):
    """A connection that was passed on."""

    connection: socket.socket
    handoff: Handoff


class Doorway:
    """Where connections come back to one session: a socket for each token that still counts."""

    def __init__(self) -> None:
        """Open a descriptor that stays the same whichever tokens there are; raise `OSError`."""
        self._poll = select.epoll()
        self._open: dict[str, socket.socket] = {}

    def fileno(self) -> int:
        """Return a descriptor that can be read when somebody knocks."""
        return self._poll.fileno()

    def new_token(self) -> str:
        """Return another token, which counts beside those there are; raise `OSError`."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        try:
            listening.bind(_name(token))
            listening.listen(2)
            self._poll.register(listening, select.EPOLLIN)
        except OSError:
            listening.close()
            raise
        self._open[token] = listening
        return token

    def forget_older(self) -> None:
        """Let the newest token alone count."""
        for token in list(self._open)[:-1]:
            self._open.pop(token).close()

    def forget_all(self) -> None:
        """Let no token count that there is."""
        for listening in self._open.values():
            listening.close()
        self._open.clear()

    def accept(self) -> Arrival | None:
        """Return a connection that came back; None: there is none, or who knocks is not the one to be let in."""
        for token, listening in list(self._open.items()):
            try:
                visitor, _ = listening.accept()
            except BlockingIOError:
                continue
            except OSError as error:  # no descriptors: who knocks would knock for ever
                log.error("a line cannot be taken over: %s", error.strerror)
                self._open.pop(token).close()
                continue
            with visitor:
                return _let_in(visitor, token)
        return None

    def close(self) -> None:
        """Close everything. Never raise."""
        with suppress(OSError):
            self.forget_all()
            self._poll.close()


def _name(token: str) -> bytes:
    return b"\0yawc-web-" + hashlib.sha256(token.encode()).hexdigest()[:40].encode()


def _is_ours(connection: socket.socket) -> bool:
    """Return whether the process at the other end runs as this user."""
    _, uid = process_at(connection)
    return uid == os.geteuid()


def _let_in(visitor: socket.socket, token: str) -> Arrival | None:
    """Take over the connection that a visitor brings."""
    with ExitStack() as brought:
        try:
            if not _is_ours(visitor):
                return None
            visitor.settimeout(KNOCK_SECONDS)
            data, passed, _, _ = socket.recv_fds(visitor, _MOST, 1, socket.MSG_CMSG_CLOEXEC)
            connections = [brought.enter_context(socket.socket(fileno=one)) for one in passed]
            handoff = msgspec.msgpack.decode(data, type=Handoff)
            if connections and hmac.compare_digest(handoff.token, token):
                visitor.send(_TAKEN)
                brought.pop_all()  # from here on they are the session's
                return Arrival(connections[0], handoff)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            log.info("a line could not be taken over: %s", error)
    return None


def hand_over(descriptor: int, handoff: Handoff) -> None:
    """Pass a connection to the session of this token. The caller's own copy stays open.

    Raise `Violation` if it was not taken: no session has the token; or one has it, but is stopped, busy, or ends at
    this moment, and the page may call again.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC) as knocking:
        knocking.settimeout(ANSWER_SECONDS)
        try:
            knocking.connect(_name(handoff.token))
            if not _is_ours(knocking):
                raise ConnectionRefusedError
            socket.send_fds(knocking, [msgspec.msgpack.encode(handoff)], [descriptor])
            is_taken = knocking.recv(len(_TAKEN)) == _TAKEN
        except ConnectionRefusedError:
            raise Violation(UNKNOWN_TOKEN, "unknown session") from None
        except OSError:
            is_taken = False
    if not is_taken:
        raise Violation(TRY_AGAIN, "the session does not answer")


def relay(outer: Transport, inner: Transport) -> None:
    """Pass everything on between two connections, until one of them ends. What one does not take, the other waits for.

    What is left at the end has `GRACE`. Raise `LineClosed` by a signal only.
    """
    try:
        while True:
            _wait(outer, inner)
            for source, target in ((outer, inner), (inner, outer)):
                if not target.pending:
                    target.send(source.receive(_MOST))
                target.flush()
    except LineClosed:
        deadline = time.monotonic() + GRACE
        for source, target in ((outer, inner), (inner, outer)):
            with suppress(LineClosed):
                _pass_rest(source, target, deadline)


def _pass_rest(source: Transport, target: Transport, deadline: float) -> None:
    """Pass on what has come from one connection, until a deadline. Raise `LineClosed`."""
    target.drain(deadline)
    while not target.pending and (data := source.receive(_MOST)):
        target.send(data)
        target.drain(deadline)


def _wait(outer: Transport, inner: Transport) -> None:
    """Wait until one of them can be read for the other, or takes what waits for it.

    Raise `LineClosed` if one has gone that is neither read now nor written to.
    """
    if (outer.buffered and not inner.pending) or (inner.buffered and not outer.pending):
        return
    poller, wanted = select.poll(), {}
    for one, other in ((outer, inner), (inner, outer)):
        events = (0 if other.pending else select.POLLIN) | (select.POLLOUT if one.pending else 0)
        wanted[one.fileno()] = events
        poller.register(one, events)
    if any(not wanted[descriptor] for descriptor, _ in poller.poll()):
        raise LineClosed(HUNG_UP)  # the kernel tells of that only, and again at each look
