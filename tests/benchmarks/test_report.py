"""What was measured becomes a page and plots; a quick run of one group, from the command line to the files."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest

from benchmarks.__main__ import write
from benchmarks.page import curves, page
from benchmarks.plot import svg
from benchmarks.report import (
    Curve,
    Figure,
    Line,
    Measured,
    Row,
    Run,
    at_least,
    at_most,
    count,
    figure,
    latest,
    percentile,
    ratio,
    said,
)

OURS = Figure("ring", 100e-6, 250e-6)
ROWS = (
    Row(
        "broadcast",
        "post → last",
        OURS,
        (Figure("C", 50e-6, 80e-6), Figure("Redis", None)),
        (at_most("at most 1.5 times C", 2.0, 1.5), at_most("at most a third of Redis", None, 1 / 3)),
        "Python it is.",
    ),
    Row(
        "throughput",
        "first → last",
        Figure("ring", 20123.4, unit="/s"),
        (Figure("timed", 2.9, unit="/s"),),
        (at_least("at least 5,000 times", 6939.1, 5000),),
        note="Counted by the readers.",
    ),
)
CURVE = Curve(
    "growth", "Growth <all>", "callers", "time", (Line("ours", ((1, 1e-3), (10, 1e-2))), Line("C", ((1, 0),))), "s"
)
RUN = Run("2026-11-22 07:00 UTC", {"Python": "CPython 3.13.0, SQLite 3.40.1", "load": "0.10"}, Measured(ROWS, (CURVE,)))
OTHER = Run(
    "2026-11-21 07:00 UTC",
    {"Python": "CPython 3.9.2, SQLite 3.40.1"},
    Measured(
        (
            msgspec.structs.replace(ROWS[0], ours=Figure("ring", 120e-6), note="As before."),
            msgspec.structs.replace(ROWS[1], what="leftovers", marks=(), note=""),
        ),
        (msgspec.structs.replace(CURVE, lines=(Line("ours", ((1, 2e-3),)), Line("C", ((1, 3),)))),),
    ),
)
"""A run with an older interpreter, of which 3.9 is older than 3.13."""

TABLE = """\
| measured at | 2026-11-22 07:00 UTC |
|---|---|
| Python | CPython 3.13.0, SQLite 3.40.1 |
| load | 0.10 |

## The table

| what | measured from → to | ours | beside it | to reach |
|---|---|---|---|---|
| broadcast | post → last | **100 µs / 250 µs** | C: 50.0 µs / 80.0 µs (2 ×)<br>Redis: not installed | \
at most 1.5 times C: 2, **missed**<br>at most a third of Redis: not measured |
| throughput | first → last | **20,123/s** | timed: 2.90/s (6,939 ×) | at least 5,000 times: 6,939, reached |

## Marks

1 of 3 marks were reached.

- **broadcast**, at most 1.5 times C: 2, **missed**. Python it is.
- **broadcast**, at most a third of Redis: not measured.

## Notes

- **throughput**: Counted by the readers.

![Growth <all>](plots/growth.svg)
"""

SIDE_BY_SIDE = """\
| measured at | 2026-11-22 07:00 UTC | 2026-11-21 07:00 UTC |
|---|---|---|
| Python | CPython 3.13.0, SQLite 3.40.1 | CPython 3.9.2, SQLite 3.40.1 |
| load | 0.10 | – |

## The table

| what | measured from → to | Python | ours | beside it | to reach |
|---|---|---|---|---|---|
| broadcast | post → last | CPython 3.13 | **100 µs / 250 µs** | C: 50.0 µs / 80.0 µs (2 ×)<br>Redis: not installed | \
at most 1.5 times C: 2, **missed**<br>at most a third of Redis: not measured |
|  |  | CPython 3.9 | **120 µs** | C: 50.0 µs / 80.0 µs (2.40 ×)<br>Redis: not installed | \
at most 1.5 times C: 2, **missed**<br>at most a third of Redis: not measured |
| throughput | first → last | CPython 3.13 | **20,123/s** | timed: 2.90/s (6,939 ×) | \
at least 5,000 times: 6,939, reached |
| leftovers | first → last | CPython 3.9 | **20,123/s** | timed: 2.90/s (6,939 ×) | – |

## Marks

1 of 3 marks were reached with CPython 3.13.

- **broadcast**, at most 1.5 times C: 2, **missed**. Python it is.
- **broadcast**, at most a third of Redis: not measured.

0 of 2 marks were reached with CPython 3.9.

- **broadcast**, at most 1.5 times C: 2, **missed**. Python it is.
- **broadcast**, at most a third of Redis: not measured.

## Notes

- **broadcast**: As before.
- **throughput**: Counted by the readers.

The plots show CPython 3.13, unless a line names another interpreter.

