"""The last tricks of a world, played as well as can be.

Owns the exact search: both teams know all cards and want the most points (alpha-beta). It is meant for the last
four tricks; before that there are too many positions.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from yawc_poker.games.doppelkopf.model import SEATS, Team
from yawc_poker.games.doppelkopf.player.decks import Deck, pair, taking
from yawc_poker.games.doppelkopf.player.knowledge import Known
from yawc_poker.games.doppelkopf.player.playouts import FINE, Start, re_worths, special_of
from yawc_poker.games.doppelkopf.scoring import MANY

_FAR: Final = 10**9
Trick = tuple[int, ...]


class Ending:
    """The positions that a world may come to."""

    def __init__(self, known: Known, start: Start, levels: Mapping[Team, int]) -> None:
        self._deck: Deck = known.deck
        self._re = start.re
        self._alone = start.re.bit_count() == 1
        self._worths = re_worths(levels, alone=self._alone)
        self._found: dict[tuple[int, ...], int] = {}
        self.positions = 0
        """How many were looked at."""

    def worth(self, known: Known, start: Start, card: int) -> int:
        """Return the points of the place on turn if it plays `card`, and all play as well as can be from then on."""
        special = 0 if self._alone else start.special
        value = self._after(list(start.world), known.leader, known.trick, card, start.re_eyes, special, -_FAR, _FAR)
        own = self._re >> known.me & 1
        return (value if own else -value) * (3 if self._alone and own else 1)

    def _best(self, hands: list[int], leader: int, trick: Trick, eyes: int, special: int, low: int, high: int) -> int:
        """Return the value of a position for Re, exact between `low` and `high`."""
        self.positions += 1
        place = (leader + len(trick)) & 3
        gains = self._re >> place & 1
        best = -_FAR if gains else _FAR
        for card in self._moves(hands, place, trick):
            value = self._after(hands, leader, trick, card, eyes, special, low, high)
            if gains:
                best = max(best, value)
                low = max(low, value)
            else:
                best = min(best, value)
                high = min(high, value)
            if low >= high:
                break
        return best

    def _after(
        self, hands: list[int], leader: int, trick: Trick, card: int, eyes: int, special: int, low: int, high: int
    ) -> int:
        """Return the value after a card, as it is before and after the call of this function in `hands`."""
        place = (leader + len(trick)) & 3
        hands[place] ^= 1 << card
        trick = (*trick, card)
        if len(trick) < SEATS:
            value = self._best(hands, leader, trick, eyes, special, low, high)
        else:
            value = self._taken(hands, leader, trick, eyes, special, low, high)
        hands[place] ^= 1 << card
        return value

    def _taken(self, hands: list[int], leader: int, trick: Trick, eyes: int, special: int, low: int, high: int) -> int:
        """Return the value after a trick."""
        deck, at = self._deck, taking(self._deck, trick)
        taker, inside = (leader + at) & 3, sum([deck.eyes[card] for card in trick])
        if self._re >> taker & 1:
            eyes += inside
        if not self._alone and (inside >= MANY or any(deck.foxes >> card & 1 for card in trick)):
            special += special_of(deck, leader, trick, taker, inside, self._re)
        if not hands[0]:
            if deck.charlies >> trick[at] & 1 and not self._alone:
                special += 1 if self._re >> taker & 1 else -1
            return self._worths[eyes] + FINE * special
        return self._looked_up(hands, taker, eyes, special, low, high)

    def _moves(self, hands: Sequence[int], place: int, trick: Trick) -> list[int]:
        """Return the cards that may be played, the highest first; of cards that fare alike, one."""
        deck, hand = self._deck, hands[place]
        held = hand & deck.colour[trick[0]] if trick else hand
        held = held or hand
        others = hands[0] | hands[1] | hands[2] | hands[3]
        for card in trick:
            others |= 1 << card
        others &= ~hand
        found, last = [], -1
        while held:
            card = held.bit_length() - 1
            held ^= 1 << card
            if last < 0 or not self._alike(last, card, others):
                found.append(card)
            last = card
        return found

    def _alike(self, better: int, card: int, others: int) -> bool:
        """Return whether two cards of one hand fare alike: as many eyes, and nobody else has one between them."""
        deck = self._deck
        if better >> 1 == card >> 1:
            return True
        if deck.eyes[better] != deck.eyes[card] or deck.colour[better] != deck.colour[card]:
            return False
        special = deck.foxes | deck.charlies
        between = (pair(card) | deck.above[card]) & ~deck.above[better]
        return not between & others and not (special >> better | special >> card) & 1

    def _looked_up(self, hands: list[int], leader: int, eyes: int, special: int, low: int, high: int) -> int:
        key = (*hands, leader, eyes, special)
        known = self._found.get(key)
        if known is None:
            known = self._best(hands, leader, (), eyes, special, low, high)
            if low < known < high:
                self._found[key] = known
        return known
