"""Which records of the directory are for whom: callers, callers by terminal, control processes, house players.

Owns the division, which is fixed when the segment is made. Two words of the head hold the numbers of callers' and of
house players' records; the callers' come first, then those of terminals and of control processes, then the house
players'. No process takes a record of another kind, so none of the kinds can keep the others out.
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
_HOUSE_WORD: Final = 3
"""Which one holds the number of house players' records."""


class Entrance(Enum):
    """How a process came to the directory."""

    DOOR = "door"
    """A caller whom the listener accepted."""
    TERMINAL = "terminal"
    """A caller at a terminal of this machine, of whom the listener may not know."""
    CONTROL = "control"
    """A process that carries out a control request."""
    HOUSE = "house"
    """A house player, who has no caller."""


def layout(callers: int, tables: int, house: int = 0) -> Layout:
    """Return the layout of a segment with these numbers of records for callers and house players, and for all others.

    `tables` is the number of tables.
    """
    return Layout(sessions=callers + TERMINALS + CONTROLS + house, tables=tables)


def divide(segment: Segment, house: int = 0) -> None:
    """Note the division in a new segment that has this layout."""
    segment.head.user[_CALLERS_WORD] = len(segment.records) - TERMINALS - CONTROLS - house
    segment.head.user[_HOUSE_WORD] = house


def places(segment: Segment, entrance: Entrance) -> range:
    """Return the records for processes that come by this entrance."""
    callers, house = segment.head.user[_CALLERS_WORD], segment.head.user[_HOUSE_WORD]
    if not callers:
        return range(len(segment.records))
    controls = callers + TERMINALS
    match entrance:
        case Entrance.DOOR:
            return range(callers)
        case Entrance.TERMINAL:
            return range(callers, controls)
        case Entrance.CONTROL:
            return range(controls, len(segment.records) - house)
        case Entrance.HOUSE:
            return range(len(segment.records) - house, len(segment.records))
