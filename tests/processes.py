"""The processes that a listener has forked for somebody, without its spares."""

import psutil

from telnetd.listener.spares import NAME
from tests.waiting import wait_until
from yawc_poker.config import TelnetSettings

SPARES = TelnetSettings().spares


def serving(listener: int) -> list[psutil.Process]:
    """Return the children of a listener but for its spares, once all of these wait: then none is being forked."""
    found: list[psutil.Process] = []

    def look() -> bool:
        found[:] = psutil.Process(listener).children()
        spares = [one for one in found if is_spare(one)]
        for one in spares:
            found.remove(one)
        return len(spares) == SPARES

    wait_until(look, "the spares")
    return found


def spares(listener: int) -> list[psutil.Process]:
    """Return a listener's spares, once there are as many as there should be."""
    found: list[psutil.Process] = []

    def look() -> bool:
        found[:] = [one for one in psutil.Process(listener).children() if is_spare(one)]
        return len(found) == SPARES

    wait_until(look, "the spares")
    return found


def is_spare(child: psutil.Process) -> bool:
    """Return whether a process waits for a call."""
    try:
        return child.status() != psutil.STATUS_ZOMBIE and child.name().encode() == NAME
    except psutil.NoSuchProcess:
        return False
