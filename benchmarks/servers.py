"""Peer servers: an echo in C, telnetlib3's echo and a chat room, a new interpreter per caller.

Each is a context manager that yields the port of a process of its own.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.build import PEERS, built


@contextmanager
def c_echo() -> Iterator[int]:
    """The limit: a C server that forks per connection and echoes."""
    with _running([str(built("echo"))]) as port:
        yield port


@contextmanager
def telnetlib3_echo() -> Iterator[int]:
    """telnetlib3's own server with a shell that echoes each key."""
    with _running([sys.executable, str(PEERS / "room.py"), "echo"]) as port:
        yield port


@contextmanager
def telnetlib3_room() -> Iterator[int]:
    """A chat room of thirty lines of code on telnetlib3: one asyncio process."""
    with _running([sys.executable, str(PEERS / "room.py"), "room"]) as port:
        yield port


@contextmanager
def fresh_interpreters(data: Path) -> Iterator[int]:
    """Our own sessions, each in a new interpreter, attached to the BBS that runs on `data`."""
    with _running([sys.executable, "-m", "benchmarks.peers.fresh", str(data)]) as port:
        yield port


@contextmanager
def _running(command: Sequence[str]) -> Iterator[int]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.terminate()
