"""Putting sessions out of the house on account of a sysop's action: asked to end, and killed if they do not.

Owns how long they may take and what is done with those that do not go. Never decides who has to go, and writes nothing
down: both is `office`'s, and has happened. Whoever puts others out holds no lock; his own session is left alone.

A session that is asked finds the act's number in its record and tells its caller why. One that is stopped or hangs says
nothing more; its locks are freed by the kernel, its seat and its record by looking after all tables. Whoever is killed
while he waits here leaves sessions that were asked and end by themselves; one that hangs then stays until it is put out
again, or dies.
"""

import logging
import signal
import time
from collections.abc import Callable, Sequence

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.presence.own_record import REASON_BITS, EndReason
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Kind

log = logging.getLogger(__name__)

END_SECONDS = 3.0
"""How long a session that is asked to end may take before it is killed."""
KILL_SECONDS = 1.0
"""How long a killed process may take to be gone."""

Pause = Callable[[float], None]
"""Waits so many seconds at most; a session gives one in which its own loop goes on."""


def put_out(instance: Instance, action: int, sessions: Sequence[SessionInfo], pause: Pause) -> tuple[int, int]:
    """Ask sessions to end on account of an action, kill those that do not, and have their seats freed. Not one's own.

    Gives how many were asked, and how many of them had to be killed.
    """
    sessions = [one for one in sessions if one.token != instance.notifier.token]
    for one in sessions:
        instance.directory.end(one, EndReason.BY_SYSOP | action << REASON_BITS)
    instance.notifier.tell(Kind.END, [one.index for one in sessions])
    left = _wait(instance, sessions, END_SECONDS, pause)
    for one in left:
        log.warning("session %d of %r did not end and was killed", one.identity.pid, one.name or one.peer)
        process.kill(one.identity, signal.SIGKILL)
    if left:
        _wait(instance, left, KILL_SECONDS, pause)
        instance.look_after_all()
    return len(sessions), len(left)


def _wait(instance: Instance, sessions: Sequence[SessionInfo], seconds: float, pause: Pause) -> list[SessionInfo]:
    """Wait for the ends of sessions, and give those that live on."""
    until = time.monotonic() + seconds
    while left := [one for one in sessions if instance.directory.lives(one.token)]:
        if time.monotonic() >= until:
            break
        pause(0.02)
    return left
