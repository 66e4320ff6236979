"""A course of prices drawn in characters. Pure."""

from collections.abc import Sequence
from typing import NamedTuple


class Marks(NamedTuple):
    """The characters of a chart."""

    full: str
    half: str
    """The lower half of a cell."""


BLOCKS = Marks("█", "▄")
ASCII = Marks("#", ".")


def money(price: int) -> str:
    """Return a price in hundredths as people read it."""
    return f"{price // 100}.{price % 100:02}"


def chart(prices: Sequence[int], width: int, height: int, marks: Marks) -> list[str]:
    """Return the lines of a chart: columns from the oldest price to the newest, highest and lowest named at the left.

    `prices` are at least one; `width` and `height` are cells of the columns.
    """
    low, high = min(prices), max(prices)
    label = max(len(money(low)), len(money(high)))
    levels = [_level(price, low, high, height) for price in _columns(prices, width)]
    lines = []
    for row in reversed(range(height)):
        name = money(high) if row == height - 1 else money(low) if row == 0 else ""
        cells = "".join([_cell(level - 2 * row, marks) for level in levels])
        lines.append(f"{name:>{label}} |{cells}".rstrip())
    return [*lines, f"{'':>{label}} +{'-' * width}"]


def _columns(prices: Sequence[int], width: int) -> list[int]:
    """Return a price for each column: the last one of its part of the time."""
    count = len(prices)
    return [prices[max(0, (column + 1) * count // width - 1)] for column in range(width)]


def _level(price: int, low: int, high: int, height: int) -> int:
    """Return the height of a column in half cells, at least one."""
    return 1 + (2 * height - 1) * (price - low) // max(1, high - low)


def _cell(halves: int, marks: Marks) -> str:
    return marks.full if halves >= 2 else marks.half if halves == 1 else " "
