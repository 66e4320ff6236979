"""A month as a drawing (SVG): callers of each day above, games below. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from yawc_poker.extras.monthly.overview import Overview

_WIDE, _HIGH, _LEFT, _STEP, _ROOM = 760, 360, 50, 22, 110
_CALLERS: Final = "#2a6fb0"
_KINDS: Final = ("#2f7d3b", "#b8860b", "#a23b3b", "#6b4fa0", "#4f8f8f", "#777777")


def drawn(found: Overview) -> str:
    """Return the drawing."""
    kinds = sorted({kind for day in found.days for kind in day.games})
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" font-family="sans-serif"'
            ' font-size="11" role="img">',
            f"<title>{found.month}: callers and games by day</title>",
            f'<rect width="{_WIDE}" height="{_HIGH}" fill="white"/>',
            f'<text x="{_LEFT}" y="20" font-size="15">{found.month}</text>',
            *_panel("callers", 160, [[day.callers] for day in found.days], [_CALLERS]),
            *_panel("games", 320, [[day.games.get(kind, 0) for kind in kinds] for day in found.days], _KINDS),
            *_days(found),
            *_legend(kinds),
            "</svg>",
            "",
        ]
    )


def _panel(name: str, ground: int, days: Sequence[Sequence[int]], colours: Sequence[str]) -> Iterator[str]:
    """Yield the bars of each day, those of several colours upon each other."""
    most = max((sum(day) for day in days), default=0) or 1
    yield f'<text x="8" y="{ground - _ROOM}">{name}</text>'
    yield f'<text x="{_LEFT - 6}" y="{ground - _ROOM + 4}" text-anchor="end">{most}</text>'
    yield f'<line x1="{_LEFT}" y1="{ground}" x2="{_WIDE - 20}" y2="{ground}" stroke="black"/>'
    for at, day in enumerate(days):
        foot = float(ground)
        for number, many in enumerate(day):
            high = many * _ROOM / most
            foot -= high
            if many:
                colour = colours[number % len(colours)]
                x = _LEFT + 3 + at * _STEP
                yield f'<rect x="{x}" y="{foot:.1f}" width="{_STEP - 6}" height="{high:.1f}" fill="{colour}"/>'


def _days(found: Overview) -> Iterator[str]:
    for at, day in enumerate(found.days):
        x = _LEFT + _STEP // 2 + at * _STEP
        yield f'<text x="{x}" y="334" text-anchor="middle" font-size="9">{int(day.date[-2:])}</text>'


def _legend(kinds: Sequence[str]) -> Iterator[str]:
    for at, kind in enumerate(kinds):
        x = _LEFT + at * 130
        yield f'<rect x="{x}" y="343" width="10" height="10" fill="{_KINDS[at % len(_KINDS)]}"/>'
        yield f'<text x="{x + 14}" y="352">{escape(kind)}</text>'
