"""`yawcctl audit`: check that the bank's books are sound.

Only looks, at a running BBS too; the problems that `yawc_poker.casino.bank.audit` finds are printed, as text or JSON.
Where several hosts share tables, their pots must be the ledger's.
"""

import argparse
from contextlib import closing

import msgspec

from yawc_poker.casino.bank.audit import Figures
from yawc_poker.casino.instance.databases import marked
from yawc_poker.sysop.command import Commands, add, print_json


class AuditReport(msgspec.Struct, frozen=True):
    """The output of `--json`."""

    clean: bool
    problems: list[str]
    figures: Figures | None
    """None if the books are too damaged to count."""


def register(commands: Commands) -> None:
    """Add the subcommand."""
    add(commands, "audit", run, "prove that the bank's books are sound; the BBS may run", "audit", "audit --json")


def run(chosen: argparse.Namespace) -> int:
    """Print figures and problems; return 1 if there are any. Raise `StoreError`."""
    from yawc_poker.bbs.courier.joining import untrue_pots  # it loads all games, which few commands need

    with closing(marked(chosen.data).bank_to_look_at()) as bank:
        figures, problems = bank.inspect(untrue_pots)
    report = AuditReport(clean=not problems, problems=problems, figures=figures)
    if chosen.json:
        print_json(report)
    else:
        print(as_text(report))
    return 0 if report.clean else 1


def as_text(report: AuditReport) -> str:
    """Return the report as text for people."""
    numbers = {} if report.figures is None else msgspec.structs.asdict(report.figures)
    lines = [f"{name.replace('_', ' '):14}{number:>16}" for name, number in numbers.items()]
    return "\n".join([*lines, *(report.problems or ["clean"])])
