"""`make bench`: run all benchmarks and write the results.

    python -m benchmarks [--only GROUP ...] [--quick] [--out FOLDER]

A complete run writes `results.md`, the plots, and `runs.json`, which keeps the last run of each interpreter: the page
shows them side by side. With `--only` or `--quick` the page is only printed, unless `--out` names a folder for it.
`--quick` is a test that a group works: its figures are meaningless.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import msgspec

from benchmarks import machine
from benchmarks.build import can_build
from benchmarks.page import curves, page
from benchmarks.plot import svg
from benchmarks.report import Measured, Run, latest

GROUPS = (
    "broadcast",
    "table",
    "newcomers",
    "terminals",
    "doors",
    "redraw",
    "transaction",
    "hands",
    "house",
    "memory",
    "growth",
)
"""Modules of this folder, in the order of measurement; each may import peers that are not installed."""
HERE = Path(__file__).parent


def main() -> None:
    """Measure the groups named on the command line, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not options.quick and not can_build():
        parser.error("the limits are written in C: install a compiler, cc")
    run = measured(options.only, quick=options.quick)
    is_complete = not options.quick and set(options.only) == set(GROUPS)
    folder = options.out or (HERE if is_complete else None)
    if folder is None:
        print(page([run]))
    else:
        write(run, folder)
        print(f"written: {folder / 'results.md'}")


def measured(groups: Sequence[str], *, quick: bool) -> Run:
    """Run these groups and print progress."""
    at, facts = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), machine.facts(machine.load())
    found: list[Measured] = []
    began = time.monotonic()
    for name in groups:
        started = time.monotonic()
        print(f"{name} ...", end=" ", file=sys.stderr, flush=True)
        measure: Callable[[bool], Measured] = import_module(f"benchmarks.{name}").measure
        found.append(measure(quick))
        print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    facts["took"] = f"{time.monotonic() - began:.0f} s"
    rows = [row for one in found for row in one.rows]
    return Run(at, facts, Measured(rows, [curve for one in found for curve in one.curves]))


def write(run: Run, folder: Path) -> None:
    """Write the page and the plots of this run and of the other interpreters' last ones, and the data of all these."""
    store = folder / "runs.json"
    kept = msgspec.json.decode(store.read_bytes(), type=list[Run]) if store.exists() else []
    runs = latest([*kept, run])
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    for curve in curves(runs):
        (folder / "plots" / f"{curve.name}.svg").write_text(svg(curve))
    (folder / "results.md").write_text(page(runs))
    store.write_bytes(msgspec.json.format(msgspec.json.encode(runs), indent=1) + b"\n")


if __name__ == "__main__":
    main()
