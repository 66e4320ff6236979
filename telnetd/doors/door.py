"""Doors that are open: a kind's listening sockets and its service. Opening all of them, as the table says.

Sockets are inherited from systemd or from the former program, or opened here. The doors with a Unix socket are opened
last: only who has the data directory's lock may take the place of a file.
"""

import importlib
import logging
import socket
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from telnetd.doors.sockets import ListenError, listen, listen_at
from yawc_poker.bbs.service import Service
from yawc_poker.config import Config
from yawc_poker.doors import TELNET, At, DoorKind, kinds

log = logging.getLogger(__name__)

Passed = Mapping[str, tuple[socket.socket, ...]]
"""Inherited listening sockets, by the name of their door."""


class Door(NamedTuple):
    """Listening sockets of one kind."""

    kind: DoorKind
    service: Service
    sockets: tuple[socket.socket, ...]
    limit: int = 0
    """Most connections at once by this door; 0: only the limits of all public doors hold."""
    file: Path | None = None
    """The Unix socket's, if it is this program's to remove."""

    @property
    def name(self) -> str:
        """The kind's name."""
        return self.kind.name

    @property
    def is_public(self) -> bool:
        """Whether callers come in here."""
        return self.kind.is_public

    def origin(self, address: object) -> str:
        """Return the origin of a connection, given what `accept` returned: an address, or else the door's name."""
        if isinstance(address, tuple):
            return str(address[0]).removeprefix("::ffff:")  # an IPv4 caller on the IPv6 socket
        return self.service.origin(address) or self.name

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


class Chosen(NamedTuple):
    """What the command line says of the doors."""

    host: str | None
    port: int | None
    """Telnet's."""
    others: Mapping[str, int | None]
    """Ports by the option's flag; 0: there is no such door."""

    def port_of(self, kind: DoorKind, at: At) -> int | None:
        """Return the TCP port of a door, 0 for a free one, or None if it has none."""
        if kind.option is None:
            return at.port
        chosen = self.others[kind.option.flag]
        if chosen is not None:
            return chosen or None
        if at.port is None or self.port is None:
            return at.port
        above = self.port + kind.option.above
        return above if self.port and above <= 65535 else 0


class Opening(NamedTuple):
    """What the doors are opened by."""

    config: Config
    chosen: Chosen
    data: Path
    passed: Passed
    """Inherited listening sockets."""
    files: Collection[str] = ()
    """The inherited ones whose Unix socket file is this program's to remove."""
    must: bool = True
    """False: after an upgrade, which must not fail any more, only telnet has to be open."""

    def by_tcp(self) -> list[Door]:
        """Open the doors without a Unix socket, telnet's first; raise `ListenError`."""
        return self._open([kind for kind in kinds().values() if not kind.at(self.config).file])

    def by_file(self) -> list[Door]:
        """Open the doors with a Unix socket. Raise `ListenError`; then none of them is open."""
        return self._open([kind for kind in kinds().values() if kind.at(self.config).file])

    def _open(self, wanted: Iterable[DoorKind]) -> list[Door]:
        doors: list[Door] = []
        for kind in wanted:
            try:
                doors += self._doors(kind)
            except ListenError as error:
                if self.must or kind is TELNET:
                    for door in doors:
                        door.remove()
                    raise
                log.error("upgrade: a door stays shut: %s", error)
        return doors

    def _doors(self, kind: DoorKind) -> list[Door]:
        """Open one kind of door, at each place where it listens; raise `ListenError`."""
        at, passed, limit = kind.at(self.config), self.passed.get(kind.name, ()), kind.limit(self.config)
        port = self.chosen.port_of(kind, at)
        if not passed and not at.file and port is None:
            return []
        file = self.data / at.file if at.file else None
        try:
            service = service_of(kind)(self.config)
        except ListenError:
            for listening in passed:
                listening.close()
            raise
        if passed:
            return [Door(kind, service, passed, limit, file if kind.name in self.files else None)]
        doors = []
        if file is not None:
            doors.append(Door(kind, service, listen_at(file, at.group), limit, file))
        if port is not None:
            try:
                doors.append(Door(kind, service, listen(self._host(at), port, _hint(kind)), limit))
            except ListenError:
                for door in doors:
                    door.remove()
                raise
        return doors

    def _host(self, at: At) -> str:
        return at.host or self.chosen.host or ""


def service_of(kind: DoorKind) -> type[Service]:
    """Load the service of a kind of door and return it; raise `TypeError` if there is none."""
    module, _, name = kind.service.partition(":")
    found: object = getattr(importlib.import_module(module), name, None)
    if not (isinstance(found, type) and issubclass(found, Service)):
        raise TypeError(f"door {kind.name}: {kind.service} is no Service")
    return found


def _hint(kind: DoorKind) -> str:
    """Return what chooses another port."""
    if kind is TELNET:
        return "--port"
    return kind.option.flag if kind.option else f"[{kind.name}] port"