![Growth <all>](plots/growth.svg)
"""


def test_a_run_becomes_a_page() -> None:
    written = page([RUN])
    assert written.startswith("# Benchmarks\n")
    assert written[written.index("| measured at") :] == TABLE


def test_two_interpreters_stand_side_by_side() -> None:
    written = page([RUN, OTHER])
    assert written[written.index("| measured at") :] == SIDE_BY_SIDE


def test_a_plot_has_our_line_of_each_interpreter() -> None:
    (drawn,) = curves([RUN, OTHER])
    assert [line.name for line in drawn.lines] == ["ours", "C", "ours, CPython 3.9"]
    assert drawn.lines[2] == Line("ours, CPython 3.9", ((1, 2e-3),))
    assert curves([RUN]) == [CURVE]


def test_the_last_run_of_each_interpreter_counts_and_the_newest_interpreter_comes_first() -> None:
    again = msgspec.structs.replace(OTHER, at="later")
    assert latest([OTHER, RUN, again]) == [RUN, again]


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.0000434, "s", "43.4 µs"),
        (0.0029, "s", "2.90 ms"),
        (1.5, "s", "1.50 s"),
        (84, "B", "84 bytes"),
        (2_345_000, "B", "2.35 MB"),
        (0.25, "%", "0.25 %"),
        (0.0, "%", "0 %"),
        (658008, "/s", "658,008/s"),
        (0.000123, "", "0.00012"),
        (None, "s", "not installed"),
    ],
)
def test_numbers_have_three_digits_and_a_unit(value: float | None, unit: str, expected: str) -> None:
    assert said(value, unit) == expected


def test_a_figure_is_the_median_of_the_repetitions() -> None:
    calm, busy, calmer = [1.0] * 99 + [5.0], [2.0] * 99 + [90.0], [3.0] * 99 + [7.0]
    assert figure("ours", [busy, calm, calmer]) == Figure("ours", 2.0, 7.0)
    assert count("ours", [3, 1, 2], "/s") == Figure("ours", 2, None, "/s")


def test_what_was_not_measured_is_missing() -> None:
    missing = figure("Redis", [])
    assert missing.p50 is None
    assert ratio(OURS, missing) is None
    assert not at_most("", None, 1).met
    assert not at_least("", None, 1).met


def test_marks_are_met_up_to_their_bounds() -> None:
    assert at_most("", 2.5, 2.5).met
    assert not at_most("", 2.51, 2.5).met
    assert at_least("", 2, 2).met
    assert not at_least("", 1.99, 2).met


def test_a_percentile_of_few_is_one_of_them() -> None:
    assert percentile([7.0], 0.99) == 7.0
    assert percentile([float(number) for number in range(100)], 0.99) == 99.0


def test_a_curve_is_drawn_from_corner_to_corner() -> None:
    drawing = ElementTree.fromstring(svg(CURVE))
    circles = [(float(circle.attrib["cx"]), float(circle.attrib["cy"])) for circle in drawing.iterfind("{*}circle")]
    assert circles == [(80, 330), (530, 40)]  # a zero has no place on a logarithmic axis
    texts = [text.text for text in drawing.iterfind("{*}text")]
    assert "Growth <all>" in texts
    assert texts.count("1 ms") == texts.count("10 ms") == 1


def test_a_linear_curve_begins_at_zero() -> None:
    linear = msgspec.structs.replace(CURVE, lines=(Line("ours", ((0, 0), (4, 0.004))),), linear=True)
    circles = list(ElementTree.fromstring(svg(linear)).iterfind("{*}circle"))
    assert [(circle.attrib["cx"], circle.attrib["cy"]) for circle in circles] == [("80.0", "330.0"), ("530.0", "40.0")]


def test_the_last_run_of_each_interpreter_is_kept(tmp_path: Path) -> None:
    for run in (OTHER, msgspec.structs.replace(RUN, at="day 2"), msgspec.structs.replace(RUN, at="day 3")):
        write(run, tmp_path)
    runs = msgspec.json.decode((tmp_path / "runs.json").read_bytes(), type=list[Run])
    assert [run.at for run in runs] == ["day 3", OTHER.at]
    assert f"| measured at | day 3 | {OTHER.at} |" in (tmp_path / "results.md").read_text()
    assert "ours, CPython 3.9" in (tmp_path / "plots" / "growth.svg").read_text()


def test_a_quick_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--only", "broadcast", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = (tmp_path / "results.md").read_text()
    assert "| broadcast, 5 receivers |" in results
    assert "deliveries lost: 0, reached" in results


def test_programs_that_are_measured_are_started_and_not_forked() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_VERSION"}
    told = "from tests.end_to_end.bbs import Bbs; print(Bbs.is_forked)"
    done = subprocess.run(
        [sys.executable, "-c", told], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"
