"""The pictures of the four games in README.md: real tables, each seen through one caller's eyes.

Starts the daemon on a free port. For `docs/table.svg` six callers play poker by telnet up to the showdown; in each of
the other games one caller plays some turns with house players. Then it draws what that caller's terminal shows. Run it
from the top folder as `python -m docs.picture` (`make picture`). The cards are dealt by chance, so each run gives other
hands; all else is the same.

Lines and shades are drawn as shapes, and each word is pinned to its column: the picture looks alike in any font.
"""

import argparse
import html
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pyte

from tests.end_to_end.bbs import FAST, Bbs, Caller

FOLDER = Path(__file__).parent
POKER = FOLDER / "table.svg"


class Game(NamedTuple):
    """A game with house players."""

    name: str
    key: str
    """In the casino's menu."""
    others: int
    """House players that come."""
    turns: int
    """Turns that are played before the picture."""
    caller: str


GAMES = (
    Game("Mau-Mau", "3", 2, 2, "Dora"),
    Game("Doppelkopf", "4", 3, 6, "Emil"),
    Game("Offiziersskat", "5", 1, 7, "Frida"),
)
SUITS = "♣♠♥♦"

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, BASELINE, MARGIN = 9, 19, 15, 14, 18
INK, PAPER = "#c8ccd4", "#12161c"
PLAIN = {
    "black": "#12161c",
    "red": "#c0362c",
    "green": "#4fa866",
    "brown": "#c9a13b",
    "blue": "#24508f",
    "magenta": "#b07cc6",
    "cyan": "#56b6c2",
    "white": "#d9dce2",
}
BRIGHT = PLAIN | {"brown": "#f2cc60", "white": "#ffffff", "red": "#ff6b5e", "green": "#7fd494"}
"""Colours of bold text; `brown` is what pyte calls yellow."""

EDGES = {
    "─": "we",
    "│": "ns",
    "┌": "es",
    "┐": "ws",
    "└": "en",
    "┘": "wn",
    "├": "ens",
    "┤": "wns",
    "┬": "wes",
    "┴": "wen",
    "┼": "wens",
}
"""From the middle of the cell to which of its edges a line goes."""
SHADE = "░"


class Cell(NamedTuple):
    """One character as it looks."""

    text: str
    ink: str
    paper: str
    bold: bool


# --- a game worth looking at ------------------------------------------------------------------------------------------


def play(bbs: Bbs) -> Caller:
    """Play until it is the third one's turn to show: two have shown, one has not, one looks on. Gives the third."""
    names = ("Anna", "Bert", "Carla", "Dora")
    anna, bert, clara, dora = players = [bbs.call().register(name) for name in names]
    suits_of_cards(clara)
    for caller in players:
        caller.sit()
    anna.hear("Dora sits down")
    anna.send("s")
    for caller, amount in zip(players, ("10", "10", "25", ""), strict=True):
        caller.bet(amount)
    for caller in players:
        _swap(caller)
    anna.bet("40")
    bert.see("[H]")
    bert.send("h60\r")
    clara.bet()
    dora.bet("75")
    bbs.call().register("Emil").sit()
    _remind(bbs, clara)
    for caller in (anna, bert):
        caller.see("[R] Show my")
        caller.send("r")
        clara.hear(f"{caller.name} shows")
    anna.send(".What have you got, Carla?\r")
    clara.hear("What have you got")
    clara.see("[R] Show my", " 0:47", "1 X-message", "[?]", deadline=60)
    return clara


def _swap(caller: Caller) -> None:
    """Change up to three of the cards that have no partner, the lowest first."""
    caller.see("[D] Done")
    ranks = [label[:-1] for label in re.findall(rf"│(\w+[-#*+{SUITS}]) *(?=│)", caller.left(8, 8))]
    counts = Counter(ranks)
    single = [str(place) for place, rank in enumerate(ranks, 1) if counts[rank] == 1]
    caller.send("".join(single[:3]) + "d")
    caller.hear(f"{caller.name} is done changing cards")


def _remind(bbs: Bbs, addressee: Caller) -> None:
    """Make somebody at the prompt send an X-message."""
    friend = bbs.call().register("Frank")
    friend.send("x")
    friend.see("To:")
    friend.line(addressee.name)
    friend.see("Message:")
    friend.line("Is there a seat left?")
    friend.see("Sent to")


def with_the_house(bbs: Bbs, game: Game) -> Caller:
    """Play some turns with house players, the first card that may be played each time, up to another turn."""
    caller = suits_of_cards(bbs.call().register(game.caller))
    caller.send("s")
    caller.see(f"[{game.key}]")
    caller.send(f"{game.key}h2")
    caller.wait(lambda: caller.text.count("level: normal") == game.others, "the others")
    caller.send("s\r")
    for _ in range(game.turns):
        _play(caller)
    caller.wait(lambda: _is_called(caller), "the turn")
    return caller


def suits_of_cards(caller: Caller) -> Caller:
    """Let a caller choose the suits of playing cards, in four colours, at `L`."""
    caller.press("l12\r")
    return caller.at_prompt()


def _is_called(caller: Caller) -> bool:
    return caller.lines[11].startswith(">")


def _play(caller: Caller) -> None:
    """Play a card on the own turn, or choose what is to be chosen first; wait until that is done."""
    caller.wait(lambda: _is_called(caller), "the turn")
    before = caller.messages
    caller.send(_first_key(caller))
    caller.wait(lambda: caller.messages != before, "a move")


def _first_key(caller: Caller) -> str:
    """Return the key of the first card that may be played, else of the first choice in the command area."""
    cards = re.findall(r"\[(\w)\]", caller.left(6, 11))
    choices = [key for key in re.findall(r"\[(\S)\]", caller.right(6, 11)) if key not in ".X+-"]
    return str([*cards, *choices][0]).lower()


