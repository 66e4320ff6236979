"""The processes that a listener has forked for somebody, without its spares."""

from pathlib import Path

import psutil

from telnetd.listener.spares import NAME
from tests.waiting import wait_until
from yawc_poker.config import TelnetSettings

SPARES = TelnetSettings().spares
PIDS = int(Path("/proc/sys/kernel/pid_max").read_text())
"""How many there are; behind the last one the kernel begins anew."""


def serving(listener: int) -> list[psutil.Process]:
    """Return the children of a listener but for its spares, once all of these wait: then none is being forked."""
    return _children(listener)[1]


def spares(listener: int) -> list[psutil.Process]:
    """Return a listener's spares, once there are as many as there should be."""
    return _children(listener)[0]


def _children(listener: int) -> tuple[list[psutil.Process], list[psutil.Process]]:
    waiting: list[psutil.Process] = []
    others: list[psutil.Process] = []

    def look() -> bool:
        waiting.clear()
        others.clear()
        for one in psutil.Process(listener).children():
            (waiting if is_spare(one) else others).append(one)
        return len(waiting) == SPARES

    wait_until(look, "the spares")
    return waiting, others


def behind(pid: int, other: int) -> int:
    """Return how far a process is behind another one that was forked before it, by their pids."""
    return (other - pid) % PIDS


def is_spare(child: psutil.Process) -> bool:
    """Return whether a process waits for a call."""
    try:
        return child.status() != psutil.STATUS_ZOMBIE and child.name().encode() == NAME
    except psutil.NoSuchProcess:
        return False
