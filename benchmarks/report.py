"""The measurements as values, and the page `benchmarks/results.md` that is written from them.

Owns the words and the layout of that page; measures nothing and knows no benchmark. A group of benchmarks returns a
`Measured`; a `Run` is all of them on one machine at one time. Values are stored in seconds, bytes and counts, and get
their prefix (µs, MB) when they are written. A missing value is None, and the page says so.
"""

import statistics
from collections.abc import Iterable, Iterator, Sequence

import msgspec

TITLE = "# Benchmarks"
ABOUT = """\
Written by `make bench`, which measures everything in one go, ours and its peers by the same client code. Figures are
p50 / p99, each the median of those of at least five repetitions unless its row says otherwise; behind a peer stands
how many times its p50 ours is. µs, ms: less is better; what is told per second (`/s`): more is better. MB are 10^6
bytes."""


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


# --- the page ---------------------------------------------------------------------------------------------------------


def page(run: Run, before: Run | None = None) -> str:
    """Return the page of a run, with the p50 of the previous run for comparison."""
    parts = [TITLE, ABOUT, _facts(run), _table(run.measured.rows), _marks(run.measured.rows), _notes(run.measured.rows)]
    if before is not None:
        parts.append(_comparison(run, before))
    parts += [f"![{one.title}](plots/{one.name}.svg)" for one in run.measured.curves]
    return "\n\n".join(part for part in parts if part) + "\n"


def said(value: float | None, unit: str) -> str:
    """Return a number with three digits and its unit."""
    if value is None:
        return "not installed"
    if unit == "s":
        value, unit = _scaled(value, (("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)))
    elif unit == "B":
        value, unit = _scaled(value, (("bytes", 1.0), ("kB", 1e3), ("MB", 1e6)))
    gap = "" if unit in ("", "/s") else " "
    return f"{_digits(value)}{gap}{unit}"


def _scaled(value: float, scales: Sequence[tuple[str, float]]) -> tuple[float, str]:
    unit, size = next(((unit, size) for unit, size in reversed(scales) if abs(value) >= size), scales[0])
    return value / size, unit


def _digits(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    places = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{places}f}" if abs(value) >= 0.01 else f"{value:.2g}"


def _figure(figure: Figure) -> str:
    tail = f" / {said(figure.p99, figure.unit)}" if figure.p99 is not None else ""
    return said(figure.p50, figure.unit) + tail


def _beside(ours: Figure, peer: Figure) -> str:
    times = ratio(ours, peer) if ours.unit == peer.unit else None
    return f"{peer.name}: {_figure(peer)}" + (f" ({_digits(times)} ×)" if times is not None else "")


def _facts(run: Run) -> str:
    facts = (f"| {name} | {value} |" for name, value in run.facts.items())
    return "\n".join([f"| measured at | {run.at} |", "|---|---|", *facts])


def _table(rows: Sequence[Row]) -> str:
    lines = ["## The table", "", "| what | measured from → to | ours | beside it | to reach |", "|---|---|---|---|---|"]
    for row in rows:
        ours = f"**{_figure(row.ours)}**"
        beside = "<br>".join(_beside(row.ours, peer) for peer in row.beside) or "–"
        marks = "<br>".join(map(_mark, row.marks)) or "–"
        lines.append(f"| {row.what} | {row.measured} | {ours} | {beside} | {marks} |")
    return "\n".join(lines)


def _mark(mark: Mark) -> str:
    if mark.reached is None:
        return f"{mark.text}: not measured"
    return f"{mark.text}: {said(mark.reached, mark.unit)}, {'reached' if mark.met else '**missed**'}"


def _marks(rows: Sequence[Row]) -> str:
    """Return how many marks were reached, and why the others were missed."""
    marks = [mark for row in rows for mark in row.marks]
    if not marks:
        return ""
    missed = list(_missed(rows))
    head = f"{sum(mark.met for mark in marks)} of {len(marks)} marks were reached."
    return "\n".join(["## Marks", "", head, *([""] if missed else []), *missed])


def _missed(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        for mark in row.marks:
            if not mark.met:
                why = row.why if mark.reached is not None else ""
                yield f"- **{row.what}**, {_mark(mark)}. {why}".rstrip()


def _notes(rows: Sequence[Row]) -> str:
    lines = [f"- **{row.what}**: {row.note}" for row in rows if row.note]
    return "\n".join(["## Notes", "", *lines]) if lines else ""


def _comparison(run: Run, before: Run) -> str:
    """Return a comparison of the p50 of two runs, which shows how reliable the figures are."""
    earlier = {row.what: row for row in before.measured.rows}
    lines = ["## And the run before", "", f"| ours, p50 | {run.at} | {before.at} |", "|---|---|---|"]
    for row in run.measured.rows:
        other = earlier.get(row.what)
        then = said(other.ours.p50, other.ours.unit) if other else "–"
        lines.append(f"| {row.what} | {said(row.ours.p50, row.ours.unit)} | {then} |")
    different = [name for name, value in run.facts.items() if before.facts.get(name, value) != value]
    if different:
        told = "; ".join(f"{name}: {before.facts[name]}" for name in different)
        lines += ["", f"Other then: {told}."]
    return "\n".join(lines)
