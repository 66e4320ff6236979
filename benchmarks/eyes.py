"""Watching several lines until the last one has received something.

Does not own the lines. Data read here is lost to other readers of a line, so drain before and do not mix.
"""

import os
import selectors
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

DEADLINE = 20.0
PAUSE = 0.002
"""Seconds of silence after which all output is taken to be complete."""


class Wire(Protocol):
    """A line as bytes: a socket, or what stands for one."""

    def fileno(self) -> int:
        """Return the descriptor to wait for."""

    def sendall(self, data: bytes, /) -> None:
        """Send all of it."""

    def recv(self, size: int, /) -> bytes:
        """Return what has come, at most about this many bytes."""


class Unseen(Exception):
    """Not all lines received the expected data in time."""


@contextmanager
def without_waiting() -> Iterator[None]:
    """Let this process have a processor as soon as it wants one, where that is allowed.

    A caller's terminal is another computer. Here it shares the processors with what is measured: without this, the time
    in which a busy machine does not let the terminal read what has come would count as the BBS's.
    """
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def quiet(lines: Sequence[Wire], seconds: float = PAUSE) -> None:
    """Read and discard data until there has been silence for some seconds."""
    at = {line.fileno(): line for line in lines}
    with _selector(lines) as selector:
        while ready := selector.select(seconds):
            for key, _ in ready:
                at[key.fd].recv(65536)


def until_last(sender: Wire, data: bytes, lines: Sequence[Wire], *, wanted: bytes = b"", least: int = 1) -> float:
    """Send; return the seconds until the last line has received `wanted`, or `least` bytes. Raises `Unseen`."""
    at = {line.fileno(): line for line in lines}
    received = dict.fromkeys(at, b"")
    waiting = set(at)
    with _selector(lines) as selector:
        started = last = time.perf_counter()
        sender.sendall(data)
        while waiting:
            ready = selector.select(max(0.0, started + DEADLINE - last))  # a clock that ticks is no answer
            last = time.perf_counter()
            if not ready:
                raise Unseen(f"{len(waiting)} of {len(lines)} have not received {wanted or least!r}")
            for key, _ in ready:
                received[key.fd] += at[key.fd].recv(65536)
                if wanted in received[key.fd] and len(received[key.fd]) >= least:
                    waiting.discard(key.fd)
    return last - started


def _selector(lines: Sequence[Wire]) -> selectors.DefaultSelector:
    selector = selectors.DefaultSelector()
    for one in lines:
        selector.register(one, selectors.EVENT_READ)
    return selector
