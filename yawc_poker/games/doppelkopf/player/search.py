"""The card that does best on the average of likely worlds.

Owns the search of `hard`. The last tricks are not played by the policy, but as well as can be.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

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
    rivals = sensible(known, candidates(known))
    if len(rivals) == 1:
        return rivals[0]
    preferred = thumb(known) >> 1
    rivals.sort(key=lambda card: card >> 1 != preferred)
    return best(rivals, *trials(known, worlds, rivals), AHEAD)


class Trials(NamedTuple):
    """What cards are compared by: the worlds, as far as they can be afforded, and what the cards are worth in each."""

    starts: Iterable[Start]
    worths: Callable[[Start, Sequence[int]], list[tuple[int]]]


def trials(known: Known, worlds: Sequence[World], rivals: Sequence[int]) -> Trials:
    """Return what these cards are compared by."""
    left, levels = known.hand.bit_count(), known.levels()
    starts = [start_of(known, world) for world in worlds[: len(worlds) // _COSTLY if left == EXACT else None]]
    if left > EXACT or known.bride >= 0:
        return Trials(
            starts,
            lambda start, which: [(worth(play_out(known, start, rivals[at]), known.me, levels),) for at in which],
        )
    endings: list[Ending] = []

    @cache
    def ending(start: Start) -> Ending:
        endings.append(Ending(known, start, levels))
        return endings[-1]

    @cache
    def exact(start: Start, card: int) -> int:
        return ending(start).worth(known, start, card)

    def affordable() -> Iterator[Start]:
        for start in starts:
            if sum([one.positions for one in endings]) > MOST_POSITIONS:
                return
            yield start

    # towards the end many worlds are the same, and are searched once
    return Trials(affordable(), lambda start, which: [(exact(start, rivals[at]),) for at in which])
