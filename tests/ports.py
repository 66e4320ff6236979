"""Ports of 127.0.0.1 for servers that are told theirs on the command line."""

import socket

from tests.end_to_end.bbs import DEADLINE


def free_ports(count: int) -> list[int]:
    """Find ports that nobody listens on."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def free_port() -> int:
    """Find a port that nobody listens on."""
    return free_ports(1)[0]


def listens(port: int) -> bool:
    """Return whether somebody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), DEADLINE).close()
    except ConnectionRefusedError:
        return False
    return True
