"""The process that a host may have beside its sessions, as the listener sees it. A host that is the only one has none.

Where an extra makes one casino of several hosts, it keeps its host in touch with the others: the listener forks it,
forks another one when it has died, and ends it last (`recovery.Host.companion`).
"""

import math
from collections.abc import Callable

from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.segment import Segment
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance


class Companion:
    """What the listener knows of it."""

    door = "courier"
    """What it is called among the processes that the listener has forked."""

    def __init__(self, segment: Segment) -> None:
        self._head = segment.head

    @property
    def identity(self) -> Identity | None:
        """Its process, which may have died; None: there was none yet."""
        return None

    # --- its life -----------------------------------------------------------------------------------------------------

    def due(self, now: float) -> float:
        """Return the seconds until one has to be forked, or looked after; infinite: none is needed.

        `now` is in monotonic seconds.
        """
        return math.inf

    def watch(self, now: float) -> None:
        """Kill one that stands still."""

    def serve(self, open_instance: OpenInstance) -> Exit:
        """Be one, until it is asked to end; this is the forked process. Never raises."""
        return Exit.OK

    def forked(self, pid: int, now: float) -> None:
        """Note that one was forked."""

    def put_off(self, now: float) -> None:
        """Note that one could not be forked."""

    def replace(self) -> None:
        """Make the one of a former program end, so that one of this program is forked."""

    # --- closing ------------------------------------------------------------------------------------------------------

    def begin_end(self) -> None:
        """Let all know that this BBS closes, or this host, while others go on."""
        self._head.closing = 1

    def end(self, meanwhile: Callable[[], None]) -> None:
        """Make it end and wait for that; `meanwhile` is called again and again, to reap children."""
