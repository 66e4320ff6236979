"""A chart of whole numbers in characters: one column a value. Pure.

The characters are of the code page of a PC; where a terminal lacks them, `terminal.text` writes ASCII instead.
"""

from collections.abc import Callable, Sequence
from typing import Final

FULL: Final = "█"
HALF: Final = "▄"
EDGE: Final = "│"
_LABEL: Final = 10
"""Cells of a number before the edge."""
EDGE_CELLS: Final = _LABEL + 2
"""Cells before the first column."""


def chart(values: Sequence[int], rows: int, told: Callable[[int], str] = str) -> list[str]:
    """Return the rows of a chart, top first, from the lowest value to the highest; each is told at its edge."""
    low, high = min(values), max(values)
    top = 2 * rows
    levels = [top // 2 if low == high else 1 + (value - low) * (top - 1) // (high - low) for value in values]
    labels = [""] * rows
    labels[0], labels[-1] = (told(high), told(low)) if low != high else ("", told(low))
    return [
        f"{label:>{_LABEL}} {EDGE}{''.join(_cell(level - 2 * (rows - 1 - row)) for level in levels)}".rstrip()
        for row, label in enumerate(labels)
    ]


def _cell(left: int) -> str:
    """Return a cell of a column that is so many halves higher than the cell's foot."""
    return FULL if left >= 2 else HALF if left == 1 else " "
