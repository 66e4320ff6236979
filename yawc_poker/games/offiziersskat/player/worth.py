"""What a position is worth where nobody plays it to the end. Pure.

Owns how a position is judged: colour by colour, each card by its rank, by the other side's cards above and below it and
by whether it is covered; and the numbers of cards of both sides. A plain suit is judged differently where only one side
has trumps. The weights (`weights.py`) are the best linear fit to thousands of positions that were played out exactly,
all cards known.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from yawc_poker.games.offiziersskat.player.position import COLOUR
from yawc_poker.games.offiziersskat.player.search import MARKS, Judge
from yawc_poker.games.offiziersskat.player.weights import Colour, Weights

FIELD: Final = (1 << MARKS) - 1
_SIDE: Final = (1 << COLOUR) - 1
TRUMP_KINDS: Final = (0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3)
"""The kind of a trump by its rank: jacks; ace and ten; king and queen; the others."""
PLAIN_KINDS: Final = (0, 0, 1, 1, 2, 2, 2)
"""The kind of another card: ace and ten; king and queen; the others."""


class Term(NamedTuple):
    """What a card is judged by."""

    side: int
    kind: int
    above: int
    """The number of the other side's cards that are better."""
    column: int
    """2 if one of the other side's is worse, and 1 if this card is covered."""


def judge_of(weights: Weights) -> Judge:
    """Return the judgement by these weights; it remembers what it has judged, in one dictionary a kind of colour."""
    trumps: dict[int, int] = {}
    suits: tuple[dict[int, int], ...] = ({}, {}, {}, {})
    lead, unit = weights.lead, weights.unit

    def judge(pattern: int, side: int) -> int:
        field = pattern & FIELD
        worth = trumps.get(field)
        if worth is None:
            worth = trumps[field] = judged(field, weights.trumps, TRUMP_KINDS)
        who = (field & _SIDE != 0) + 2 * (field >> COLOUR & _SIDE != 0)
        known = suits[who]
        pattern >>= MARKS
        while pattern:
            field = pattern & FIELD
            found = known.get(field)
            if found is None:
                found = known[field] = judged(field, weights.suits[who], PLAIN_KINDS)
            worth += found
            pattern >>= MARKS
        return (lead - worth if side else lead + worth) // unit

    return judge


def judged(field: int, colour: Colour, kinds: Sequence[int]) -> int:
    """Return the worth of a colour for side 0; `field` has its cards, as in a pattern."""
    first, second = numbers(field)
    most = len(colour.numbers) - 1
    worth = colour.numbers[min(first, most)][min(second, most)]
    for side, kind, above, column in terms(field, kinds):
        rows = colour.cards[side][kind]
        weight = rows[min(above, len(rows) - 1)][column]
        worth += -weight if side else weight
    return worth


def numbers(field: int) -> tuple[int, int]:
    """Return the number of cards of each side."""
    return (field & _SIDE).bit_count(), (field >> COLOUR & _SIDE).bit_count()


def terms(field: int, kinds: Sequence[int]) -> Iterator[Term]:
    """Return what each card of a colour is judged by."""
    sides, covered = (field & _SIDE, field >> COLOUR & _SIDE), field >> 2 * COLOUR
    for rank, kind in enumerate(kinds):
        bit = 1 << rank
        if (sides[0] | sides[1]) & bit:
            side = 0 if sides[0] & bit else 1
            others = sides[1 - side]
            yield Term(side, kind, (others & (bit - 1)).bit_count(), 2 * (others > bit) + (covered & bit != 0))
