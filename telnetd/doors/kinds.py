"""Doors: the kinds of listening sockets, and which function a session that came in by one runs.

Owns opening the sockets, and removing the file of a Unix socket. A new kind of door is one more `Door` in
`telnetd.cli`. Connections by a public door are callers' and count against the limits of `[telnet]`. The others are the
sysop's, have a small limit of their own, and lie behind file permissions or on a loopback address. The door for
terminals that `yawc-door` hands over is public, and takes no request: those who may connect there are no sysops.
"""

from __future__ import annotations

import errno
import grp
import os
import signal
import socket
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

from telnetd.doors.telnet import TelnetLine
from yawc_poker.bbs.rehearsal import Side
from yawc_poker.config import Config
from yawc_poker.extras.live.scrape import serve_metrics
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.door.service import refusal_of_terminal, serve_terminal
from yawc_poker.session.run import OpenInstance, serve
from yawc_poker.session.wire.session import serve_wire
from yawc_poker.transport import LineClosed, SocketTransport

Service = Callable[[socket.socket, str, OpenInstance], Exit]
"""Serve one connection in a process of its own, given where it comes from, until its end. Never raise."""

ProxiedService = Callable[[socket.socket, str, OpenInstance, Callable[[str], str]], Exit]
"""The same for a connection of a proxy's. The function tells the listener whose call it is, an address, and returns why
that caller is refused; empty: they are not."""

RefusalText = Callable[[str, bytes], bytes]
"""Return the bytes that refuse a connection at this door, from the reason and a line for people."""

BANNED_WORDS = "Sorry, calls from your address are not taken by this BBS."
"""What callers from a banned address are told; other refusals are for now."""
TERMINAL = "terminal"
"""The name of the door for terminals."""
_BACKLOG = 512
_ADDRESS_BYTES = 107


class ListenError(Exception):
    """No socket to listen on; `str()` is one line."""


def in_words(reason: str, line: bytes) -> bytes:
    """Return the line for people (a `RefusalText`)."""
    return line


def in_silence(reason: str, line: bytes) -> bytes:
    """Return nothing (a `RefusalText`): the protocol has no word for it."""
    return b""


def no_preparation() -> None:
    """Do nothing."""


def is_nobody(peer: str) -> bool:
    """Return False: nobody calls for others here."""
    return False


def no_settings(config: Config) -> None:
    """Do nothing: the door has no settings that a reload could change."""


class Door(NamedTuple):
    """One kind of listening sockets."""

    name: str
    sockets: tuple[socket.socket, ...]
    service: Service
    refusal: RefusalText = in_words
    """Builds the refusal that is sent at this door."""
    is_public: bool = True
    limit: int = 16
    """Most connections at once by this door; 0: only the limits of all public doors hold."""
    file: Path | None = None
    """The Unix socket's, if it is this program's to remove."""
    has_handshake: bool = False
    """Whether callers must answer before they are served: those who have hung up are not, whatever they said."""
    prepare: Callable[[], None] = no_preparation
    """Called in the listener before each fork for a connection. Never raises."""
    reload: Callable[[Config], None] = no_settings
    """Called in the listener when the configuration was read again. Never raises."""
    is_proxy: Callable[[str], bool] = is_nobody
    """Return whether connections from an address are a proxy's, who calls for others; `proxied` serves them."""
    proxied: ProxiedService | None = None
    side: Side | None = None
    """A caller's side of this kind of line, for the rehearsal before the first fork; None: it plays none by it."""

    def close(self) -> None:
        """Close the sockets; those of other processes go on."""
        for listening in self.sockets:
            listening.close()

    def remove(self) -> None:
        """Close the sockets for good: no other process is to serve them."""
        self.close()
        if self.file is not None:
            with suppress(OSError):
                self.file.unlink()