# --- the screen as a picture ------------------------------------------------------------------------------------------


def cells(screen: pyte.Screen) -> list[list[Cell]]:
    """Return the screen's cells, row by row."""
    return [[_cell(screen.buffer[row][column]) for column in range(screen.columns)] for row in range(screen.lines)]


def _cell(char: pyte.screens.Char) -> Cell:
    ink = (BRIGHT if char.bold else PLAIN).get(char.fg, INK if not char.bold else "#ffffff")
    paper = PLAIN.get(char.bg, PAPER)
    return Cell(char.data, paper, ink, char.bold) if char.reverse else Cell(char.data, ink, paper, char.bold)


def svg(rows: list[list[Cell]], title: str) -> str:
    """Draw the cells."""
    width = CELL_WIDTH * len(rows[0]) + 2 * MARGIN
    height = CELL_HEIGHT * len(rows) + 2 * MARGIN
    body = [part for row, line in enumerate(rows) for part in (*_papers(line, row), *_shades(line, row))]
    body += [*_lines(rows), *(part for row, line in enumerate(rows) for part in _words(line, row))]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' role="img" font-family="DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"'
            f' font-size="{FONT_SIZE}">',
            f"<title>{html.escape(title)}</title>",
            '<defs><pattern id="shade" width="3" height="4" patternUnits="userSpaceOnUse">'
            f'<path d="M0 0h1v1h-1zM1.5 2h1v1h-1z" fill="{PLAIN["white"]}" opacity="0.6"/></pattern></defs>',
            f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>',
            f'<g transform="translate({MARGIN} {MARGIN})">',
            *body,
            "</g>",
            "</svg>\n",
        ]
    )


def _runs(line: list[Cell]) -> Iterator[tuple[int, list[Cell]]]:
    """Split a row where the look changes; give each piece and its first column."""
    column = 0
    for _, group in groupby(line, key=lambda cell: cell[1:]):
        run = list(group)
        yield column, run
        column += len(run)


def _papers(line: list[Cell], row: int) -> Iterator[str]:
    column = 0
    for paper, group in groupby(line, key=lambda cell: cell.paper):
        length = len(list(group))
        if paper != PAPER:
            yield _box(column, row, length, paper)
        column += length


def _shades(line: list[Cell], row: int) -> Iterator[str]:
    column = 0
    for text, group in groupby(line, key=lambda cell: cell.text):
        length = len(list(group))
        if text == SHADE:
            yield _box(column, row, length, "url(#shade)")
        column += length


def _box(column: int, row: int, length: int, fill: str) -> str:
    return (
        f'<rect x="{column * CELL_WIDTH}" y="{row * CELL_HEIGHT}" width="{length * CELL_WIDTH}"'
        f' height="{CELL_HEIGHT}" fill="{fill}" shape-rendering="crispEdges"/>'
    )


def _lines(rows: list[list[Cell]]) -> Iterator[str]:
    """Draw all box drawing characters of one colour as one path."""
    paths: dict[str, list[str]] = {}
    for row, line in enumerate(rows):
        for column, cell in enumerate(line):
            for edge in EDGES.get(cell.text, ""):
                paths.setdefault(cell.ink, []).append(_stroke(column, row, edge))
    for ink, strokes in paths.items():
        yield f'<path d="{"".join(strokes)}" stroke="{ink}" stroke-width="1.2" stroke-linecap="square"/>'


def _stroke(column: int, row: int, edge: str) -> str:
    across, down = CELL_WIDTH / 2, CELL_HEIGHT / 2
    step = {"w": f"h{-across:g}", "e": f"h{across:g}", "n": f"v{-down:g}", "s": f"v{down:g}"}[edge]
    return f"M{column * CELL_WIDTH + across:g} {row * CELL_HEIGHT + down:g}{step}"


def _words(line: list[Cell], row: int) -> Iterator[str]:
    """Write each word at its column and stretched to its cells."""
    for first, run in _runs(line):
        text = "".join(" " if cell.text in EDGES or cell.text == SHADE else cell.text for cell in run)
        weight = ' font-weight="bold"' if run[0].bold else ""
        for word in re.finditer(r"\S+", text):
            yield (
                f'<text x="{(first + word.start()) * CELL_WIDTH}" y="{row * CELL_HEIGHT + BASELINE}"'
                f' textLength="{len(word.group()) * CELL_WIDTH}" lengthAdjust="spacingAndGlyphs"'
                f' fill="{run[0].ink}"{weight}>{html.escape(word.group(), quote=False)}</text>'
            )


def draw(caller: Caller, title: str, target: Path) -> None:
    """Draw what a caller's terminal shows."""
    target.write_text(svg(cells(caller.screen), title), encoding="utf-8")
    sys.stdout.write(f"{target.name}: {target.stat().st_size} bytes\n")


def main() -> int:
    """Play, look, write the files."""
    argparse.ArgumentParser(prog="python -m docs.picture", description=__doc__.partition("\n\n")[0]).parse_args()
    config = FAST.replace("start_cubes = 100", "start_cubes = 1000")
    with tempfile.TemporaryDirectory() as folder, Bbs(Path(folder) / "data", config) as bbs:
        draw(play(bbs), "Poker on an 80x24 terminal: the showdown, seen by Carla", POKER)
    with (
        tempfile.TemporaryDirectory() as folder,
        Bbs(Path(folder) / "data", config.replace("players = 0", "pace = [0.5, 1.0]")) as bbs,
    ):
        for game in GAMES:
            draw(
                with_the_house(bbs, game),
                f"{game.name} on an 80x24 terminal, seen by {game.caller}",
                FOLDER / f"{game.name.lower()}.svg",
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
