"""The page `benchmarks/results.md`, from the last run of each interpreter. Pure: values in, text out.

Owns the words and the layout of that page. Where there are several runs, each row of the table has a line for each,
beside its own peers; the first run's come first, and its plots are shown.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from benchmarks.report import Curve, Figure, Line, Mark, Row, Run, digits, ratio, said

TITLE = "# Benchmarks"
ABOUT = """\
Written by `make bench`, which measures everything in one go, ours and its peers by the same client code. Figures are
p50 / p99, each the median of those of at least five repetitions unless its row says otherwise; behind a peer stands
how many times its p50 ours is. µs, ms: less is better; what is told per second (`/s`): more is better. MB are 10^6
bytes."""
OURS = "ours"
"""The line of a plot that is drawn for every run."""


def page(runs: Sequence[Run]) -> str:
    """Return the page of some runs, each with another interpreter."""
    parts = [TITLE, ABOUT, _facts(runs), _table(runs), _marks(runs), _notes(runs)]
    if len(runs) > 1:
        parts.append(f"The plots show {runs[0].interpreter}, unless a line names another interpreter.")
    parts += [f"![{one.title}](plots/{one.name}.svg)" for one in runs[0].measured.curves]
    return "\n\n".join(part for part in parts if part) + "\n"


def curves(runs: Sequence[Run]) -> list[Curve]:
    """Return the plots of the first run, with the line that is ours from each run."""
    return [
        replace(curve, lines=(*curve.lines, *(line for run in runs[1:] for line in _ours(run, curve.name))))
        for curve in runs[0].measured.curves
    ]


def _ours(run: Run, curve: str) -> Iterator[Line]:
    for one in run.measured.curves:
        if one.name == curve:
            yield from (replace(line, name=f"{OURS}, {run.interpreter}") for line in one.lines if line.name == OURS)


def _facts(runs: Sequence[Run]) -> str:
    names = dict.fromkeys(name for run in runs for name in run.facts)
    rows = [_line(name, *(run.facts.get(name, "–") for run in runs)) for name in names]
    return "\n".join([_line("measured at", *(run.at for run in runs)), f"|---{'|---' * len(runs)}|", *rows])


# --- the table --------------------------------------------------------------------------------------------------------


def _table(runs: Sequence[Run]) -> str:
    head = ["what", "measured from → to", *_on(runs, "Python"), "ours", "beside it", "to reach"]
    lines = ["## The table", "", _line(*head), f"|{'---|' * len(head)}"]
    for what in _names(runs):
        rows = [(run.interpreter, row) for run in runs for row in run.measured.rows if row.what == what]
        for number, (interpreter, row) in enumerate(rows):
            told = ("", "") if number else (what, row.measured)
            lines.append(_line(*told, *_on(runs, interpreter), *_cells(row)))
    return "\n".join(lines)


def _names(runs: Sequence[Run]) -> list[str]:
    """Return what was measured, in the order of the first run; what only another run has comes last."""
    return list(dict.fromkeys(row.what for run in runs for row in run.measured.rows))


def _on(runs: Sequence[Run], cell: str) -> list[str]:
    """Return a cell of the column that tells runs apart, if there are several."""
    return [cell] if len(runs) > 1 else []


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(row: Row) -> tuple[str, str, str]:
    beside = "<br>".join(_beside(row.ours, peer) for peer in row.beside) or "–"
    return f"**{_figure(row.ours)}**", beside, "<br>".join(map(_mark, row.marks)) or "–"


def _figure(figure: Figure) -> str:
    tail = f" / {said(figure.p99, figure.unit)}" if figure.p99 is not None else ""
    return said(figure.p50, figure.unit) + tail


def _beside(ours: Figure, peer: Figure) -> str:
    times = ratio(ours, peer) if ours.unit == peer.unit else None
    return f"{peer.name}: {_figure(peer)}" + (f" ({digits(times)} ×)" if times is not None else "")


def _mark(mark: Mark) -> str:
    if mark.reached is None:
        return f"{mark.text}: not measured"
    return f"{mark.text}: {said(mark.reached, mark.unit)}, {'reached' if mark.met else '**missed**'}"


# --- below it ---------------------------------------------------------------------------------------------------------


def _marks(runs: Sequence[Run]) -> str:
    """Return how many marks each run reached, and why the others were missed."""
    told = []
    for run in runs:
        marks = [mark for row in run.measured.rows for mark in row.marks]
        missed = list(_missed(run.measured.rows))
        by = f" with {run.interpreter}" if len(runs) > 1 else ""
        head = f"{sum(mark.met for mark in marks)} of {len(marks)} marks were reached{by}."
        told += ["\n".join([head, *([""] if missed else []), *missed])] if marks else []
    return "\n\n".join(["## Marks", *told]) if told else ""


def _missed(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        for mark in row.marks:
            if not mark.met:
                why = row.why if mark.reached is not None else ""
                yield f"- **{row.what}**, {_mark(mark)}. {why}".rstrip()


def _notes(runs: Sequence[Run]) -> str:
    """Return the remarks, each as the first run that has it tells it."""
    notes = {row.what: row.note for run in reversed(runs) for row in run.measured.rows if row.note}
    lines = [f"- **{what}**: {notes[what]}" for what in _names(runs) if what in notes]
    return "\n".join(["## Notes", "", *lines]) if lines else ""
