"""What all subcommands share: a row in the table of subcommands, help with an example, `--json`, columns that fit.

Owns the look of the tool's output. Text that a caller may have typed is made harmless before it reaches a terminal.
"""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec

from yawc_poker.control.client import ask
from yawc_poker.control.protocol import AnyRequest
from yawc_poker.digits import decimal
from yawc_poker.terminal.text import harmless

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Run: TypeAlias = Callable[[argparse.Namespace], int]
"""Does what was chosen and returns the exit code."""
RowT = TypeVar("RowT", bound=msgspec.Struct)

_GAP = "  "
_LEAST = 8
"""Cells that a column which gives way keeps."""
_SHOWN = 40
"""Characters shown of a text that is no number."""


class Command(NamedTuple):
    """A subcommand: its help, its arguments, and what it does."""

    name: str
    run: Run
    help: str
    """What it does, a line."""
    examples: tuple[str, ...]
    arguments: Callable[[argparse.ArgumentParser], object] = bool
    """Adds the arguments that are its own; as shipped there are none."""
    after: str = ""
    """Of an extra: the subcommand behind which it is listed."""

    def add_to(self, commands: Commands) -> None:
        """Add it to a command line."""
        shown = "\n".join(f"  yawcctl {example}" for example in self.examples)
        command = commands.add_parser(
            self.name,
            help=self.help,
            description=f"{self.help[0].upper()}{self.help[1:]}.",
            epilog=f"{'examples' if len(self.examples) > 1 else 'example'}:\n{shown}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        # Behind the command, too, where people look for it; the value in front of it is kept.
        command.add_argument("--data", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        command.add_argument("--json", action="store_true", help="print JSON, one object a line")
        command.set_defaults(run=self.run)
        self.arguments(command)


def asking(
    request: Callable[[argparse.Namespace], AnyRequest], kind: type[RowT], lines: Callable[[list[RowT]], Iterable[str]]
) -> Run:
    """Return what asks the running BBS, and prints the rows of its answer. It raises `CannotAsk` and `Failed`."""
    return lambda chosen: print_rows(chosen, ask(chosen, request(chosen), kind), lines)


def print_rows(chosen: argparse.Namespace, rows: Iterable[RowT], lines: Callable[[list[RowT]], Iterable[str]]) -> int:
    """Print rows, as JSON or as lines, and return that all is well."""
    if chosen.json:
        for row in rows:
            print_json(row)
    else:
        print_lines(lines(list(rows)))
    return 0


def counting(text: str) -> int:
    """Read a number that counts from 1, for argparse; one that no database can hold is none."""
    value = decimal(text)
    if not value:
        raise argparse.ArgumentTypeError(f"not a number from 1: {text[:_SHOWN]!r}")
    return value


def whole(text: str) -> int:
    """Read a whole number, for argparse."""
    value = decimal(text.removeprefix("-"))
    if value is None:
        raise argparse.ArgumentTypeError(f"not a number: {text[:_SHOWN]!r}")
    return -value if text.startswith("-") else value


@contextmanager
def until_interrupted() -> Iterator[None]:
    """Leave the block at Ctrl-C, and end the line on which the terminal shows that."""
    try:
        yield
    except KeyboardInterrupt:
        print(file=sys.stderr)


def print_json(value: msgspec.Struct | msgspec.Raw) -> None:
    """Print one object as a line; in ASCII where standard output is not UTF-8, or programs could not read it."""
    text = msgspec.json.encode(value).decode()
    if (sys.stdout.encoding or "").replace("-", "").casefold() != "utf8":
        text = json.dumps(json.loads(text), separators=(",", ":"))
    print(text, flush=True)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines for a person."""
    for line in lines:
        print(harmless(line))


def columns(header: str, rows: Iterable[Iterable[object]], *give_way: int, room: int | None = None) -> list[str]:
    """Return a table as lines. `header` names the columns, in words; one that begins with ">" is flush right.

    If the lines would be wider than `room` (None: the terminal), the columns `give_way` are cut, in this order.
    """
    names = header.split()
    cells = [[name.lstrip(">") for name in names], *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(names))]
    room = width() if room is None else room
    for at in give_way:
        over = sum(widths) + len(_GAP) * (len(names) - 1) - room
        widths[at] = max(widths[at] - max(over, 0), min(widths[at], _LEAST))
    return [_line(row, names, widths) for row in cells]


def _line(row: Sequence[str], names: Sequence[str], widths: Sequence[int]) -> str:
    cells = (
        f"{_cut(cell, wide):>{wide}}" if name.startswith(">") else f"{_cut(cell, wide):<{wide}}"
        for cell, name, wide in zip(row, names, widths, strict=True)
    )
    return _GAP.join(cells).rstrip()


def _cut(text: str, wide: int) -> str:
    return text if len(text) <= wide else f"{text[: wide - 1]}>"


def width() -> int:
    """Return the terminal's width; that of a pipe has no end."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def moment(when: float, form: str = "%Y-%m-%d %H:%M:%S %Z") -> str:
    """Write an epoch second in local time, with its zone."""
    return time.strftime(form, time.localtime(when))


def count(number: int, noun: str) -> str:
    """Write a number with its noun, a regular one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
