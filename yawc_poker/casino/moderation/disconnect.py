"""Disconnecting sessions because of a sysop action: they are asked to end, and killed if they do not.

Owns how long they may take, and the killing of those that stay. Never decides which sessions have to go, and writes
nothing down: both have happened before (`actions`). The process that disconnects others holds no lock; its own session
is left alone.

A session that is asked finds the action's number in its record and tells its caller why. One that is stopped or hangs
says nothing more; its locks are freed by the kernel, its seat and its record by looking after all tables. If the
waiting process is killed, the sessions that were asked end by themselves; one that hangs stays until it is disconnected
again, or dies. Sessions of other hosts are asked, and killed, by their own hosts; what is waited for is that they are
not in the directory any more.
"""

import logging
import time
from collections.abc import Callable, Sequence

from yawc_poker.casino.instance.everybody import ask_to_end, kill
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.presence.own_record import REASON_BITS, EndReason

log = logging.getLogger(__name__)

END_SECONDS = 3.0
"""How long a session that is asked to end may take before it is killed."""
KILL_SECONDS = 1.0
"""How long a killed process may take to be gone."""

Pause = Callable[[float], None]
"""Waits for some seconds at most; that of a session lets its own loop go on."""


def put_out(instance: Instance, action: int, sessions: Sequence[SessionInfo], pause: Pause) -> tuple[int, int]:
    """Ask sessions, but for one's own, to end because of an action; kill those that do not, and free their seats.

    Return how many were asked, and how many of them had to be killed.
    """
    sessions = [one for one in sessions if one.token != instance.notifier.token]
    reason = EndReason.BY_SYSOP | action << REASON_BITS
    ask_to_end(instance, sessions, reason)
    left = _wait(instance, sessions, END_SECONDS, pause)
    for one in left:
        log.warning("session %d of %r did not end and was killed", one.identity.pid, one.name or one.peer)
        kill(instance, one, reason)
    if left:
        _wait(instance, left, KILL_SECONDS, pause)
        instance.look_after_all()
    return len(sessions), len(left)


def _wait(instance: Instance, sessions: Sequence[SessionInfo], seconds: float, pause: Pause) -> list[SessionInfo]:
    """Wait for the ends of sessions, and return those that live on."""
    until = time.monotonic() + seconds
    while left := [one for one in sessions if instance.directory.is_in(one.token)]:
        if time.monotonic() >= until:
            break
        pause(0.02)
    return left
