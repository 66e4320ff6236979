"""What was measured becomes a page and plots; a quick run of one group, from the command line to the files."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest

from benchmarks.__main__ import write
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
    page,
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
RUN = Run("2026-11-22 07:00 UTC", {"kernel": "Linux 6.1", "load": "0.10"}, Measured(ROWS, (CURVE,)))

TABLE = """\
| measured at | 2026-11-22 07:00 UTC |
|---|---|
| kernel | Linux 6.1 |
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

COMPARISON = """\
## And the run before

| ours, p50 | 2026-11-22 07:00 UTC | 2026-11-21 07:00 UTC |
|---|---|---|
| broadcast | 100 µs | 120 µs |
| throughput | 20,123/s | – |

Other then: load: 3.00.
"""


def test_a_run_becomes_a_page() -> None:
    written = page(RUN)
    assert written.startswith("# Benchmarks\n")
    assert written[written.index("| measured at") :] == TABLE


def test_the_run_before_stands_beside() -> None:
    before = Run(
        "2026-11-21 07:00 UTC",
        {"kernel": "Linux 6.1", "load": "3.00"},
        Measured((msgspec.structs.replace(ROWS[0], ours=Figure("ring", 120e-6)),)),
    )
    assert COMPARISON in page(RUN, before)


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


def test_only_the_run_before_is_kept(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        write(msgspec.structs.replace(RUN, at=f"day {day}"), tmp_path)
    runs = msgspec.json.decode((tmp_path / "runs.json").read_bytes(), type=list[Run])
    assert [run.at for run in runs] == ["day 2", "day 3"]
    assert "| ours, p50 | day 3 | day 2 |" in (tmp_path / "results.md").read_text()
    assert (tmp_path / "plots" / "growth.svg").exists()


def test_a_quick_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--only", "broadcast", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = (tmp_path / "results.md").read_text()
    assert "| broadcast, 5 receivers |" in results
    assert "deliveries lost: 0, reached" in results
