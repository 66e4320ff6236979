"""`make bench`: run all benchmarks and write the results.

    python -m benchmarks [--only GROUP ...] [--quick] [--out FOLDER] [--resume]

A complete run writes `results.md`, the plots, and `runs.json`, which keeps the last run of each interpreter: the page
shows them side by side. With `--only` or `--quick` the page is only printed, unless `--out` names a folder for it.
`--quick` is a test that a group works: its figures are meaningless. What is measured is kept from group to group:
`--resume` goes on with a run of the same interpreter that was broken off, after its last finished group.
"""

import argparse
import platform
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
UNFINISHED = HERE.parent / "build" / f"bench-{platform.python_version()}.json"
"""What a run of this interpreter has measured so far; removed at its end."""


class Unfinished(msgspec.Struct):
    """A run that is not over."""

    at: str
    facts: dict[str, str]
    took: float
    """Seconds that were measured for."""
    found: dict[str, Measured]
    """By group."""


def main() -> None:
    """Measure the groups named on the command line, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    if not options.quick and not can_build():
        parser.error("the limits are written in C: install a compiler, cc")
    run = measured(options.only, quick=options.quick, resume=options.resume)
    is_complete = not options.quick and set(options.only) == set(GROUPS)
    folder = options.out or (HERE if is_complete else None)
    if folder is None:
        print(page([run]))
    else:
        write(run, folder)
        print(f"written: {folder / 'results.md'}")


def measured(groups: Sequence[str], *, quick: bool, resume: bool = False) -> Run:
    """Run these groups, after a broken-off run those that it has not measured, and print progress."""
    so_far = Unfinished(time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), machine.facts(machine.load()), 0.0, {})
    if resume and UNFINISHED.exists():
        so_far = msgspec.json.decode(UNFINISHED.read_bytes(), type=Unfinished)
    for name in groups:
        if name in so_far.found:
            continue
        started = time.monotonic()
        print(f"{name} ...", end=" ", file=sys.stderr, flush=True)
        measure: Callable[[bool], Measured] = import_module(f"benchmarks.{name}").measure
        so_far.found[name] = measure(quick)
        so_far.took += time.monotonic() - started
        print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
        if not quick:
            UNFINISHED.parent.mkdir(exist_ok=True)
            UNFINISHED.write_bytes(msgspec.json.encode(so_far))
    UNFINISHED.unlink(missing_ok=True)
    so_far.facts["took"] = f"{so_far.took:.0f} s"
    found = [so_far.found[name] for name in groups]
    rows = [row for one in found for row in one.rows]
    return Run(so_far.at, so_far.facts, Measured(rows, [curve for one in found for curve in one.curves]))


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
