"""An alarm that is moved often, mostly to where it is already."""

from yawc_poker.ipc.alarms import Alarms


class MovingAlarm:
    """The alarm of one name, which nobody else sets."""

    def __init__(self, alarms: Alarms, name: str) -> None:
        self._alarms = alarms
        self._name = name
        self._moment: float | None = None

    def move(self, moment: float | None) -> None:
        """Set the alarm for this moment, in monotonic seconds, unless it is set for it already; None: cancel it."""
        if moment is None:
            self._alarms.cancel(self._name)
        elif moment != self._moment:
            self._alarms.set(self._name, moment)
        self._moment = moment
