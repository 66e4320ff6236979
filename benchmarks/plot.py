"""Curves as SVG: lines over two axes, logarithmic or linear, with a legend at the right. Pure: text in, text out.

Uses only features that browsers and README viewers draw alike: no style sheet, no script. A zero cannot be drawn on a
logarithmic axis; such a point is left out.
"""

import html
import math
from collections.abc import Iterator, Sequence

from benchmarks.report import Curve, said

WIDTH, HEIGHT = 800, 380
LEFT, RIGHT, TOP, BOTTOM = 80, 270, 40, 50
"""Margins: numbers, legend, title, the axis' name."""
COLOURS = ("#24508f", "#c0362c", "#4fa866", "#c9a13b", "#b07cc6", "#3a9ca8", "#777777", "#12161c")
STEPS = (1, 2, 5)


class _Axis:
    """The scale of one axis: values from `low` to `high`, drawn from `start` to `end`."""

    def __init__(self, values: Sequence[float], start: float, end: float, *, linear: bool) -> None:
        self._linear = linear
        self._start, self._end = start, end
        self.ticks = _linear_ticks(max(values)) if linear else _ticks(min(values), max(values))
        self._low, self._high = self._place(self.ticks[0]), self._place(self.ticks[-1])

    def at(self, value: float) -> float:
        """Return the coordinate."""
        share = (self._place(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def _place(self, value: float) -> float:
        return value if self._linear else math.log10(value)


def svg(curve: Curve) -> str:
    """Draw a curve."""
    lines = [(line.name, [point for point in line.points if curve.linear or min(point) > 0]) for line in curve.lines]
    points = [point for _, drawn in lines for point in drawn]
    across = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT, linear=curve.linear)
    upwards = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, linear=curve.linear)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 22, curve.title, size=15),
        *_grid(across, upwards, curve.unit),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, curve.across, anchor="middle"),
        _text(LEFT - 6, 22, curve.upwards, anchor="end"),
    ]
    for number, (name, drawn) in enumerate(lines):
        parts += _line(name, [(across.at(x), upwards.at(y)) for x, y in drawn], number)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _grid(across: _Axis, upwards: _Axis, unit: str) -> Iterator[str]:
    for tick in across.ticks:
        yield _stroke(across.at(tick), TOP, across.at(tick), HEIGHT - BOTTOM)
        yield _text(across.at(tick), HEIGHT - BOTTOM + 16, said(tick, ""), anchor="middle")
    for tick in upwards.ticks:
        yield _stroke(LEFT, upwards.at(tick), WIDTH - RIGHT, upwards.at(tick))
        yield _text(LEFT - 6, upwards.at(tick) + 4, said(tick, unit), anchor="end")


def _line(name: str, points: Sequence[tuple[float, float]], number: int) -> Iterator[str]:
    colour = COLOURS[number % len(COLOURS)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
    row = TOP + 14 + 20 * number
    yield f'<rect x="{WIDTH - RIGHT + 16}" y="{row - 9}" width="14" height="10" fill="{colour}"/>'
    yield _text(WIDTH - RIGHT + 36, row, name)


def _stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#d5d8de"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{html.escape(text)}</text>'


def _ticks(low: float, high: float) -> list[float]:
    """Return 1, 2, 5, 10... from at or below the lowest value to at or above the highest; if many, powers of ten."""
    tens = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    found = _between([float(f"{step}e{ten}") for ten in tens for step in STEPS], low, high)
    return found if len(found) <= 12 else _between([float(f"1e{ten}") for ten in tens], low, high)


def _between(steps: Sequence[float], low: float, high: float) -> list[float]:
    """Keep the steps from the last one at or below `low` to the first one at or above `high`, two at least."""
    first = max(at for at, step in enumerate(steps) if step <= low)
    last = min(at for at, step in enumerate(steps) if step >= high)
    return list(steps[first : max(last, first + 1) + 1])


def _linear_ticks(high: float) -> list[float]:
    """Return some round numbers from 0 to at or above the highest value."""
    raw = max(high, 1e-9) / 5
    ten = 10.0 ** math.floor(math.log10(raw))
    step = next(found for found in (ten, 2 * ten, 5 * ten, 10 * ten) if found >= raw)
    return [step * number for number in range(math.ceil(high / step) + 1)]
