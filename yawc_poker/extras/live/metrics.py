"""The metrics of a BBS as text, in Prometheus' format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).

Owns the gauges, each with its name, its meaning, and a function from a snapshot to its samples; and the format: one
HELP and one TYPE line a name, then all its samples; histograms cumulated, in seconds, each with a bucket for all, a sum
and a count. Counters and histograms are those of `casino.counters`.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

import msgspec

from yawc_poker import __version__
from yawc_poker.casino.counters import METRICS, CountReading, Histogram, Metric, MetricKind
from yawc_poker.casino.presence.directory import PlaceKind, SessionInfo
from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.ipc.cell import Header
from yawc_poker.ipc.layout import LAYOUT_VERSION
from yawc_poker.ipc.metrics import BOUNDS
from yawc_poker.ipc.semaphore import LockLevel

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
TABLE_STATES: Final = ("empty", "waiting", "playing", "closing")
_ESCAPED = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_ESCAPED_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})

Samples = Iterable[tuple[dict[str, str], float]]
"""Labels and value."""


class Gauge(msgspec.Struct, frozen=True):
    """A metric that is looked up when it is asked for."""

    name: str
    help: str
    samples: Callable[[Snapshot], Samples]
    kind: MetricKind = "gauge"


def _sessions(seen: Snapshot) -> list[SessionInfo]:
    """Return the sessions of this host, control processes among them."""
    return [one for one in seen.near if one.index not in seen.courier]


def _by_state(seen: Snapshot) -> Counter[str]:
    """Count the tables by state, but for those that cannot be read."""
    return Counter(_state(header) for header in seen.tables if header is not None)


def _state(header: Header) -> str:
    if header.override:
        return "closing"
    if header.current is not None:
        return "playing"
    return "waiting" if any(header.seats) else "empty"


def _one(value: float) -> Samples:
    return [({}, value)]


def _by_place(seen: Snapshot) -> Samples:
    counted = Counter(one.place.kind for one in _sessions(seen) if not one.is_house)
    return [({"place": kind.name.lower()}, counted[kind]) for kind in PlaceKind]


def _house(seen: Snapshot) -> Samples:
    return _one(sum(1 for one in _sessions(seen) if one.is_house))


def _lag(seen: Snapshot) -> Samples:
    return _one(max((seen.posted - one.cursor for one in _sessions(seen) if one.cursor <= seen.posted), default=0))


def _tables(seen: Snapshot) -> Samples:
    counted = _by_state(seen)
    return [({"state": state}, counted[state]) for state in TABLE_STATES]


def _games(seen: Snapshot) -> Samples:
    counted = _by_state(seen)
    return _one(counted["playing"] + counted["closing"])


def _longest(seen: Snapshot) -> Samples:
    for level in LockLevel:
        yield {"lock": level.name.lower()}, max((one.seconds for one in seen.held if one.level == level), default=0)


def _held(seen: Snapshot) -> Samples:
    counted = Counter(one.level for one in seen.held)
    return [({"lock": level.name.lower()}, counted[level]) for level in LockLevel]


def _listener_files(seen: Snapshot) -> Samples:
    try:
        return _one(len(os.listdir(f"/proc/{seen.listener.pid}/fd"))) if seen.listener is not None else []
    except OSError:
        return []


def _build(seen: Snapshot) -> Samples:
    return [({"version": __version__, "layout": str(LAYOUT_VERSION)}, 1)]


GAUGES = (
    Gauge("yawc_build_info", "The program that serves this; always 1.", _build),
    Gauge(
        "yawc_opened_timestamp_seconds",
        "When this BBS was opened, seconds since the epoch.",
        lambda seen: _one(seen.created),
    ),
    Gauge("yawc_closing", "1 while the BBS closes down.", lambda seen: _one(seen.closing)),
    Gauge("yawc_listener_up", "1 while the listener lives.", lambda seen: _one(seen.is_served)),
    Gauge("yawc_listener_open_files", "Descriptors the listener has open.", _listener_files),
    Gauge("yawc_sessions", "Sessions by place, without house players.", _by_place),
    Gauge("yawc_house_players", "House players: sessions without a caller.", _house),
    Gauge("yawc_sessions_room", "Sessions there is room for.", lambda seen: _one(seen.room)),
    Gauge(
        "yawc_xmessages_waiting",
        "X-messages that wait for people at a table.",
        lambda seen: _one(sum(one.x_waiting for one in _sessions(seen))),
    ),
    Gauge("yawc_tables", "Tables by state.", _tables),
    Gauge("yawc_games_running", "Games that run or wait for their payout.", _games),
    Gauge("yawc_locks_held", "Locks held at this moment.", _held),
    Gauge("yawc_lock_held_seconds", "How long the lock held longest has been held, to the second.", _longest),
    Gauge("yawc_ring_lag", "Commands that the session farthest behind has not looked at.", _lag),
    Gauge("yawc_ring_posted_total", "Number of the last command posted.", lambda seen: _one(seen.posted), "counter"),
    Gauge("yawc_ring_waits_total", "Commands that had to wait for a reader.", lambda seen: _one(seen.waits), "counter"),
    Gauge(
        "yawc_ring_expired_total",
        "Commands overwritten before everybody they were for had read them.",
        lambda seen: _one(seen.expired),
        "counter",
    ),
    Gauge("yawc_segment_bytes", "Size of the shared memory.", lambda seen: _one(seen.size)),
)
"""Every gauge there is, in the order in which it is shown."""


# --- the format -------------------------------------------------------------------------------------------------------


def exposition(seen: Snapshot) -> str:
    """Return all metrics of a snapshot."""
    return "".join(f"{line}\n" for line in _lines(seen))


def _lines(seen: Snapshot) -> Iterator[str]:
    for name in dict.fromkeys(metric.name for metric in METRICS):
        family = [metric for metric in METRICS if metric.name == name]
        yield from _heading(name, family[0].help, family[0].kind)
        for metric in family:
            yield from _counted(metric, seen.counts)
    for gauge in GAUGES:
        yield from _heading(gauge.name, gauge.help, gauge.kind)
        for labels, value in gauge.samples(seen):
            yield _sample(gauge.name, labels, value)


def _heading(name: str, text: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {text.translate(_ESCAPED_HELP)}"
    yield f"# TYPE {name} {kind}"


def _counted(metric: Metric, reading: CountReading) -> Iterator[str]:
    labels = {metric.label: metric.value} if metric.label else {}
    if metric.kind == "histogram":
        yield from _histogram(metric.name, labels, reading.histogram(metric.word))
    else:
        yield _sample(metric.name, labels, reading.counter(metric.word))


def _histogram(name: str, labels: Mapping[str, str], histogram: Histogram) -> Iterator[str]:
    limits = (*(f"{bound:.10g}" for bound in BOUNDS), "+Inf")
    for limit, count in zip(limits, accumulate(histogram.buckets), strict=True):
        yield _sample(f"{name}_bucket", {**labels, "le": limit}, count)
    yield _sample(f"{name}_sum", labels, histogram.seconds)
    yield _sample(f"{name}_count", labels, histogram.count)


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    shown = ",".join(f'{label}="{text.translate(_ESCAPED)}"' for label, text in labels.items())
    number = int(value) if float(value).is_integer() else value
    return f"{name}{{{shown}}} {number}" if shown else f"{name} {number}"
