"""Which records of the directory are for whom: callers, callers by terminal, control processes, house players.

Owns the division, which is fixed when the segment is made. Two words of the head hold the numbers of callers' and of
house players' records; the callers' come first, then those of terminals and of control processes, then the house
players'. No process takes a record of another kind, so none of the kinds can keep the others out.

Where several hosts are one casino, each host's records are divided so, and the last one is its courier's. Which of them
are this host's is known once it has its place among the others (`LocalHost.records`).
"""

from enum import Enum
from typing import Final

from yawc_poker.casino.local_host import local_host
from yawc_poker.ipc.layout import Layout, user_words
from yawc_poker.ipc.segment import Segment

TERMINALS: Final = 16
"""Sessions by terminal at once."""
CONTROLS: Final = 16
"""Control processes at once; the listener lets in as many (`doors.DoorKind.limit`)."""

LEAVING: Final = 32
"""Sessions that were asked to go for others, and still have their record."""

_CALLERS_WORD, _HOUSE_WORD = user_words(__name__, (2, 3))
"""Hold the number of callers' records, 0 where every record is for every kind, and of house players' records."""


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
    COURIER = "courier"
    """The process that speaks with other hosts; where there is one host, it has no record."""


def layout(callers: int, tables: int, house: int = 0, hosts: int = 0) -> Layout:
    """Return the layout of a segment with these numbers of records for callers and house players, and for all others.

    `tables` is the number of tables, `hosts` how many hosts there may be; 0: there is but this one, and no courier.
    """
    span = callers + TERMINALS + CONTROLS + house + bool(hosts)
    return Layout(sessions=span * max(hosts, 1), tables=tables)


def divide(segment: Segment, house: int = 0, hosts: int = 0) -> None:
    """Note the division in a new segment that has this layout."""
    span = len(segment.records) // max(hosts, 1)
    segment.head.user[_CALLERS_WORD] = span - TERMINALS - CONTROLS - house - bool(hosts)
    segment.head.user[_HOUSE_WORD] = house


def records_for(segment: Segment, entrance: Entrance) -> range:
    """Return the records of this host for processes that come by this entrance."""
    callers, house = segment.head.user[_CALLERS_WORD], segment.head.user[_HOUSE_WORD]
    own = local_host(segment.head).records
    first, last = (0, len(segment.records)) if own is None else (own.start, own.stop - 1)
    if not callers:
        return range(len(segment.records))
    terminals = first + callers
    controls = terminals + TERMINALS
    match entrance:
        case Entrance.DOOR:
            return range(first, terminals)
        case Entrance.TERMINAL:
            return range(terminals, controls)
        case Entrance.CONTROL:
            return range(controls, last - house)
        case Entrance.HOUSE:
            return range(last - house, last)
        case Entrance.COURIER:
            return range(last, last if own is None else own.stop)


def couriers(segment: Segment) -> range:
    """Return the record of this host's courier, which is no caller's nor a house player's; empty: there is none."""
    return records_for(segment, Entrance.COURIER) if local_host(segment.head).is_clustered else range(0)


def is_house_players(segment: Segment, index: int) -> bool:
    """Return whether a record is for a house player, of whichever host."""
    span, last = local_host(segment.head).span, len(segment.records)
    if span:
        index, last = index % span, span - 1
    return last - segment.head.user[_HOUSE_WORD] <= index < last
