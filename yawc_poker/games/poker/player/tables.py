"""How good hands are, in twenty classes, before the cards are changed and after it.

Owns figures that were counted once, from 300,000 hands changed by the rules of thumb (`swaps.thumb`); a test counts
some again. A hand's class is its place among all hands at that time. Pure.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

_COUNTED: Final = (996, 1003, 1000, 995, 980, 522, 485, 516, 491, 497, 488, 410, 416, 300, 301, 191, 178, 130, 69, 32)
"""Of 10,000 hands, how many are in each class before the change. The good ones are told apart more finely."""
CLASSES: Final = range(len(_COUNTED))
SHARES: Final = tuple([many / 10_000 for many in _COUNTED])
"""By class before the change: its share of all hands."""
_BEFORE: Final = (
    259,
    518,
    776,
    1000,
    1056,
    1085,
    1113,
    1142,
    1170,
    1198,
    1226,
    1251,
    1456,
    2005,
    2545,
    2712,
    2732,
    2756,
    3756,
)
"""The strength with which each class but the first begins, before the change."""
_AFTER: Final = (
    838,
    1026,
    1090,
    1161,
    1202,
    1229,
    1254,
    1377,
    1801,
    2180,
    2537,
    2704,
    2716,
    2728,
    2736,
    2764,
    3760,
    3780,
    3804,
)
"""The same after it."""
_BECOMES: Final = (
    (355, 70, 62, 141, 149, 44, 14, 10, 8, 32, 11, 5, 1, 11, 7, 60, 17, 2, 0, 1),
    (269, 142, 54, 71, 141, 121, 39, 25, 2, 12, 39, 10, 1, 6, 16, 25, 25, 1, 1, 0),
    (260, 160, 47, 63, 111, 55, 90, 85, 1, 11, 10, 48, 1, 5, 9, 22, 19, 1, 1, 1),
    (116, 344, 40, 39, 24, 41, 97, 138, 15, 9, 25, 69, 1, 1, 9, 10, 18, 1, 3, 0),
    (0, 285, 346, 0, 0, 0, 0, 49, 76, 32, 40, 43, 105, 0, 0, 0, 16, 2, 6, 0),
    (0, 0, 576, 53, 0, 0, 0, 31, 76, 44, 44, 1, 151, 0, 0, 0, 9, 9, 6, 0),
    (0, 0, 274, 357, 0, 0, 0, 8, 102, 44, 30, 14, 78, 71, 0, 0, 2, 15, 3, 2),
    (0, 0, 0, 628, 0, 0, 0, 0, 113, 44, 22, 22, 0, 150, 0, 0, 1, 15, 1, 4),
    (0, 0, 0, 339, 288, 0, 0, 0, 78, 79, 23, 23, 0, 147, 0, 0, 2, 15, 1, 5),
    (0, 0, 0, 48, 524, 60, 0, 0, 18, 138, 22, 22, 0, 66, 79, 0, 2, 15, 1, 5),
    (0, 0, 0, 0, 254, 291, 88, 0, 0, 83, 94, 23, 0, 0, 147, 0, 1, 7, 7, 5),
    (0, 0, 0, 0, 0, 267, 226, 137, 0, 10, 131, 63, 0, 0, 78, 65, 1, 3, 14, 5),
    (0, 0, 0, 0, 0, 0, 265, 344, 85, 0, 68, 80, 0, 0, 0, 111, 23, 10, 10, 4),
    (0, 0, 0, 0, 0, 0, 0, 0, 566, 326, 0, 0, 0, 0, 0, 0, 34, 74, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 288, 591, 12, 0, 0, 0, 0, 24, 45, 40, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 561, 303, 0, 0, 0, 48, 23, 65, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 178, 521, 168, 0, 0, 79, 8, 46),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 228, 702, 0, 0, 41, 29),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 452, 548, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 108, 500, 270, 122),
)
"""By class before the change: of 1,000 hands, how many are in each class after it."""
BECOMES: Final = tuple([tuple([many / 1000 for many in row]) for row in _BECOMES])


def _beaten(share: Sequence[float]) -> tuple[float, ...]:
    """Return by class the share of hands that are worse, half of its own class among them."""
    below, found = 0.0, []
    for one in share:
        found.append(below + one / 2)
        below += one
    return tuple(found)


def _made() -> tuple[float, ...]:
    """Return the share of all hands in each class after the change."""
    found = [0.0] * len(CLASSES)
    for share, row in zip(SHARES, BECOMES, strict=True):
        for at, chance in enumerate(row):
            found[at] += share * chance
    return tuple(found)


MADE: Final = _made()
"""By class after the change: its share of all hands."""
BEATEN: Final = _beaten(MADE)
"""By class after the change: the chance against one hand of which nothing is known."""


def _hoped(row: Sequence[float]) -> float:
    total = 0.0
    for chance, beaten in zip(row, BEATEN, strict=True):
        total += chance * beaten
    return total


HOPED: Final = tuple([_hoped(row) for row in BECOMES])
"""By class before the change: the chance against one hand of which nothing is known, after it."""
TWO_PAIRS_BEFORE: Final = 12
"""The class where two pairs begin, before the change."""
TWO_PAIRS_AFTER: Final = 7
"""The same after it."""


_LAST: Final = 120
"""The strengths of the highest class."""


def before(strength: int) -> int:
    """Return the class of a hand before the change, from 0."""
    return bisect_right(_BEFORE, strength)


def after(strength: int) -> int:
    """Return the class of a hand after the change, from 0."""
    return bisect_right(_AFTER, strength)


def place(strength: int) -> tuple[int, float]:
    """Return the class of a hand after the change, and the share of that class that it beats."""
    at = after(strength)
    low = _AFTER[at - 1] if at else 0
    high = _AFTER[at] if at < len(_AFTER) else low + _LAST
    return at, min(1.0, (strength - low) / (high - low))


def rank(strength: int) -> float:
    """Return the share of hands, after the change, that a hand beats."""
    at, part = place(strength)
    return BEATEN[at] + MADE[at] * (part - 0.5)
