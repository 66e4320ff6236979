"""One's ratings behind each of the last games as a drawing (SVG), with the error around them. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from yawc_poker.appearance.drawing import FIRST_COLOUR, Point, area, curve, drawing, label, line
from yawc_poker.extras.ratings.reckoning import Rating

GAMES: Final = 200
"""The most that are drawn."""
_WIDE, _HIGH, _LEFT, _TOP, _RIGHT, _GROUND = 640, 260, 50, 20, 590, 220
_STEP: Final = 100
"""Points between two lines across; twice as many where there would be more than `_LINES`."""
_LINES: Final = 8


def drawn(course: Sequence[Rating], told: str) -> str:
    """Return the drawing of some ratings, oldest first; `told` says what it shows."""
    return drawing(told, _WIDE, _HIGH, _parts(course))


def _parts(course: Sequence[Rating]) -> Iterator[str]:
    step = _STEP
    lowest = min(one.points - one.error for one in course)
    highest = max(one.points + one.error for one in course)
    while (highest - lowest) // step >= _LINES:
        step *= 2
    low, high = lowest // step * step, -(-highest // step) * step
    high += step if low == high else 0

    def place(at: int, points: int) -> Point:
        across = (_RIGHT - _LEFT) * at / max(len(course) - 1, 1)
        return _LEFT + across, _GROUND - (_GROUND - _TOP) * (points - low) / (high - low)

    for points in range(low, high + 1, step):
        _, y = place(0, points)
        yield line((_LEFT, y), (_RIGHT, y), "#cccccc")
        yield label((_LEFT - 6, y + 4), points, anchor="end")
    above = [place(at, one.points + one.error) for at, one in enumerate(course)]
    below = [place(at, one.points - one.error) for at, one in enumerate(course)]
    yield area([*above, *reversed(below)], FIRST_COLOUR)
    yield curve([place(at, one.points) for at, one in enumerate(course)], FIRST_COLOUR)
    last = course[-1]
    _, y = place(len(course) - 1, last.points)
    yield label((_RIGHT + 4, y + 4), last.points, size=13)
    yield label((_LEFT, _GROUND + 18), course[0].games)
    yield label((_RIGHT, _GROUND + 18), last.games, anchor="end")
