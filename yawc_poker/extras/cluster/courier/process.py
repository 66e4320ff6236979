"""The courier's process: when the listener has to fork one, its birth, and its end.

Owns the word that names the courier. There is one for each host of several, and none where there is one host. It is
forked after the warm-up, as a session is, and again when it has died; it outlives a listener that is killed, and the
next one finds it in the directory. One that stands still for two leases, stopped or caught in a mistake of this
program, is killed. When the host closes it ends last.
"""

import logging
import math
import signal
import time
from collections.abc import Callable
from typing import Final

from yawc_poker.bbs.companion import Companion
from yawc_poker.casino.presence.directory import DirectoryFull
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.extras.cluster.courier.loop import Courier
from yawc_poker.extras.cluster.databases import ServerDatabases
from yawc_poker.extras.cluster.joining import others_go_on
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.ipc import process
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.segment import Segment, SegmentError
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.prefork.slices import go_as_usual
from yawc_poker.session.run import OpenInstance

log = logging.getLogger(__name__)

PEER: Final = "courier"
"""Where it calls from, as the directory shows it."""
AGAIN_SECONDS: Final = 0.5
"""Least time between two births: one that dies at once is not forked at once."""
END_SECONDS: Final = 3.0
STILL_LEASES: Final = 2
"""For how many leases a courier may stand still."""
_LEAST_STILL: Final = 10.0
"""Seconds: it waits for a database that does not answer, now by this way and now by that one."""
_LOOK_SECONDS: Final = 0.01


class Couriers(Companion):
    """What the listener knows of its host's courier."""

    def __init__(self, segment: Segment, databases: ServerDatabases) -> None:
        super().__init__(segment)
        self._databases = databases
        self._here = ClusteredHost(segment.head)
        self._not_before = 0.0
        self._lease_seconds = databases.cluster.lease_seconds
        self._seen: tuple[Identity, float] | None = None
        """The courier, and when it went on with its work last."""
        self._seen_at = 0.0
        self._looked = 0.0

    @property
    def identity(self) -> Identity | None:
        """The courier's process, which may have died; None: there was none yet."""
        return self._here.courier

    def due(self, now: float) -> float:
        """Return the seconds until a courier has to be forked, or looked after; infinite: none is needed."""
        if not self._here.is_clustered:
            return math.inf
        courier = self._here.courier
        if courier is not None and process.is_alive(courier):
            return self._lease_seconds / 2
        return max(self._not_before - now, 0.0)

    def watch(self, now: float) -> None:
        """Kill a courier that stands still; `now` in monotonic seconds.

        While this process did not look it saw nothing: then it may have been stopped with the courier.
        """
        courier = self._here.courier
        if courier is None:
            return
        seen = (courier, self._here.worked)
        if seen != self._seen or now - self._looked > self._lease_seconds:
            self._seen, self._seen_at = seen, now
        self._looked = now
        still = max(STILL_LEASES * self._lease_seconds, _LEAST_STILL)
        if now - self._seen_at >= still and process.kill(courier, signal.SIGKILL):
            log.error("the courier stands still and was killed")

    def serve(self, open_instance: OpenInstance) -> Exit:
        """Be a courier until it is asked to end. Never raises."""
        go_as_usual()
        try:
            inbox = SignalInbox()
        except OSError as error:  # no descriptors
            log.error("no courier: %s", error)
            return Exit.UNAVAILABLE
        try:
            return _serve(EventLoop(inbox), open_instance)
        except (SegmentError, DirectoryFull, LockGone, LockTimeout, StoreError, OSError, MemoryError) as error:
            log.error("the courier ends: %r", error)
            return Exit.UNAVAILABLE
        except Exception:
            log.exception("the courier ended by a bug")
            return Exit.BUG
        finally:
            inbox.close()

    def forked(self, pid: int, now: float) -> None:
        """Note that one was forked."""
        self._not_before = now + AGAIN_SECONDS
        self._here.courier = process.find(pid)

    def put_off(self, now: float) -> None:
        """Note that one could not be forked."""
        self._not_before = now + AGAIN_SECONDS

    def replace(self) -> None:
        """Make the courier of a former program end, so that one of this program is forked."""
        courier = self._here.courier
        if courier is not None:
            process.kill(courier, signal.SIGTERM)

    def begin_end(self) -> None:
        """Let all know that this BBS closes, or this host, while others go on."""
        if self._here.is_clustered and others_go_on(self._databases, self._here):
            self._here.leave()
        else:
            super().begin_end()

    def end(self, meanwhile: Callable[[], None]) -> None:
        """Make the courier end and wait for that; `meanwhile` is called again and again, to reap children."""
        courier = self._here.courier
        if courier is None:
            return
        process.kill(courier, signal.SIGTERM)
        deadline = time.monotonic() + END_SECONDS
        while process.is_alive(courier) and time.monotonic() < deadline:
            meanwhile()
            time.sleep(_LOOK_SECONDS)
        if process.kill(courier, signal.SIGKILL):
            log.warning("the courier did not end and was killed")
        meanwhile()


def _serve(loop: EventLoop, open_instance: OpenInstance) -> Exit:
    instance = open_instance()
    instance.enter(PEER, Entrance.COURIER)
    try:
        ClusteredHost(instance.segment.head).courier = process.me()
        instance.tables = Tables(instance)
        courier = Courier(instance, loop)
        try:
            return courier.run()
        finally:
            courier.close()
    finally:
        instance.leave()
