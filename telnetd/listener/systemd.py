"""What systemd gives and wants to hear: sockets that it opened, readiness, how things stand, the beat of the watchdog.

Owns nothing for long: each thing told is one datagram (sd_notify(3)), passed sockets are handed on (sd_listen_fds(3)).
Started by somebody else, all this does nothing.
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

log = logging.getLogger(__name__)

STATUS_SECONDS = 1.0
"""How often a changed status is told at most."""
_FIRST_PASSED = 3


OWN_SCORE = Path("/proc/self/oom_score_adj")
"""How likely this process is to be killed when memory runs out; below 0 (OOMScoreAdjust=): less than others."""


class SocketActivationError(Exception):
    """What was passed is no listening socket; `str()` is one line."""


def give_up_protection(score: Path = OWN_SCORE) -> None:
    """Be as likely to be killed for want of memory as any process: the unit protects the listener alone."""
    with suppress(OSError):  # a system without it protects nobody
        if int(score.read_text()) < 0:
            score.write_text("0")


def passed_sockets(environ: MutableMapping[str, str]) -> list[tuple[str, socket.socket]]:
    """Take over the listening sockets that were passed to this process, each with its name.

    The variables are removed in any case: they speak of this process alone. Raises `SocketActivationError`.
    """
    count, names = environ.pop("LISTEN_FDS", ""), environ.pop("LISTEN_FDNAMES", "")
    if environ.pop("LISTEN_PID", "") != str(os.getpid()) or not count.isdecimal():
        return []
    descriptors = range(_FIRST_PASSED, _FIRST_PASSED + int(count))
    named = zip(chain(names.split(":"), repeat("")), descriptors, strict=False)
    return [(name, listening_socket(descriptor)) for name, descriptor in named]


def listening_socket(descriptor: int) -> socket.socket:
    """Take over an inherited descriptor; raises `SocketActivationError` where it is not what it should be."""
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
    """Sort passed sockets by the doors' names; one of another name goes by its kind: Unix is control, else telnet."""
    known = set(doors)
    found: dict[str, tuple[socket.socket, ...]] = {}
    for name, listening in passed:
        door = name if name in known else "control" if listening.family == socket.AF_UNIX else "telnet"
        found[door] = (*found.get(door, ()), listening)
    return found


class ServiceManager:
    """systemd, where it asked to be told (Type=notify); otherwise nobody."""

    def __init__(self, environ: MutableMapping[str, str]) -> None:
        """Read from the environment whom to tell, and how often the watchdog wants to hear."""
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._period = _watchdog_seconds(environ) / 2
        self._beat_at = 0.0 if self._period < inf else inf
        self._status = ""
        self._status_at = 0.0
        self._trouble = ""

    def ready(self) -> None:
        """Callers can connect, or the reload is done."""
        self._tell("READY=1")

    def reloading(self) -> None:
        """A reload begins; `ready` ends it."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """The end has begun."""
        self._tell("STOPPING=1")

    def pulse(self, status: str) -> float:
        """Show that the loop goes round, and how things stand, as often as is wanted.

        Gives the seconds until it is to be called again at the latest; infinite: not before the status changes.
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
                self._trouble = ""
            except OSError as error:
                self._complain(lines[0], str(error.strerror))

    def _complain(self, line: str, trouble: str) -> None:
        """Log what went wrong, once and not at every beat."""
        if trouble != self._trouble:
            log.warning("systemd could not be told %s: %s", line, trouble)
        self._trouble = trouble


def _watchdog_seconds(environ: MutableMapping[str, str]) -> float:
    """Give the time after which the watchdog takes a silent process for hung; infinite: there is none for us."""
    wanted, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not wanted.isdecimal() or int(wanted) == 0 or pid not in ("", str(os.getpid())):
        return inf
    return int(wanted) / 1e6
