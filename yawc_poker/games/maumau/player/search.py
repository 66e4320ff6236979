"""The search of the hard level: every candidate is played out in the same worlds. Pure.

Owns how the end of a round is valued. All candidates meet the same worlds with the same later shuffles, so that their
difference shows after few of them.
"""

from collections.abc import Callable, Iterator, Sequence
from math import isqrt
from typing import Final

from yawc_poker.engine import players
from yawc_poker.engine.house import SealedChance
from yawc_poker.games.maumau.model import View
from yawc_poker.games.maumau.player.bits import worth
from yawc_poker.games.maumau.player.playout import Position, play_out
from yawc_poker.games.maumau.player.thumb import Row
from yawc_poker.games.maumau.player.worlds import worlds

Play = Callable[[Position], Position]
"""A candidate: what it makes of a position."""
PLAYOUTS: Final = 16_000
"""The budget of a choice, for each player: with more of them a playout takes longer."""
WON: Final = 1000
SPREAD: Final = 40
"""Points by which one round usually changes a lead, and some more."""


def best(view: View, moves: Sequence[Play], table: Sequence[Row], chance: SealedChance) -> Play:
    """Return the best of several moves; the first is the one that counts if none is better."""
    trials = Trials(view, moves, table, chance)
    return players.best(moves, trials.affordable(), lambda at, which: [(worth,) for worth, _ in trials.ends(at, which)])


class Trials:
    """Playouts of several moves under way, in the same worlds."""

    def __init__(
        self, view: View, moves: Sequence[Play], table: Sequence[Row], chance: SealedChance, playouts: int = PLAYOUTS
    ) -> None:
        """`playouts` is the budget, for each player."""
        self._places = places_of(view)
        self._view, self._moves, self._table, self._chance = view, moves, table, chance
        self._value, self._number, self._played = Value(view, self._places), chance.getrandbits(64), 0
        self._most = playouts // len(self._places)

    def affordable(self) -> Iterator[Position]:
        """Yield worlds until the budget is spent."""
        for position in worlds(self._view, self._places, self._table, self._chance):
            if self._played >= self._most:
                return
            yield position

    def ends(self, position: Position, which: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        """Yield the value of each of these moves in a world, and all hands at the end, the first place's first."""
        tables = [self._table] * len(self._places)
        self._played += len(which)
        for at in which:
            hands = play_out(self._moves[at](position), tables, self._number + self._played)
            yield self._value(hands), hands


def places_of(view: View) -> list[int]:
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
