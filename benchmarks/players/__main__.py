"""Let the levels of the house players and the baselines play each other, and print how they fared, in Markdown.

    python -m benchmarks.players [GAME ...] [--only TEXT] [--rounds N] [--processes N] [--write]

`--write` puts the tables, or with `--only` these rows of them, into `benchmarks/players.md`. All of it takes hours.
"""

import argparse
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import benchmarks.players
from benchmarks.players import arena
from benchmarks.players.arena import Habits, Pairing

PAGE = Path(benchmarks.players.__path__[0]).with_suffix(".md")
OTHERS = {"__main__", "arena"}
"""Modules of this package that are no game's."""


def main() -> None:
    """Play the pairings named on the command line."""
    games = [one.name for one in pkgutil.iter_modules(benchmarks.players.__path__) if one.name not in OTHERS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help=", ".join(games))
    parser.add_argument("--only", default="", metavar="TEXT", help="pairings whose name contains this")
    parser.add_argument("--rounds", type=int, help="as many of each pairing, instead of the complete number")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    options = parser.parse_args()
    if unknown := set(options.games) - set(games):
        parser.error(f"no game: {', '.join(sorted(unknown))}")
    for game in options.games or games:
        pairings = [one for one in pairings_of(game) if options.only in one.name]
        table = measured(pairings, options.processes, options.rounds)
        habits = habits_of(game)
        if habits is not None and options.only in habits.name:
            table += "\n\n" + arena.habits(habits, options.processes, options.rounds)
        print(f"## {game}\n\n{table}\n", flush=True)
        if options.write:
            PAGE.write_text(inserted(PAGE.read_text(), game, table, only_rows=bool(options.only)))


def pairings_of(game: str) -> tuple[Pairing, ...]:
    """Return the pairings of a game, which its module has."""
    found: tuple[Pairing, ...] = import_module(f"benchmarks.players.{game}").PAIRINGS
    return found


def habits_of(game: str) -> Habits | None:
    """Return the habits that are counted of a game's players, if there are any."""
    found: Habits | None = getattr(import_module(f"benchmarks.players.{game}"), "HABITS", None)
    return found


def measured(pairings: Sequence[Pairing], processes: int, rounds: int | None) -> str:
    """Play pairings one after the other and return their table; tell how long each took."""
    lines = [*arena.HEAD]
    for pairing in pairings:
        result = arena.play(pairing, processes, rounds)
        lines.append(arena.row(pairing, result))
        print(f"{lines[-1]} {result.seconds:.0f} s", file=sys.stderr, flush=True)
    return "\n".join(lines)


def inserted(page: str, game: str, table: str, *, only_rows: bool = False) -> str:
    """Return the page with this table between the marks of its game, or only with its rows in place of the former."""
    begin, end = f"<!-- table of {game} -->\n", "<!-- end of table -->"
    before, found, rest = page.partition(begin)
    if not found:
        raise SystemExit(f"{PAGE.name} has no place for a table of {game}")
    former, _, after = rest.partition(end)
    if only_rows:
        rows = {_first(row): row for row in table.splitlines()}
        table = "\n".join(rows.get(_first(row), row) for row in former.splitlines())
    return f"{before}{begin}{table}\n{end}{after}"


def _first(row: str) -> str:
    """Return the first cell of a row."""
    return row.partition(" | ")[0]


if __name__ == "__main__":
    main()
