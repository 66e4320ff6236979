"""`yawcctl check-texts`: the sysop's own texts in the data directory, and what will not be shown as it was meant."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from yawc_poker.sysop.command import Command, count, print_rows


class Checked(msgspec.Struct, frozen=True):
    """A file."""

    file: str
    problems: list[str]


def run(chosen: argparse.Namespace) -> int:
    """Print the files with what is wrong in each; return 1 if anything is. Raise `OSError`."""
    from yawc_poker.session.caller.own_texts import KINDS, problems  # it loads what draws screens

    files = [file for file in sorted(chosen.data.iterdir()) if file.suffix in {".txt", ".ans"} and file.is_file()]
    found = [Checked(file.name, list(problems(file.name, file.read_bytes()))) for file in files]
    print_rows(chosen, found, lambda rows: _lines(rows, KINDS, chosen.data))
    return 1 if any(one.problems for one in found) else 0


def _lines(found: list[Checked], kinds: tuple[str, ...], data: Path) -> Iterator[str]:
    for one in found:
        yield f"{one.file}: {'good' if not one.problems else ''}".rstrip()
        yield from (f"  {problem}" for problem in one.problems)
    yield f"{count(len(found), 'text')} in {data}; there may be {', '.join(kinds)}."


COMMAND: Final = Command(
    "check-texts",
    run,
    "check greeting, message of the day, menu art and rules of conduct in the data directory",
    ("check-texts",),
)
