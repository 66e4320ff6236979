"""How good hands are, in classes, before the cards are changed and after it.

Owns the classes. Hands that lack one card to a flush or to a straight are classes of their own before the change. Pure.
"""

from bisect import bisect_right
from typing import Final

from yawc_poker.games.poker.hands import STRENGTHS, Hand, category, strength
from yawc_poker.games.poker.model import Category
from yawc_poker.games.poker.player.strategy import HOPED, MADE
from yawc_poker.games.poker.player.swaps import thumb

# fmt: off
_BEFORE: Final = (
    259, 518, 776, 1000, 1056, 1085, 1113, 1142, 1170, 1198, 1226, 1251, 1456, 2005, 2545, 2712, 2732, 2756, 3756,
)
"""The strength with which each class but the first begins, before the change; then come the two of hopes."""
_AFTER: Final = (
    838, 1026, 1090, 1161, 1202, 1229, 1254, 1377, 1801, 2180, 2537, 2704, 2716, 2728, 2736, 2764, 3760, 3780, 3804,
)
"""The same after it, without hopes. The good hands are told apart more finely."""
# fmt: on
FLUSH_HOPE: Final = len(_BEFORE) + 1
STRAIGHT_HOPE: Final = FLUSH_HOPE + 1
_TOP: Final = 120
"""The strengths of the highest class after the change."""


def _beaten() -> tuple[float, ...]:
    below, found = 0.0, []
    for one in MADE:
        found.append(below + one / 2)
        below += one
    return tuple(found)


BEATEN: Final = _beaten()
"""By class after the change: the share of hands that are worse, half of its own class among them."""


def before(hand: Hand) -> int:
    """Return the class of a hand before the change, from 0."""
    if category(hand) == Category.HIGH_CARD and len(places := thumb(hand)) == 1:
        suits = {card.suit for place, card in enumerate(hand) if place not in places}
        return FLUSH_HOPE if len(suits) == 1 else STRAIGHT_HOPE
    return bisect_right(_BEFORE, strength(hand))


def after(strength: int) -> int:
    """Return the class of a strength after the change, from 0."""
    return bisect_right(_AFTER, strength)


def rank(strength: int) -> float:
    """Return the share of hands, after the change, that one of this strength beats."""
    return _RANKS[strength]


def _rank(strength: int) -> float:
    at = after(strength)
    low = _AFTER[at - 1] if at else 0
    high = _AFTER[at] if at < len(_AFTER) else low + _TOP
    return BEATEN[at] + MADE[at] * (min(1.0, (strength - low) / (high - low)) - 0.5)


_RANKS: Final = tuple([_rank(strength) for strength in range(STRENGTHS)])


def power(value: float, times: int) -> float:
    """Return a value multiplied with itself, as all machines round it."""
    found = 1.0
    for _ in range(times):
        found *= value
    return found


def among(at: int, rivals: int, known: int, is_before: bool) -> int:
    """Return the class that is worth as much against `known` rivals as this one is against all of them."""
    if rivals <= known:
        return at
    hopes = HOPED if is_before else BEATEN
    worth = power(hopes[at], rivals)
    return min(range(len(hopes)), key=lambda one: abs(power(hopes[one], known) - worth))
