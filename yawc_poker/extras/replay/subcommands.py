"""`yawcctl replay`: a finished game told move by move, written to a text file, or read from one and proven.

Reads the bank itself, so it works without a running BBS, too; a sysop sees all cards, as by `yawcctl history`.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.instance.databases import marked
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.catalogues import words
from yawc_poker.control.client import Failed
from yawc_poker.digits import decimal
from yawc_poker.durations import clock
from yawc_poker.engine.replay import Contradiction
from yawc_poker.extras.replay.film import Film
from yawc_poker.extras.replay.notation import NotAGame, read, written
from yawc_poker.extras.replay.picture import View, table
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.sysop.books import EXIT_STATUS
from yawc_poker.sysop.command import Command, counting, print_json, print_lines, until_interrupted
from yawc_poker.sysop.status import game_of
from yawc_poker.table_ui.scene import NO_SEAT
from yawc_poker.table_ui.screen import COLUMNS, ROWS
from yawc_poker.table_ui.telling import row_lines


class Move(msgspec.Struct, frozen=True):
    """A move, as JSON."""

    number: int
    at: float
    """Seconds since the deal."""
    told: list[str]
    hands: dict[str, str]
    """Everybody's cards behind it, by name."""


def _arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", metavar="GAME", help="number of the game, or a file that --write has made")
    command.add_argument("--seat", metavar="N", type=counting, help="as this seat saw it (as everybody did)")
    command.add_argument("--screen", action="store_true", help="draw the table at each move")
    command.add_argument("--pace", metavar="S", type=float, default=0.0, help="seconds between two moves (0)")
    command.add_argument("--write", metavar="FILE", type=Path, help="write the game to a text file instead")


def run(chosen: argparse.Namespace) -> int:
    """Tell a game, or write it, or prove one that was written. Raise `StoreError`, `Failed`."""
    number = decimal(chosen.game)
    try:
        played = _in_books(chosen, number) if number is not None else read(Path(chosen.game).read_text("utf-8"))
        if played is None:
            raise Failed(2, f"there is no game {number}")
        if played.game.outcome is None:
            raise Failed(2, f"game {number} still runs")
        entry = game_of(played.game.kind)
        film = Film(entry.definition, played, None)
        if chosen.write is not None:
            chosen.write.write_text(written(played, entry.definition), "utf-8")
            return 0
        eyes = NO_SEAT if chosen.seat is None else chosen.seat - 1
        if eyes not in film.eyes:
            raise Failed(2, f"nobody played in seat {chosen.seat}")
        with until_interrupted():
            for at in range(film.last + 1):
                _show(chosen, film, at, eyes)
        if number is not None:
            return 0
        verdict = entry.verify(played).verdict
        print_lines([f"The game is {verdict}. {_known(chosen, played)}"])
        return EXIT_STATUS[verdict]
    except (NotAGame, UnicodeDecodeError) as error:
        raise Failed(2, f"{chosen.game}: {error}") from None
    except (Contradiction, ValueError, UnknownGame) as error:
        raise Failed(2, f"it cannot be played again: {error}") from None


def _in_books(chosen: argparse.Namespace, number: int) -> PastGame | None:
    with closing(marked(chosen.data).bank_to_look_at()) as bank:
        return bank.game(number)


def _known(chosen: argparse.Namespace, read_game: PastGame) -> str:
    """Return whether this BBS has a game that was read."""
    number = read_game.game.number
    try:
        own = _in_books(chosen, number)
    except StoreError:
        return "There are no books here to compare it with."
    same = own is not None and replace(own, lines=read_game.lines) == read_game
    return f"It is game {number} of this BBS." if same else "It is no game of this BBS."


def _show(chosen: argparse.Namespace, film: Film, at: int, eyes: int) -> None:
    """Print a move, and wait for the next one."""
    speak, action = words("en"), film.moves[at].action
    session = film.session(at, eyes)
    lines = [
        line for row in film.rows(at, eyes) for line in row_lines(film.game, film.moves[at].table, session, row, speak)
    ]
    if chosen.json:
        print_json(Move(action.number, action.at, lines, dict(film.hands(at, speak))))
    elif chosen.screen:
        print_lines(_screen(film, View(at, eyes)))
    else:
        head = f"{action.number:>5}  {clock(action.at):>7}  "
        print_lines(f"{head if number == 0 else ' ' * len(head)}{line}" for number, line in enumerate(lines or [""]))
    if chosen.pace > 0 and at < film.last:
        sys.stdout.flush()
        time.sleep(min(chosen.pace, 60.0))


def _screen(film: Film, view: View) -> Iterator[str]:
    yield f"--- {film.moves[view.at].action.number} of {film.last} ---"
    for row in table(film, view, words("en"), COLUMNS, ROWS).rows:
        yield row.text.rstrip()


COMMAND: Final = Command(
    "replay",
    run,
    "tell a finished game move by move, write it to a text file, or prove one that was written",
    ("replay 17", "replay 17 --seat 2 --screen --pace 1", "replay 17 --write game.txt", "replay game.txt"),
    _arguments,
    after="verify",
)
ANNOUNCED: Final = (COMMAND,)
