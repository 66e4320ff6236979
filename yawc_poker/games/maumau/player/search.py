"""The search of the hard level: every candidate is played out in the same worlds. Pure.

Owns how the end of a round is valued, and when enough has been seen. All candidates meet the same worlds with the same
later shuffles, so that their difference shows after few of them. A candidate that is clearly behind is dropped.
"""

from collections.abc import Callable, Sequence
from math import isqrt
from typing import Final

from yawc_poker.engine.house import SealedChance
from yawc_poker.games.maumau.model import View
from yawc_poker.games.maumau.player.bits import worth
from yawc_poker.games.maumau.player.knowledge import Story
from yawc_poker.games.maumau.player.playout import Position, play_out
from yawc_poker.games.maumau.player.thumb import Row
from yawc_poker.games.maumau.player.worlds import Worlds

Move = Callable[[Position], Position]
"""A candidate: what it makes of a position."""
STORIES: Final = 8
"""Readings of the round; the worlds take turns with them."""
BATCH: Final = 24
"""Worlds between two looks at who is behind."""
FEWEST: Final = 48
"""Worlds before the first candidate is dropped."""
PLAYOUTS: Final = 4000
"""The budget of a choice."""
CLEAR: Final = 3
"""A candidate is dropped if its mean is behind by the root of so many standard errors."""
WON: Final = 1000
SPREAD: Final = 40
"""Points by which one round usually changes a lead, and some more."""


def best(view: View, moves: Sequence[Move], table: Sequence[Row], chance: SealedChance) -> int:
    """Return the index of the best of several moves; the first is the one that counts if none is clearly better."""
    places = _places(view)
    worlds = [Worlds(view, places, Story(view, chance.below), table) for _ in range(STORIES)]
    number, tables, value = chance.getrandbits(64), [table] * len(places), Value(view, places)
    gains: dict[int, list[int]] = {at: [] for at in range(len(moves))}
    playouts = drawn = 0
    while len(gains) > 1 and playouts < PLAYOUTS:
        position, number = worlds[drawn % STORIES].draw(number)
        for at, gained in gains.items():
            gained.append(value(play_out(moves[at](position), tables, number)))
        drawn, playouts = drawn + 1, playouts + len(gains)
        if drawn >= FEWEST and drawn % BATCH == 0:
            _drop(gains)
    return max(gains, key=lambda at: sum(gains[at]))


def _drop(gains: dict[int, list[int]]) -> None:
    """Drop the candidates that are clearly behind the best."""
    leader = max(gains, key=lambda at: sum(gains[at]))
    for at in [at for at in gains if at != leader and _is_behind(gains[at], gains[leader])]:
        del gains[at]


def _is_behind(gained: Sequence[int], leading: Sequence[int]) -> bool:
    """Return whether the mean difference is many standard errors from zero, in whole numbers."""
    behind = [one - other for one, other in zip(leading, gained, strict=True)]
    count, total, squares = len(behind), sum(behind), sum([one * one for one in behind])
    return total * total * count > CLEAR * (count * squares - total * total)


def _places(view: View) -> list[int]:
    """Return the places of those who still play, the view's first, then in the order in which they move."""
    places = [player.place for player in view.players if player.seat is not None]
    assert view.place is not None, "the view of somebody who does not play"
    first = places.index(view.place)
    return places[first:] + places[:first]


# --- value ------------------------------------------------------------------------------------------------------------


class Value:
    """The value of a round's end for the first place: what it does to the lead over each other player."""

    def __init__(self, view: View, places: Sequence[int]) -> None:
        totals = [view.players[place].total for place in places]
        self._leads = [total - totals[0] for total in totals[1:]]
        left = view.rounds - view.round
        self._spread = isqrt(SPREAD * SPREAD * left)
        """0: this is the last round."""

    def __call__(self, hands: Sequence[int]) -> int:
        """Return the value: about -1,000 to 1,000 for each other player; in the last round of several, 0 to 1,000.

        Only who has the fewest points wins the game; several who do share it. To be second is worth nothing.
        """
        mine = worth(hands[0])
        leads = [lead + worth(hand) - mine for lead, hand in zip(self._leads, hands[1:], strict=True)]
        if len(leads) > 1 and not self._spread:
            return WON // (1 + leads.count(0)) if min(leads) >= 0 else 0
        return sum(map(self._duel, leads))

    def _duel(self, lead: int) -> int:
        if self._spread:
            return WON * lead // (self._spread + abs(lead))
        return (lead > 0) * WON - (lead < 0) * WON + lead // 8
