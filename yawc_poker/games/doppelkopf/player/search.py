"""The card that does best on the average of likely worlds.

Owns the search of `hard`. The last tricks are not played by the policy, but as well as can be.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from yawc_poker.engine.players import best
from yawc_poker.games.doppelkopf.player.decks import pair
from yawc_poker.games.doppelkopf.player.endings import Ending
from yawc_poker.games.doppelkopf.player.evidence import World
from yawc_poker.games.doppelkopf.player.knowledge import Known
from yawc_poker.games.doppelkopf.player.playouts import Start, play_out, start_of, worth
from yawc_poker.games.doppelkopf.player.policy import sensible, thumb

EXACT: Final = 4
"""Cards in the hand from which on a world is searched to its end."""
_COSTLY: Final = 3
"""With as many cards as `EXACT`, one in so many worlds is searched: each takes about as much longer."""
MOST_POSITIONS: Final = 40_000
"""Positions after which no other world is searched."""
AHEAD: Final = 60
"""By how much a card must be better than that of the policy, on average: worlds flatter those who plan in them."""


def candidates(known: Known) -> list[int]:
    """Return the cards that may be played, the highest first, of two equal ones one."""
    led = known.deck.colour[known.trick[0]] if known.trick else known.hand
    held = known.hand & led or known.hand
    found = []
    while held:
        card = held.bit_length() - 1
        found.append(card)
        held &= ~pair(card)
    return found


def best_card(known: Known, worlds: Sequence[World]) -> int:
    """Return the number of the card with the best mean over the worlds, over fewer where each takes long."""
    rivals, left = sensible(known, candidates(known)), known.hand.bit_count()
    if len(rivals) == 1:
        return rivals[0]
    preferred = thumb(known) >> 1
    rivals.sort(key=lambda card: card >> 1 != preferred)
    starts = [start_of(known, world) for world in worlds[: len(worlds) // _COSTLY if left == EXACT else None]]
    if left > EXACT or known.bride >= 0:
        levels = known.levels()

        def by_policy(start: Start, which: Sequence[int]) -> list[tuple[int]]:
            return [(worth(play_out(known, start, rivals[at]), known.me, levels),) for at in which]

        return best(rivals, starts, by_policy, AHEAD)
    exact = Exact(known, rivals)
    return best(rivals, exact.affordable(starts), exact, AHEAD)


class Exact:
    """All play as well as can be; towards the end many worlds are the same, and are searched once."""

    def __init__(self, known: Known, rivals: Sequence[int]) -> None:
        self._known, self._rivals, self._levels = known, rivals, known.levels()
        self._endings: dict[Start, Ending] = {}
        self._worths: dict[tuple[Start, int], int] = {}

    def affordable(self, starts: Sequence[Start]) -> Iterator[Start]:
        """Yield worlds as long as the budget lasts."""
        for start in starts:
            if sum([ending.positions for ending in self._endings.values()]) > MOST_POSITIONS:
                return
            yield start

    def __call__(self, start: Start, which: Sequence[int]) -> list[tuple[int]]:
        """Return what the rivals at these indexes are worth in a world."""
        if start not in self._endings:
            self._endings[start] = Ending(self._known, start, self._levels)
        return [(self._worth(start, self._rivals[at]),) for at in which]

    def _worth(self, start: Start, card: int) -> int:
        if (start, card) not in self._worths:
            self._worths[start, card] = self._endings[start].worth(self._known, start, card)
        return self._worths[start, card]
