"""Watching several sockets until the last one has received something.

Does not own the sockets. Data read here is lost to other readers of a socket, so drain before and do not mix.
"""

import selectors
import socket
import time
from collections.abc import Sequence

DEADLINE = 20.0
PAUSE = 0.002
"""Seconds of silence after which all output is taken to be complete."""


class Unseen(Exception):
    """Not all sockets received the expected data in time."""


def quiet(sockets: Sequence[socket.socket], seconds: float = PAUSE) -> None:
    """Read and discard data until there has been silence for some seconds."""
    with _selector(sockets) as selector:
        while ready := selector.select(seconds):
            for key, _ in ready:
                assert isinstance(key.fileobj, socket.socket)
                key.fileobj.recv(65536)


def until_last(
    sender: socket.socket, data: bytes, sockets: Sequence[socket.socket], *, wanted: bytes = b"", least: int = 1
) -> float:
    """Send; return the seconds until the last socket has received `wanted`, or `least` bytes. Raises `Unseen`."""
    received = dict.fromkeys(sockets, b"")
    waiting = set(sockets)
    with _selector(sockets) as selector:
        started = last = time.perf_counter()
        sender.sendall(data)
        while waiting:
            ready = selector.select(max(0.0, started + DEADLINE - last))  # a clock that ticks is no answer
            last = time.perf_counter()
            if not ready:
                raise Unseen(f"{len(waiting)} of {len(sockets)} have not received {wanted or least!r}")
            for key, _ in ready:
                one = key.fileobj
                assert isinstance(one, socket.socket)
                received[one] += one.recv(65536)
                if wanted in received[one] and len(received[one]) >= least:
                    waiting.discard(one)
    return last - started


def _selector(sockets: Sequence[socket.socket]) -> selectors.DefaultSelector:
    selector = selectors.DefaultSelector()
    for one in sockets:
        selector.register(one, selectors.EVENT_READ)
    return selector
