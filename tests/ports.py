"""Ports of 127.0.0.1 for servers that are told theirs on the command line.

They lie below those that the kernel gives to connections: such a port may be taken between its test and its use, and
who knocks until a server is there may be connected with itself. Each worker of a parallel run has a range of its own.
"""

import os
import random
import socket
from collections.abc import Iterator

from tests.waiting import SECONDS

FIRST, LAST = 10_240, 32_767
"""Above those of well-known servers; by `ip_local_port_range`, Linux gives connections ports from 32,768 on."""
RANGES = 16
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))


def _next_ports() -> Iterator[int]:
    """Return this worker's ports again and again, from any of them on: another run may use the same range."""
    length = (LAST + 1 - FIRST) // RANGES
    at = random.randrange(length)
    while True:
        yield FIRST + WORKER % RANGES * length + at
        at = (at + 1) % length


_ports = _next_ports()


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    """Return a port that nobody listens on and that was not returned lately."""
    return next(port for port in _ports if _is_free(port))


def free_ports(count: int) -> list[int]:
    """Return so many different ports that nobody listens on."""
    return [free_port() for _ in range(count)]


def row_of_ports(length: int) -> int:
    """Return the first of so many free ports whose numbers follow one another."""
    row: list[int] = []
    while len(row) < length:
        port = free_port()
        row = [*row, port] if row and port == row[-1] + 1 else [port]
    return row[0]


def listens(port: int) -> bool:
    """Return whether somebody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), SECONDS).close()
    except ConnectionRefusedError:
        return False
    return True
