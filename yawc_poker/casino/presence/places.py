"""Which records of the directory are for whom: callers, callers by terminal, control processes.

Owns the division, which is fixed when the segment is made. A word of the head holds the number of callers' records;
those of terminals and of control processes follow them. No process takes a record of another kind, so none of the three
kinds can keep the others out.
"""

from enum import Enum
from typing import Final

from yawc_poker.ipc.layout import Layout
from yawc_poker.ipc.segment import Segment

TERMINALS: Final = 16
"""Sessions by terminal at once."""
CONTROLS: Final = 16
"""Control processes at once; the listener lets in as many (`telnetd.doors.kinds.Door.limit`)."""

_CALLERS_WORD: Final = 2
"""Which of the head's free words holds the number of callers' records; 0: every record is for every kind."""


class Entrance(Enum):
    """How a process came to the directory."""

    DOOR = "door"
    """A caller whom the listener accepted."""
    TERMINAL = "terminal"
    """A caller of whom the listener does not know: at the console, or by ssh."""
    CONTROL = "control"
    """A process that carries out a control request."""


def layout(callers: int, tables: int) -> Layout:
    """Return the layout of a segment with this number of records for callers, and those of all others."""
    return Layout(sessions=callers + TERMINALS + CONTROLS, tables=tables)


def divide(segment: Segment) -> None:
    """Note the division in a new segment that has this layout."""
    segment.head.user[_CALLERS_WORD] = len(segment.records) - TERMINALS - CONTROLS


def places(segment: Segment, entrance: Entrance) -> range:
    """Return the records for processes that come by this entrance."""
    callers = segment.head.user[_CALLERS_WORD]
    if not callers:
        return range(len(segment.records))
    if entrance is Entrance.DOOR:
        return range(callers)
    if entrance is Entrance.TERMINAL:
        return range(callers, callers + TERMINALS)
    return range(callers + TERMINALS, len(segment.records))
