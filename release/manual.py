"""Man pages and shell completion of all programs, from their parsers: `make manual` writes them to build/manual.

    python -m release.manual FOLDER

Owns the list of programs, and where a system looks for such files below `/usr/share`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import shtab
from argparse_manpage.manpage import Manpage

from release import door
from telnetd import cli
from yawc_poker.bbs import at_terminal
from yawc_poker.extras.maumau_wire.client import __main__ as client
from yawc_poker.sysop import __main__ as sysop

SEE_ALSO = "The handbook is docs/sysop.md, in /usr/share/doc/yawc-poker where a package has installed it."


class Program(NamedTuple):
    """A program with a page of its own."""

    name: str
    parser: Callable[[], argparse.ArgumentParser]
    section: int
    """Of the manual: 1 for callers, 8 for sysops."""


PROGRAMS = (
    Program("yawc-telnetd", cli.parser, 8),
    Program("yawcctl", sysop.parser, 8),
    Program("yawc-poker", at_terminal.parser, 1),
    Program("yawc-maumau", client.parser, 1),
    Program("yawc-door", door.parser, 1),
)


def files() -> Iterator[tuple[Path, str]]:
    """Yield the path of each file below /usr/share, and what it holds."""
    for program in PROGRAMS:
        parser = program.parser()
        parser.prog = program.name
        parser.epilog = "\n\n".join(filter(None, [parser.epilog, SEE_ALSO]))
        completion = shtab.complete(parser, shell="bash"), shtab.complete(parser, shell="zsh")
        page = str(Manpage(parser, {"manual_section": str(program.section), "project_name": "YAWC Poker"}))
        yield Path(f"man/man{program.section}/{program.name}.{program.section}"), page
        yield Path("bash-completion/completions") / program.name, completion[0]
        yield Path("zsh/vendor-completions") / f"_{program.name}", completion[1]


def main() -> int:
    """Write all files below a folder."""
    folder = Path(sys.argv[1])
    for path, text in files():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
