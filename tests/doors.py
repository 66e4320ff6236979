"""Doors of tests, without the settings of a start."""

import socket
from pathlib import Path

from telnetd.doors.door import Door
from telnetd.doors.telnet import TelnetService
from yawc_poker.config import Config
from yawc_poker.doors import DoorKind


def door(kind: DoorKind, sockets: tuple[socket.socket, ...] = (), limit: int = 0, file: Path | None = None) -> Door:
    """Return a door whose callers are served as by telnet."""
    return Door(kind, TelnetService(Config()), sockets, limit, file)
