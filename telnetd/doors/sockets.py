"""Listening sockets and fresh connections: opening, addresses, files of Unix sockets, who has hung up already."""

import errno
import fcntl
import grp
import os
import select
import signal
import socket
import stat
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from yawc_poker.transport import LineClosed

_BACKLOG = 512
_ADDRESS_BYTES = 107


class ListenError(Exception):
    """No socket to listen on; `str()` is one line."""


def listen(host: str, port: int, option: str) -> tuple[socket.socket, ...]:
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


def reached_at(listening: socket.socket) -> tuple[str, int]:
    """Return the host and the port by which somebody on this machine reaches a TCP socket."""
    host, port, *_ = listening.getsockname()
    return "localhost" if host in {"0.0.0.0", "::"} else host, port


def _interface(scope: int) -> str:
    """Return the name of a scope's interface, or its number if it has gone meanwhile."""
    try:
        return socket.if_indextoname(scope)
    except OSError:
        return str(scope)


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


def has_hung_up(connection: socket.socket, *, even_with_input: bool) -> bool:
    """Return whether a caller who waited in the queue has hung up meanwhile and left nothing to be read.

    With `even_with_input` what was left does not matter.
    """
    poller = select.poll()
    poller.register(connection, select.POLLRDHUP)
    if not poller.poll(0):
        return False
    if even_with_input:
        return True
    waiting = fcntl.ioctl(connection, termios.FIONREAD, bytes(4))
    return int.from_bytes(waiting, sys.byteorder) == 0


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
