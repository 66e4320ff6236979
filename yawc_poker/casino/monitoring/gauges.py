"""The state of a BBS at this moment: gauges, and the counters in the segment's head.

Owns reading a segment for them, without a lock, a database or a place in the directory; the segment may be destroyed
meanwhile. Each row of `GAUGES` has a name, its meaning, and a function that returns its samples.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.metadata import version

import msgspec

from yawc_poker.casino.cluster.here import Here
from yawc_poker.casino.counters import MetricKind
from yawc_poker.casino.presence import places
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.engine.house import is_house
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import Cell, TornRead
from yawc_poker.ipc.layout import LAYOUT_VERSION
from yawc_poker.ipc.record import Snapshot
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import Level, Mutex

TABLE_STATES = ("empty", "waiting", "playing", "closing")


class Reading(msgspec.Struct, frozen=True):
    """One look at a segment, for all gauges."""

    segment: Segment
    sessions: list[Snapshot]
    """Those of this host."""
    tables: Counter[str]
    held: list[tuple[Mutex, int]]
    """Locks that are held, and for how many seconds."""


Samples = Iterable[tuple[dict[str, str], float]]
"""Labels and value."""


class Gauge(msgspec.Struct, frozen=True):
    """A metric that is looked up when it is asked for."""

    name: str
    help: str
    samples: Callable[[Reading], Samples]
    kind: MetricKind = "gauge"


def look(segment: Segment) -> Reading:
    """Read sessions, tables and locks once."""
    couriers = places.couriers(segment)
    own = (one for one in segment.records if one.token and not one.is_remote and one.index not in couriers)
    found = (record.snapshot() for record in own)
    held = ((lock, lock.held_for) for lock in segment.locks)
    return Reading(
        segment,
        [one for one in found if one is not None],
        Counter(table_state(cell) for cell in segment.cells),
        [(lock, seconds) for lock, seconds in held if seconds is not None],
    )


def table_state(cell: Cell) -> str:
    """Return the state of a table, one of `TABLE_STATES`, from its header alone; "" if it cannot be read."""
    try:
        header = cell.header()
    except TornRead:
        return ""
    if header.override:
        return "closing"
    if header.current is not None:
        return "playing"
    return "waiting" if any(header.seats) else "empty"


def _one(value: float) -> Samples:
    return [({}, value)]


def _by_place(view: Reading) -> Samples:
    counted = Counter(one.place.kind for one in view.sessions if not is_house(one.user))
    return [({"place": kind.name.lower()}, counted[kind]) for kind in PlaceKind]


def _house(view: Reading) -> Samples:
    return _one(sum(1 for one in view.sessions if is_house(one.user)))


def _room(view: Reading) -> Samples:
    return _one(Here(view.segment.head).span or len(view.segment.records))


def _lag(view: Reading) -> Samples:
    posted = view.segment.head.posted
    return _one(max((posted - one.cursor for one in view.sessions if one.cursor <= posted), default=0))


def _longest(view: Reading) -> Samples:
    for level in Level:
        yield {"lock": level.name.lower()}, max((s for lock, s in view.held if lock.level == level), default=0)


def _held(view: Reading) -> Samples:
    counted = Counter(lock.level for lock, _ in view.held)
    return [({"lock": level.name.lower()}, counted[level]) for level in Level]


def _listener_up(view: Reading) -> Samples:
    listener = view.segment.head.listener
    return _one(listener is not None and process.is_alive(listener))


def _listener_files(view: Reading) -> Samples:
    listener = view.segment.head.listener
    try:
        return _one(len(os.listdir(f"/proc/{listener.pid}/fd"))) if listener is not None else []
    except OSError:
        return []


def _build(view: Reading) -> Samples:
    return [({"version": version("yawc-poker"), "layout": str(LAYOUT_VERSION)}, 1)]


GAUGES = (
    Gauge("yawc_build_info", "The program that serves this; always 1.", _build),
    Gauge(
        "yawc_opened_timestamp_seconds",
        "When this BBS was opened, seconds since the epoch.",
        lambda view: _one(view.segment.head.created),
    ),
    Gauge("yawc_closing", "1 while the BBS closes down.", lambda view: _one(view.segment.head.closing != 0)),
    Gauge("yawc_listener_up", "1 while the listener lives.", _listener_up),
    Gauge("yawc_listener_open_files", "Descriptors the listener has open.", _listener_files),
    Gauge("yawc_sessions", "Sessions by place, without house players.", _by_place),
    Gauge("yawc_house_players", "House players: sessions without a caller.", _house),
    Gauge("yawc_sessions_room", "Sessions there is room for.", _room),
    Gauge(
        "yawc_xmessages_waiting",
        "X-messages that wait for people at a table.",
        lambda view: _one(sum(one.x_waiting for one in view.sessions)),
    ),
    Gauge(
        "yawc_tables",
        "Tables by state.",
        lambda view: [({"state": state}, view.tables[state]) for state in TABLE_STATES],
    ),
    Gauge(
        "yawc_games_running",
        "Games that run or wait for their payout.",
        lambda view: _one(view.tables["playing"] + view.tables["closing"]),
    ),
    Gauge("yawc_locks_held", "Locks held at this moment.", _held),
    Gauge("yawc_lock_held_seconds", "How long the lock held longest has been held, to the second.", _longest),
    Gauge("yawc_ring_lag", "Commands that the session farthest behind has not looked at.", _lag),
    Gauge(
        "yawc_ring_posted_total",
        "Number of the last command posted.",
        lambda view: _one(view.segment.head.posted),
        "counter",
    ),
    Gauge(
        "yawc_ring_waits_total",
        "Commands that had to wait for a reader.",
        lambda view: _one(view.segment.head.waits),
        "counter",
    ),
    Gauge(
        "yawc_ring_expired_total",
        "Commands overwritten before everybody they were for had read them.",
        lambda view: _one(view.segment.head.expired),
        "counter",
    ),
    Gauge("yawc_segment_bytes", "Size of the shared memory.", lambda view: _one(view.segment.layout.size)),
)
"""Every gauge there is, in the order in which it is shown."""
