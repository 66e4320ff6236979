"""The measurements as values; `page.py` writes them down.

Measures nothing and knows no benchmark. A group of benchmarks returns a `Measured`; a `Run` is all of them on one
machine at one time, with one interpreter. Values are stored in seconds, bytes and counts, and get their prefix (µs, MB)
when they are written. A missing value is None, and the page says so.
"""

import statistics
from collections.abc import Iterable, Sequence

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """One measured thing. `p50` None: its peer is not installed here; `p99` None: there is none, as of a count."""

    name: str
    p50: float | None
    p99: float | None = None
    unit: str = "s"
    """`s`, `B`, `/s`, `%`, or a word; the first two get SI prefixes."""


class Mark(msgspec.Struct, frozen=True):
    """A target and the value that was reached."""

    text: str
    reached: float | None
    bound: float
    met: bool
    unit: str = ""
    """The unit of `reached`; a ratio has none."""


class Row(msgspec.Struct, frozen=True):
    """One line of the table."""

    what: str
    measured: str
    """The start and the end of the measured interval."""
    ours: Figure
    beside: tuple[Figure, ...] = ()
    marks: tuple[Mark, ...] = ()
    why: str = ""
    """The reason why a mark is missed, in one sentence."""
    note: str = ""
    """Remarks needed to read it."""


class Line(msgspec.Struct, frozen=True):
    """One line of a plot."""

    name: str
    points: tuple[tuple[float, float], ...]


class Curve(msgspec.Struct, frozen=True):
    """One plot; `name` is the name of its file. Both axes are logarithmic unless `linear`."""

    name: str
    title: str
    across: str
    upwards: str
    lines: tuple[Line, ...]
    unit: str = ""
    """The unit of the vertical axis, as in `Figure`."""
    linear: bool = False


class Measured(msgspec.Struct, frozen=True):
    """The results of a group of benchmarks."""

    rows: Sequence[Row]
    curves: Sequence[Curve] = ()


class Run(msgspec.Struct, frozen=True):
    """All results of a run."""

    at: str
    facts: dict[str, str]
    """Machine, kernel, versions: name to value."""
    measured: Measured

    @property
    def interpreter(self) -> str:
        """The kind of interpreter and its minor version, such as `CPython 3.13`."""
        return self.facts["Python"].partition(",")[0].rpartition(".")[0]

    @property
    def version(self) -> tuple[int, ...]:
        """The numbers of that version."""
        return tuple(map(int, self.interpreter.rpartition(" ")[2].split(".")))


def latest(runs: Iterable[Run]) -> list[Run]:
    """Return the last run of each interpreter, the newest interpreter first."""
    found = {run.interpreter: run for run in runs}
    return sorted(found.values(), key=lambda run: run.version, reverse=True)


# --- making figures ---------------------------------------------------------------------------------------------------


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile of sorted values for this share."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def figure(name: str, repetitions: Sequence[Iterable[float]], unit: str = "s") -> Figure:
    """Return the figure of some repetitions: the medians of their p50 and p99. Without repetitions it is missing."""
    runs = [sorted(one) for one in repetitions]
    if not runs:
        return Figure(name, None, None, unit)
    middles = statistics.median(percentile(run, 0.5) for run in runs)
    return Figure(name, middles, statistics.median(percentile(run, 0.99) for run in runs), unit)


def count(name: str, repetitions: Sequence[float], unit: str) -> Figure:
    """Return the figure of one number per repetition: their median, without p99."""
    return Figure(name, statistics.median(repetitions) if repetitions else None, None, unit)


def ratio(ours: Figure, peer: Figure) -> float | None:
    """Return the ratio of our p50 to the peer's, if both were measured."""
    return ours.p50 / peer.p50 if ours.p50 is not None and peer.p50 else None


def at_most(text: str, reached: float | None, bound: float, unit: str = "") -> Mark:
    """Return a mark with an upper bound."""
    return Mark(text, reached, bound, reached is not None and reached <= bound, unit)


def at_least(text: str, reached: float | None, bound: float, unit: str = "") -> Mark:
    """Return a mark with a lower bound."""
    return Mark(text, reached, bound, reached is not None and reached >= bound, unit)


# --- writing numbers --------------------------------------------------------------------------------------------------


def said(value: float | None, unit: str) -> str:
    """Return a number with three digits and its unit."""
    if value is None:
        return "not installed"
    if unit == "s":
        value, unit = _scaled(value, (("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)))
    elif unit == "B":
        value, unit = _scaled(value, (("bytes", 1.0), ("kB", 1e3), ("MB", 1e6)))
    gap = "" if unit in ("", "/s") else " "
    return f"{digits(value)}{gap}{unit}"


def _scaled(value: float, scales: Sequence[tuple[str, float]]) -> tuple[float, str]:
    unit, size = next(((unit, size) for unit, size in reversed(scales) if abs(value) >= size), scales[0])
    return value / size, unit


def digits(value: float) -> str:
    """Return a number with three digits."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    places = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{places}f}" if abs(value) >= 0.01 else f"{value:.2g}"
