"""The metrics as text, in Prometheus' format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).

Owns the format: one HELP and one TYPE line a name, then all its samples; histograms cumulated, in seconds, each with a
bucket for all, a sum and a count. The meaning of the names is in `counters` and `gauges`.
"""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final

from yawc_poker.casino.counters import METRICS, CountReading, Histogram, Metric, read_metrics
from yawc_poker.casino.monitoring.gauges import GAUGES, look
from yawc_poker.ipc.metrics import BOUNDS
from yawc_poker.ipc.segment import Segment

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPED = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_ESCAPED_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})


def exposition(segment: Segment) -> str:
    """Return all metrics of a BBS at this moment. Takes no lock."""
    return "".join(f"{line}\n" for line in _lines(segment))


def _lines(segment: Segment) -> Iterator[str]:
    reading = read_metrics(segment)
    for name in dict.fromkeys(metric.name for metric in METRICS):
        family = [metric for metric in METRICS if metric.name == name]
        yield from _heading(name, family[0].help, family[0].kind)
        for metric in family:
            yield from _counted(metric, reading)
    view = look(segment)
    for gauge in GAUGES:
        yield from _heading(gauge.name, gauge.help, gauge.kind)
        for labels, value in gauge.samples(view):
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
