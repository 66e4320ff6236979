"""House players that only think: at the priority of house players, in their slots, without tables and moves.

What they choose at are the positions of games of Offiziersskat, whose hard player takes longest.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from benchmarks.thinks import CHOICES
from yawc_poker.session.house.house_player import RETRY_SECONDS, yield_to_people
from yawc_poker.session.house.slots import FILE, ThinkSlots
from yawc_poker.session.prefork.slices import let_others_first

SETTLED: Final = 1.0
"""Seconds until their processes have loaded what they need."""


@contextmanager
def thinkers(number: int, data: Path) -> Iterator[None]:
    """Let this many think about one choice after the other, each in a process of its own, until the block ends."""
    processes = [_start(data, first) for first in range(number)]
    try:
        time.sleep(SETTLED)
        yield
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _start(data: Path, first: int) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            let_others_first()
            yield_to_people()
            _think(ThinkSlots(data / FILE), first)
        finally:
            os._exit(1)
    return pid


def _think(slots: ThinkSlots, first: int) -> None:
    for number in count(first, 1000):
        choices = CHOICES["Offiziersskat"](number)
        is_over = False
        while not is_over:
            while not slots.take():
                time.sleep(RETRY_SECONDS)
            is_over = next(choices, None) is None
            slots.release()
