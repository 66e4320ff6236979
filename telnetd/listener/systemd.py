"""The interface to systemd: socket activation, readiness, status, watchdog.

Owns no descriptor for long: each notification is one datagram (sd_notify(3)), and passed sockets are handed on
(sd_listen_fds(3)). If the listener was not started by systemd, all this does nothing.
"""

import logging
import os
import socket
import time
from collections.abc import Iterable, MutableMapping
from contextlib import suppress
from itertools import chain, repeat
from math import inf
from pathlib import Path

from yawc_poker.digits import decimal

log = logging.getLogger(__name__)

STATUS_SECONDS = 1.0
"""Minimum time between two notifications of a changed status."""
_FIRST_PASSED = 3
_NO_NAMES = frozenset({"", "unknown", "stored"})
"""What systemd calls sockets without FileDescriptorName=, besides the names of their units."""


OOM_SCORE_FILE = Path("/proc/self/oom_score_adj")
"""The likelihood of being killed when memory runs out; below 0 (OOMScoreAdjust=): less likely than others."""


class SocketActivationError(Exception):
    """A passed descriptor is not a listening socket; `str()` is one line."""


def reset_oom_score(score: Path = OOM_SCORE_FILE) -> None:
    """Reset the OOM score of a session to that of any process: the unit protects only the listener."""
    with suppress(OSError):  # a system without OOM scores
        if int(score.read_bytes()) < 0:
            score.write_bytes(b"0")


def passed_sockets(environ: MutableMapping[str, str]) -> list[tuple[str, socket.socket]]:
    """Return the listening sockets that were passed to this process, each with its name.

    The variables are removed in any case, because they apply only to this process. Raise `SocketActivationError`.
    """
    count, names = environ.pop("LISTEN_FDS", ""), environ.pop("LISTEN_FDNAMES", "")
    if environ.pop("LISTEN_PID", "") != str(os.getpid()) or (number := decimal(count)) is None:
        return []
    descriptors = range(_FIRST_PASSED, _FIRST_PASSED + number)
    named = zip(chain(names.split(":"), repeat("")), descriptors, strict=False)
    return [(name, listening_socket(descriptor)) for name, descriptor in named]


def listening_socket(descriptor: int) -> socket.socket:
    """Return an inherited listening socket; raise `SocketActivationError` if the descriptor is not one."""
    try:
        os.set_inheritable(descriptor, False)
        found = socket.socket(fileno=descriptor)
        listens = found.type == socket.SOCK_STREAM and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise SocketActivationError(f"descriptor {descriptor} was passed as a socket: {error.strerror}") from None
    if not listens:
        found.detach()
        raise SocketActivationError(
            f"descriptor {descriptor} was passed, but it is no listening stream socket (Accept=no)"
        )
    return found


def by_door(passed: Iterable[tuple[str, socket.socket]], doors: Iterable[str]) -> dict[str, tuple[socket.socket, ...]]:
    """Return the passed sockets by door; of those that nobody named, a Unix one is for control, others are for telnet.

    Raise `SocketActivationError` for the name of a door that there is not.
    """
    known = set(doors)
    found: dict[str, tuple[socket.socket, ...]] = {}
    for name, listening in passed:
        if name not in known and name not in _NO_NAMES and not name.endswith(".socket"):
            raise SocketActivationError(f"a socket was passed for the door {name!r}, which this program does not have")
        door = name if name in known else "control" if listening.family == socket.AF_UNIX else "telnet"
        found[door] = (*found.get(door, ()), listening)
    return found


class ServiceManager:
    """Notifications to systemd, if it asked for them (Type=notify)."""

    def __init__(self, environ: MutableMapping[str, str]) -> None:
        """Read the notification socket and the watchdog's period from the environment."""
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._period = _watchdog_seconds(environ) / 2
        self._beat_at = 0.0 if self._period < inf else inf
        self._status = ""
        self._status_at = 0.0
        self._failure = ""

    def ready(self) -> None:
        """Notify that callers can connect, or that the reload is done."""
        self._tell("READY=1")

    def reloading(self) -> None:
        """Notify that a reload begins; `ready` ends it."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """Notify that the listener is closing down."""
        self._tell("STOPPING=1")

    def pulse(self, status: str) -> float:
        """Notify that the loop is running, and its status, if that is due.

        Return the seconds until the next call at the latest; infinite: not before the status changes.
        """
        if not self._address:
            return inf
        now = time.monotonic()
        lines = []
        if now >= self._beat_at:
            lines.append("WATCHDOG=1")
            self._beat_at = now + self._period
        if status != self._status and now >= self._status_at:
            lines.append(f"STATUS={status}")
            self._status, self._status_at = status, now + STATUS_SECONDS
        if lines:
            self._tell(*lines)
        return max(0.0, min(self._beat_at, self._status_at if status != self._status else inf) - now)

    def _tell(self, *lines: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as told:
            try:
                told.connect(address)
                told.send("\n".join(lines).encode())
                self._failure = ""
            except OSError as error:
                self._log_failure(lines[0], str(error.strerror))

    def _log_failure(self, line: str, failure: str) -> None:
        """Log a failure once, not at every notification."""
        if failure != self._failure:
            log.warning("systemd could not be told %s: %s", line, failure)
        self._failure = failure


def _watchdog_seconds(environ: MutableMapping[str, str]) -> float:
    """Return the time after which the watchdog considers a silent process hung; infinite: no watchdog for us."""
    wanted, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    microseconds = decimal(wanted)
    if not microseconds or pid not in ("", str(os.getpid())):
        return inf
    return microseconds / 1e6