def answer_telnet(connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
    """Serve a telnet caller (a `Service`)."""
    return serve(TelnetLine(SocketTransport(connection), peer), open_instance)


def answer_wire(connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
    """Serve a client of Mau-Mau's protocol (a `Service`)."""
    return serve_wire(connection, peer, open_instance)


def terminal_door(sockets: tuple[socket.socket, ...], file: Path | None) -> Door:
    """Return the door for terminals that `yawc-door` hands over."""
    return Door(TERMINAL, sockets, answer_terminal, refusal_of_terminal, limit=0, file=file)


def answer_terminal(connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
    """Serve a caller whose terminal is handed over (a `Service`)."""
    return serve_terminal(connection, peer, open_instance)


def answer_scrape(connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
    """Serve one look at the metrics (a `Service`)."""
    return serve_metrics(connection, open_instance)


@contextmanager
def ended_by_wakeup() -> Iterator[None]:
    """Raise `LineClosed` at SIGUSR1, which the listener sends to those in no directory when the BBS closes."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise LineClosed("the BBS closes")

    before = signal.signal(signal.SIGUSR1, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


def listen(host: str, port: int, option: str = "--port") -> tuple[socket.socket, ...]:
    """Open the listening sockets: every address (IPv6 and IPv4) for an empty host. Raise `ListenError`.

    `option` is what chooses another port.
    """
    shown = f"{host or 'every address'}, port {port}"
    try:
        return tuple(_at_addresses(host, port)) if host else (_everywhere(port),)
    except OSError as error:
        raise ListenError(f"cannot listen on {shown}: {_reason(error)}; another port: {option}") from None


def listen_at(path: Path, group: str = "") -> tuple[socket.socket, ...]:
    """Open a Unix socket for its owner and, if there is one, a group; raise `ListenError`.

    It takes the place of one that a killed listener left, but of no other file. The caller guarantees that no living
    listener serves this path, by the data directory's lock.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        with suppress(FileNotFoundError):
            if stat.S_ISREG(path.lstat().st_mode):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            path.unlink()
        _bind(listening, path)
        if group:
            os.chown(path, -1, grp.getgrnam(group).gr_gid)
            path.chmod(0o660)
        listening.listen(_BACKLOG)
    except KeyError:
        listening.close()
        raise ListenError(f"cannot listen on {path}: there is no group {group}") from None
    except OSError as error:
        listening.close()
        raise ListenError(f"cannot listen on {path}: {_reason(error)}") from None
    finally:
        os.umask(mask)
    return (listening,)


def address_of(listening: socket.socket) -> str:
    """Return HOST:PORT as it is announced; for one that takes every address, one that reaches it. A path for Unix."""
    if listening.family == socket.AF_UNIX:
        return str(listening.getsockname())
    host, port, *more = listening.getsockname()
    if more and more[1]:
        host += f"%{_interface(more[1])}"
    if host == "::" and not listening.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY):
        host = "0.0.0.0"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _interface(scope: int) -> str:
    """Return the name of a scope's interface, or its number if it has gone meanwhile."""
    try:
        return socket.if_indextoname(scope)
    except OSError:
        return str(scope)


def close_all(doors: Iterable[Door]) -> None:
    """Close the sockets of all doors, which a session has no use for."""
    for door in doors:
        door.close()


def _at_addresses(host: str, port: int) -> list[socket.socket]:
    """Listen on each address of a host; where the port is free to choose, on the same port at each."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    opened: list[socket.socket] = []
    for family, _, _, _, address in dict.fromkeys(found):
        # With all that belongs to an IPv6 address: one of a link only is nothing without its scope.
        at = (address[0], opened[0].getsockname()[1] if opened else address[1], *address[2:])
        opened.append(socket.create_server(at, family=family, backlog=_BACKLOG))
    return opened


def _everywhere(port: int) -> socket.socket:
    if socket.has_dualstack_ipv6():
        try:
            return socket.create_server(("", port), family=socket.AF_INET6, backlog=_BACKLOG, dualstack_ipv6=True)
        except OSError as error:
            if error.errno not in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}:
                raise
    return socket.create_server(("", port), backlog=_BACKLOG)


def _bind(listening: socket.socket, path: Path) -> None:
    """Bind, to a long path by way of its folder's descriptor: a socket's address holds 107 bytes."""
    if len(os.fsencode(path)) <= _ADDRESS_BYTES:
        listening.bind(os.fsencode(path))
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        listening.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror)
