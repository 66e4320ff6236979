"""The card that does best on the average of likely worlds.

Owns the search of `hard`. Every candidate is played in the same worlds, so their differences are more exact than their
means. The last tricks are not played by the policy, but as well as can be.
"""

from collections.abc import Sequence
from typing import Final, Protocol

from yawc_poker.games.doppelkopf.player.decks import pair
from yawc_poker.games.doppelkopf.player.endings import Ending
from yawc_poker.games.doppelkopf.player.inference import likely_worlds
from yawc_poker.games.doppelkopf.player.knowledge import Known
from yawc_poker.games.doppelkopf.player.playouts import Start, play_out, start_of, worth
from yawc_poker.games.doppelkopf.player.worlds import Dice, plan

EXACT: Final = 4
"""Cards in the hand from which on a world is searched to its end."""
_COSTLY: Final = 3
"""With as many cards as `EXACT`, one in so many worlds is searched: each takes about as much longer."""
MOST_POSITIONS: Final = 40_000
"""Positions after which no other world is searched."""
_PARTS: Final = 4
"""Parts of the worlds, after each of which candidates that are far behind are given up."""
_BEHIND: Final = 0.8
"""Points behind the best that are too many after the first part; after later ones, fewer are."""


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


def best_card(known: Known, dice: Dice, count: int, tries: int) -> int:
    """Return the number of the card with the best mean over `count` worlds, fewer where each takes long."""
    rivals = candidates(known)
    if len(rivals) == 1:
        return rivals[0]
    is_exact = known.hand.bit_count() <= EXACT and known.bride < 0
    if known.hand.bit_count() == EXACT:
        count //= _COSTLY
    starts = [start_of(known, world) for world in likely_worlds(known, plan(known), dice, count, tries)]
    match = _Match(rivals, Exact(known) if is_exact else ByPolicy(known))
    for part in range(_PARTS):
        match.play(starts[part::_PARTS])
        match.give_up(_BEHIND / (part + 1))
    return match.best()


class Judge(Protocol):
    """What cards are worth in worlds."""

    @property
    def positions(self) -> int:
        """Positions that were looked at."""

    def worth(self, start: Start, card: int) -> float:
        """Return what a card is worth in a world."""


class ByPolicy:
    """All play by the policy from then on."""

    positions = 0

    def __init__(self, known: Known) -> None:
        self._known = known
        self._levels = known.levels()

    def worth(self, start: Start, card: int) -> float:
        """Return what a card is worth in a world."""
        return worth(play_out(self._known, start, card), self._known.me, self._levels)


class Exact:
    """All play as well as can be; towards the end many worlds are the same, and are searched once."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._levels = known.levels()
        self._endings: dict[Start, Ending] = {}
        self._worths: dict[tuple[Start, int], float] = {}

    @property
    def positions(self) -> int:
        """Positions that were looked at."""
        return sum([ending.positions for ending in self._endings.values()])

    def worth(self, start: Start, card: int) -> float:
        """Return what a card is worth in a world."""
        if start not in self._endings:
            self._endings[start] = Ending(self._known, start, self._levels)
        if (start, card) not in self._worths:
            self._worths[start, card] = self._endings[start].worth(self._known, start, card)
        return self._worths[start, card]


class _Match:
    """Cards that are played in the same worlds."""

    def __init__(self, rivals: list[int], judge: Judge) -> None:
        self._rivals = rivals
        self._judge = judge
        self._totals = dict.fromkeys(rivals, 0.0)
        self._worlds = 0

    def play(self, starts: Sequence[Start]) -> None:
        """Add to each card's total what it is worth in these worlds, as long as the budget lasts."""
        for start in starts:
            if len(self._rivals) == 1 or (self._worlds and self._judge.positions > MOST_POSITIONS):
                return
            self._worlds += 1
            for card in self._rivals:
                self._totals[card] += self._judge.worth(start, card)

    def give_up(self, behind: float) -> None:
        """Leave out the cards whose mean is that far behind."""
        least = self._totals[self.best()] - behind * self._worlds
        self._rivals = [card for card in self._rivals if self._totals[card] >= least]

    def best(self) -> int:
        """Return the card with the best mean."""
        return max(self._rivals, key=lambda card: self._totals[card])
