"""A month as a drawing (SVG): callers of each day above, games below. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from yawc_poker.appearance.drawing import FIRST_COLOUR, bar, drawing, label, line
from yawc_poker.extras.monthly.overview import Overview

_WIDE, _HIGH, _LEFT, _STEP, _ROOM = 760, 360, 50, 22, 110
_KINDS: Final = ("#2f7d3b", "#b8860b", "#a23b3b", "#6b4fa0", "#4f8f8f", "#777777")


def drawn(found: Overview) -> str:
    """Return the drawing."""
    return drawing(f"{found.month}: callers and games by day", _WIDE, _HIGH, _parts(found))


def _parts(found: Overview) -> Iterator[str]:
    kinds = sorted({kind for day in found.days for kind in day.games})
    yield label((_LEFT, 20), found.month, size=15)
    yield from _panel("callers", 160, [[day.callers] for day in found.days], [FIRST_COLOUR])
    yield from _panel("games", 320, [[day.games.get(kind, 0) for kind in kinds] for day in found.days], _KINDS)
    for at, day in enumerate(found.days):
        yield label((_LEFT + _STEP // 2 + at * _STEP, 334), int(day.date[-2:]), anchor="middle", size=9)
    for at, kind in enumerate(kinds):
        x = _LEFT + at * 130
        yield bar((x, 343), 10, 10, _KINDS[at % len(_KINDS)])
        yield label((x + 14, 352), kind)


def _panel(name: str, ground: int, days: Sequence[Sequence[int]], colours: Sequence[str]) -> Iterator[str]:
    """Yield the bars of each day, those of several colours upon each other."""
    most = max((sum(day) for day in days), default=0) or 1
    yield label((8, ground - _ROOM), name)
    yield label((_LEFT - 6, ground - _ROOM + 4), most, anchor="end")
    yield line((_LEFT, ground), (_WIDE - 20, ground))
    for at, day in enumerate(days):
        foot = float(ground)
        for number, many in enumerate(day):
            high = many * _ROOM / most
            foot -= high
            if many:
                yield bar((_LEFT + 3 + at * _STEP, foot), _STEP - 6, high, colours[number % len(colours)])
