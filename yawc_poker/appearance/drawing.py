"""A drawing (SVG) on white: its frame, and the parts that several have. Pure."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

FIRST_COLOUR: Final = "#2a6fb0"

Point = tuple[float, float]


def drawing(told: str, wide: int, high: int, parts: Iterable[str]) -> str:
    """Return a drawing of these parts; `told` is what it shows, for those who do not see it."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif"'
            ' font-size="11" role="img">',
            f"<title>{escape(told, quote=False)}</title>",
            f'<rect width="{wide}" height="{high}" fill="white"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def label(at: Point, text: object, *, anchor: str = "start", size: int = 11) -> str:
    """Return a text that begins at a point; with another anchor it lies around it, or ends there."""
    x, y = at
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{escape(str(text), quote=False)}</text>'
    )


def bar(at: Point, wide: float, high: float, colour: str) -> str:
    """Return a filled rectangle, by its upper left corner."""
    x, y = at
    return f'<rect x="{x:g}" y="{y:.1f}" width="{wide:g}" height="{high:.1f}" fill="{colour}"/>'


def line(one: Point, other: Point, colour: str = "black") -> str:
    """Return a straight line."""
    return f'<line x1="{one[0]:g}" y1="{one[1]:g}" x2="{other[0]:g}" y2="{other[1]:g}" stroke="{colour}"/>'


def curve(points: Sequence[Point], colour: str) -> str:
    """Return a line through points."""
    return f'<polyline points="{_listed(points)}" fill="none" stroke="{colour}" stroke-width="2"/>'


def area(points: Sequence[Point], colour: str) -> str:
    """Return a pale area with these corners."""
    return f'<polygon points="{_listed(points)}" fill="{colour}" fill-opacity="0.2"/>'


def _listed(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
