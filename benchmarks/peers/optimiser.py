"""A peer: curses draws screens on its terminal, so that somebody can count the bytes its optimiser sends.

python -m benchmarks.peers.optimiser FILE DESCRIPTOR      for each byte on the socket, draws the next screen, answers it

FILE is JSON: a list of screens, each a list of `Run`.
"""

import curses
import locale
import os
import sys
from pathlib import Path

import msgspec


class Run(msgspec.Struct, frozen=True, array_like=True):
    """Cells of one look, side by side; colours are those of ANSI, -1: the terminal's own."""

    row: int
    column: int
    text: str
    front: int
    ground: int
    bold: bool
    dim: bool
    reverse: bool


def main(window: curses.window) -> None:
    """Draw screen after screen."""
    curses.use_default_colors()
    curses.nonl()
    curses.curs_set(0)
    screens = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=list[list[Run]])
    orders = int(sys.argv[2])
    pairs = {(-1, -1): 0}
    for screen in screens:
        os.read(orders, 1)
        window.erase()
        for run in screen:
            window.insstr(run.row, run.column, run.text, _look(run, pairs))
        window.refresh()
        os.write(orders, b".")
    os.read(orders, 1)  # what is sent at the end is no part of the last screen


def _look(run: Run, pairs: dict[tuple[int, int], int]) -> int:
    colours = (run.front, run.ground)
    if colours not in pairs:
        pairs[colours] = len(pairs)
        curses.init_pair(pairs[colours], *colours)
    wanted = ((run.bold, curses.A_BOLD), (run.dim, curses.A_DIM), (run.reverse, curses.A_REVERSE))
    return curses.color_pair(pairs[colours]) | sum(attribute for is_wanted, attribute in wanted if is_wanted)


if __name__ == "__main__":
    locale.setlocale(locale.LC_ALL, "")
    curses.wrapper(main)
