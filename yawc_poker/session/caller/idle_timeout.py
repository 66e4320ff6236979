"""When a caller last pressed a key, and what follows from that: a warning, then the end.

A key moves no alarm. When the alarm fires, it is set anew from the last key.
"""

import time

from yawc_poker.casino.presence.own_record import OwnRecord
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.session.caller.endings import IdleTooLong

WARNING = 60.0
"""Seconds between the warning and the end of an idle call, but never more than half of what is allowed."""


class IdleTimeout:
    """The watch over one caller; `limit` seconds without a key end the call."""

    def __init__(self, own: OwnRecord, alarms: Alarms, limit: float) -> None:
        self._own = own
        self._alarms = alarms
        self._limit = limit
        self._warns_after = max(limit - WARNING, limit / 2)
        self._last_key = time.monotonic()
        self._warned = False

    def touch(self) -> None:
        """A key was pressed."""
        self._last_key = time.monotonic()
        self._own.touch(self._last_key)
        self._warned = False

    def watch(self) -> None:
        """Set the alarm `idle`."""
        self._alarms.set("idle", self._last_key + (self._limit if self._warned else self._warns_after))

    def look(self) -> float | None:
        """The alarm fired: return the seconds left if a warning is due, else None. Raise `IdleTooLong`."""
        silent = time.monotonic() - self._last_key
        if silent >= self._limit:
            raise IdleTooLong
        warns = not self._warned and silent >= self._warns_after
        self._warned |= warns
        self.watch()
        return self._limit - silent if warns else None
